package dev.mininccl.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A slice that has come is whole, be it in the header or in the slot, and in order. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "neither has come")
@Outcome(id = "7, 0", expect = Expect.ACCEPTABLE, desc = "the first has come")
@Outcome(id = "7, 8", expect = Expect.ACCEPTABLE, desc = "both have come")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, or out of order")
@State
public class Publication {

    private final Lanes lanes = new Lanes();

    /** Sends a short slice and a long one. */
    @Actor
    public void sender() {
        lanes.zero.offer(16, 7);
        lanes.zero.offer(Lanes.SLOT_BYTES, 8);
    }

    /** Takes what has come. */
    @Actor
    public void receiver(JJ_Result result) {
        result.r1 = lanes.one.poll(16);
        if (result.r1 != 0) {
            lanes.one.release();
            result.r2 = lanes.one.poll(Lanes.SLOT_BYTES);
        }
    }
}
