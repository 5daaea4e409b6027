package dev.mininccl.core.host;

import dev.mininccl.core.host.reduce.Reducer;

/** Reduces slices of all ranks in rank order, by the kernel that is quickest for their number. */
final class Reductions {

    private Reductions() {}

    static void reduce(Reducer reducer, long[] in, int ranks, long out, int count) {
        if (ranks == 2) {
            reducer.reduceLast(in[0], in[1], out, count);
        } else {
            reducer.reduceAll(in, ranks, out, count);
        }
    }
}
