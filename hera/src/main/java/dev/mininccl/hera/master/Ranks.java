package dev.mininccl.hera.master;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sets of ranks in words. */
final class Ranks {

    private Ranks() {}

    /** For example {@code rank 2} or {@code ranks 0, 1, 3}. */
    static String text(List<Integer> ranks) {
        return (ranks.size() == 1 ? "rank " : "ranks ")
                + ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** Those below {@code world} to which something applies, in order. */
    static List<Integer> where(int world, IntPredicate applies) {
        return IntStream.range(0, world).filter(applies).boxed().toList();
    }
}
