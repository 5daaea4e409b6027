package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.IbvConstants;

/** What may be done with a memory region, or through a queue pair ({@code enum ibv_access_flags}); values are combined with or. */
public final class Access {
    /** Nothing but reading by the own device. */
    public static final int LOCAL_READ = 0;
    /** The own device may write: receives, and results of reads and atomics. {@link #REMOTE_WRITE} needs it. */
    public static final int LOCAL_WRITE = IbvConstants.IBV_ACCESS_LOCAL_WRITE();
    /** Peers may write. */
    public static final int REMOTE_WRITE = IbvConstants.IBV_ACCESS_REMOTE_WRITE();
    /** Peers may read. */
    public static final int REMOTE_READ = IbvConstants.IBV_ACCESS_REMOTE_READ();
    /** Peers may use atomic operations. */
    public static final int REMOTE_ATOMIC = IbvConstants.IBV_ACCESS_REMOTE_ATOMIC();
    /** Writes may be seen in another order than they were sent; faster on some hosts, and wrong for counters. Optional. */
    public static final int RELAXED_ORDERING = IbvConstants.IBV_ACCESS_RELAXED_ORDERING();

    /** Flags that a kernel or library without them may drop. */
    static final int OPTIONAL_RANGE = IbvConstants.IBV_ACCESS_OPTIONAL_RANGE();

    private Access() {}
}
