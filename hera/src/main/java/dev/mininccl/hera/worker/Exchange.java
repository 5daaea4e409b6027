package dev.mininccl.hera.worker;

import dev.mininccl.core.NcclException;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.wire.ProtocolException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The all-gather of this rank that is under way, if one is. */
final class Exchange {

    private final int size;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // All guarded by the lock.
    private long round;
    private byte[][] parts;
    private int missing;
    private Supplier<NcclException> over;

    Exchange(int size) {
        this.size = size;
    }

    /**
     * Takes part in the next round.
     *
     * @param send sends this rank's part as one of the given round
     * @throws TimeoutException if not all parts came in time
     */
    List<byte[]> gather(LongConsumer send, Deadline deadline) throws TimeoutException, InterruptedException {
        lock.lockInterruptibly();
        try {
            await(() -> parts == null, deadline);
            throwIfOver();
            parts = new byte[size][];
            missing = size;
            try {
                send.accept(round);
                await(() -> missing == 0 || over != null, deadline);
                if (missing > 0) {
                    throwIfOver();
                }
                return Arrays.asList(parts);
            } finally {
                parts = null;
                round++;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The parts of consecutive ranks have come. */
    void arrived(long ofRound, int firstRank, List<byte[]> some) throws ProtocolException {
        lock.lock();
        try {
            if (parts == null || ofRound != round) {
                // Nobody waits for it any more.
                return;
            }
            if (firstRank != size - missing || some.size() > missing) {
                throw new ProtocolException("sent " + some.size() + " parts from rank " + firstRank + " on, due are "
                        + missing + " from rank " + (size - missing) + " on");
            }
            for (byte[] part : some) {
                parts[size - missing] = part;
                missing--;
            }
            if (missing == 0) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** From now on everybody who waits, and everybody who comes, gets an exception. The first call counts. */
    void end(Supplier<NcclException> why) {
        lock.lock();
        try {
            if (over == null) {
                over = why;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void throwIfOver() {
        if (over != null) {
            throw over.get();
        }
    }

    private void await(BooleanSupplier met, Deadline deadline) throws TimeoutException, InterruptedException {
        while (!met.getAsBoolean()) {
            if (!changed.await(deadline.remainingNanos(), TimeUnit.NANOSECONDS) && deadline.expired()) {
                throw new TimeoutException();
            }
        }
    }
}
