package dev.mininccl.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JZ_Result;

/** A slot is not written again before its slice was read, as the receiver's counter tells the sender. */
@JCStressTest
@Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "the slot was still in use")
@Outcome(id = "1, true", expect = Expect.ACCEPTABLE, desc = "the slot was free again")
@Outcome(expect = Expect.FORBIDDEN, desc = "overwritten while it was read")
@State
public class Reuse {

    private final Lanes lanes = new Lanes();

    /** Fills the lane. */
    public Reuse() {
        lanes.zero.offer(Lanes.SLOT_BYTES, 1);
        lanes.zero.offer(Lanes.SLOT_BYTES, 2);
    }

    /** Sends a third slice, if it can. */
    @Actor
    public void sender(JZ_Result result) {
        result.r2 = lanes.zero.offer(Lanes.SLOT_BYTES, 3);
    }

    /** Takes the first. */
    @Actor
    public void receiver(JZ_Result result) {
        result.r1 = lanes.one.poll(Lanes.SLOT_BYTES);
        lanes.one.release();
    }
}
