package dev.mininccl.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJZ_Result;

/** As {@link Reuse}, but the sender learns of the free slot from the header of a slice that comes back. */
@JCStressTest
@Outcome(id = "1, 0, false", expect = Expect.ACCEPTABLE, desc = "nothing has come back")
@Outcome(id = "1, 9, true", expect = Expect.ACCEPTABLE, desc = "a slice came back, and with it the slot")
@Outcome(expect = Expect.FORBIDDEN, desc = "overwritten while it was read, or the credit was lost")
@State
public class Credit {

    private final Lanes lanes = new Lanes();

    /** Fills the lane. */
    public Credit() {
        lanes.zero.offer(Lanes.SLOT_BYTES, 1);
        lanes.zero.offer(Lanes.SLOT_BYTES, 2);
    }

    /** Sends a third slice once something has come back. */
    @Actor
    public void sender(JJZ_Result result) {
        result.r2 = lanes.zero.poll(16);
        result.r3 = result.r2 != 0 && lanes.zero.offer(Lanes.SLOT_BYTES, 3);
    }

    /** Takes the first slice, and sends one back. */
    @Actor
    public void receiver(JJZ_Result result) {
        result.r1 = lanes.one.poll(Lanes.SLOT_BYTES);
        lanes.one.release();
        lanes.one.offer(16, 9);
    }
}
