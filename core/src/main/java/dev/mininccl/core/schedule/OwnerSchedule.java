package dev.mininccl.core.schedule;

/** Who owns which elements where all ranks reach all memory: as many nearly equal parts as there are ranks, in order. */
public final class OwnerSchedule {

    private OwnerSchedule() {}

    /** The first element that a rank owns; that of rank {@code ranks} is the end. */
    public static long start(long elements, int ranks, int rank) {
        return Parts.start(elements, ranks, rank);
    }
}
