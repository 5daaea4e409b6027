package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaGraph;
import dev.mininccl.bindings.cuda.CudaStream;
import java.util.Arrays;

/** Times a call that all ranks make: in a replayed graph, enqueued back to back, and with a wait after each. Medians, in µs a call. */
final class Timer {
    private static final int CALLS_A_GRAPH = 20;
    private static final int STREAM_CALLS = 2000;

    private final Rank rank;

    Timer(Rank rank) {
        this.rank = rank;
    }

    /** How many calls make about {@code micros} of work, for messages of this size. */
    static int calls(long bytes, double micros) {
        double each = 3 + bytes / 300e3;
        return (int) Math.max(4, Math.min(400, micros / each));
    }

    double graph(Runnable call, long bytes, int repeats) {
        int calls = (int) Math.max(1, Math.min(CALLS_A_GRAPH, 8_000 / (1 + bytes / 300_000)));
        call.run();
        CudaStream.synchronize(rank.stream);
        CudaGraph.begin(rank.stream);
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        try (CudaGraph graph = CudaGraph.end(rank.stream)) {
            int launches = Math.max(1, calls(bytes, 3000) / calls);
            graph.launch(rank.stream);
            CudaStream.synchronize(rank.stream);
            return events(() -> graph.launch(rank.stream), launches, repeats) / calls;
        }
    }

    double stream(Runnable call, long bytes, int repeats) {
        // So many that the ranks' uneven start does not count.
        return events(call, bytes > 1 << 20 ? calls(bytes, 5000) : STREAM_CALLS, repeats);
    }

    private double events(Runnable work, int times, int repeats) {
        double[] micros = new double[repeats];
        for (int r = 0; r < repeats; r++) {
            rank.bootstrap.barrier();
            CudaEvent.record(rank.begin, rank.stream);
            for (int i = 0; i < times; i++) {
                work.run();
            }
            CudaEvent.record(rank.end, rank.stream);
            CudaStream.synchronize(rank.stream);
            micros[r] = CudaEvent.milliseconds(rank.begin, rank.end) * 1e3 / times;
        }
        return median(micros);
    }

    /** Of a call that waits. */
    double blocking(Runnable call, long bytes, int repeats) {
        int times = Math.max(4, calls(bytes, 3000));
        double[] micros = new double[repeats];
        for (int r = 0; r < repeats; r++) {
            rank.bootstrap.barrier();
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                call.run();
            }
            micros[r] = (System.nanoTime() - start) / 1e3 / times;
        }
        return median(micros);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
