package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.ibv_cq;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.MemorySegment;

/** Where finished work requests are reported. */
public final class CompletionQueue extends VerbsHandle {
    private final MemorySegment pollCq;
    private final MemorySegment requestNotify;
    private final boolean critical;
    private final int entries;

    CompletionQueue(long address, Context context) {
        super(address, "ibv_destroy_cq " + context);
        this.pollCq = context.ops().pollCq();
        this.requestNotify = context.ops().requestNotify();
        this.critical = context.critical();
        this.entries = NativeMemory.getInt(address + ibv_cq.cqe$offset());
    }

    @Override
    int destroy() {
        return Ibv.ibv_destroy_cq(MemorySegment.ofAddress(address()));
    }

    /**
     * How many completions the queue holds; one more is an overrun, which breaks it.
     *
     * @return as many as were asked for, or more
     */
    public int entries() {
        return entries;
    }

    /**
     * Takes completions. Allocates nothing. For one thread at a time, unless the provider says otherwise.
     *
     * @param completions where to put them; as many as it has room for
     * @return how many, 0 for none; or less than 0 if the queue is broken
     */
    public int poll(WorkCompletions completions) {
        if (isClosed()) {
            return -Errno.EBADF;
        }
        return VerbsOps.poll(pollCq, critical, address(), completions.capacity(), completions.address());
    }

    /**
     * Asks the queue to announce its next completion on its channel, once.
     *
     * @param solicitedOnly true for only those whose sender asked for it, and errors
     * @return 0, or an {@link Errno}, not negated
     */
    public int requestNotify(boolean solicitedOnly) {
        return isClosed() ? Errno.EBADF : VerbsOps.notify(requestNotify, address(), solicitedOnly);
    }
}
