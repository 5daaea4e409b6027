package dev.mininccl.core.tuning;

/** Sizes in bytes at which another way becomes the faster one; measured on two cores, see docs/PERFORMANCE.md. */
final class Thresholds {

    /** Two ranks over shared memory: one-shot up to here. */
    static final long PAIR_ONE_SHOT_SHARED = 32 << 10;

    /** Two ranks over a network: one-shot up to here. */
    static final long PAIR_ONE_SHOT_NETWORK = 128 << 10;

    /** More ranks: one-shot up to here. */
    static final long MANY_ONE_SHOT = 4 << 10;

    /** More ranks over a network: two-shot up to here, ring above. */
    static final long MANY_TWO_SHOT_NETWORK = 1 << 20;

    /** Reading the peer's memory can pay above this: below, the system call costs more than the copy it saves. */
    static final long REFERENCE_FROM = 128 << 10;

    /** Above this the kernel's copy misses the caches that a slot still hits. */
    static final long REFERENCE_TO = 8 << 20;

    /** The registered form needs two exchanges: below this the direct one is as quick. */
    static final long WINDOW_FROM = 1 << 10;

    /** A channel more costs a hand-over to a thread, about a microsecond; sockets are slow enough to be worth it early. */
    static final long LEAST_SHARE_NETWORK = 128 << 10;

    static final long LEAST_SHARE_SHARED = 512 << 10;

    private Thresholds() {}
}
