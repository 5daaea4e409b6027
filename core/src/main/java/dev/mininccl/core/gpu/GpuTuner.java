package dev.mininccl.core.gpu;

import static dev.mininccl.core.gpu.KernelPlan.ll;
import static dev.mininccl.core.gpu.KernelPlan.ll128;
import static dev.mininccl.core.gpu.KernelPlan.slots;

/**
 * Which plan serves which size: the first row that is large enough. Shipped rows are those measured on two H200s; all ranks use the
 * same. Immutable.
 */
public final class GpuTuner {
    private static final int K = 1024;
    private static final int M = 1024 * K;

    private final long[] limits;
    private final KernelPlan[] plans;

    private GpuTuner(Row... rows) {
        limits = new long[rows.length];
        plans = new KernelPlan[rows.length];
        for (int i = 0; i < rows.length; i++) {
            limits[i] = rows[i].limit;
            plans[i] = rows[i].plan;
        }
    }

    private record Row(long limit, KernelPlan plan) {}

    private static Row upTo(long bytes, KernelPlan plan) {
        return new Row(bytes, plan);
    }

    private static Row above(KernelPlan plan) {
        return new Row(Long.MAX_VALUE, plan);
    }

    /** Two ranks on NVLink. */
    static GpuTuner nvlinkPair(ArenaLayout layout) {
        int large = (int) Math.min(512 * K, layout.bank(Family.EXCHANGE) / 2);
        int middle = (int) Math.min(256 * K, layout.bank(Family.EXCHANGE) / 4);
        return new GpuTuner(
                upTo(512, ll(Family.LL2, 1, 64)),
                upTo(2 * K, ll(Family.LL2, 1, 256)),
                upTo(10 * K, ll(Family.LL2, 8, 64)),
                upTo(40 * K, ll(Family.LL2, 8, 256)),
                upTo(160 * K, ll(Family.LL2, 32, 256)),
                upTo(384 * K, ll128(64, 64, 0)),
                upTo(768 * K, ll128(64, 128, 0)),
                upTo(M + M / 2, ll128(128, 128, 0)),
                upTo(3 * M, ll128(128, 256, 0)),
                upTo(12 * M, ll128(128, 128, 1)),
                upTo(96 * M, ll128(128, 256, 0)),
                upTo(192 * M, slots(Family.EXCHANGE, 128, 512, middle, 4)),
                above(slots(Family.EXCHANGE, 128, 1024, large, 2)));
    }

    /** Two ranks whose peer access goes over PCIe: no lines of 128 bytes. */
    static GpuTuner pciePair(ArenaLayout layout) {
        int slot = (int) Math.min(256 * K, layout.bank(Family.EXCHANGE) / 4);
        return new GpuTuner(
                upTo(K, ll(Family.LL2, 1, 128)),
                upTo(16 * K, ll(Family.LL2, 4, 256)),
                upTo(128 * K, ll(Family.LL2, 32, 256)),
                upTo(M, slots(Family.EXCHANGE, 16, 512, Math.min(slot, 16 * K), 4)),
                upTo(16 * M, slots(Family.EXCHANGE, 32, 512, Math.min(slot, 64 * K), 4)),
                above(slots(Family.EXCHANGE, 64, 1024, slot, 4)));
    }

    /** Two ranks through shared host memory. */
    static GpuTuner hostPair() {
        return new GpuTuner(
                upTo(512, ll(Family.LL2, 1, 64)),
                upTo(2 * K, ll(Family.LL2, 4, 64)),
                upTo(8 * K, ll(Family.LL2, 8, 64)),
                upTo(32 * K, ll(Family.LL2, 8, 256)),
                upTo(256 * K, ll(Family.LL2, 32, 512)),
                upTo(768 * K, slots(Family.EXCHANGE, 16, 256, 64 * K, 4)),
                upTo(M + M / 2, slots(Family.EXCHANGE, 16, 512, 64 * K, 2)),
                upTo(3 * M, slots(Family.EXCHANGE, 16, 512, 128 * K, 2)),
                upTo(8 * M, slots(Family.EXCHANGE, 96, 512, 16 * K, 2)),
                upTo(32 * M, slots(Family.EXCHANGE, 128, 512, 64 * K, 4)),
                above(slots(Family.EXCHANGE, 128, 1024, 64 * K, 2)));
    }

    /** Any number of ranks; {@code blocks} of a kernel can run at the same time on every device. */
    static GpuTuner many(int ranks, int blocks, ArenaLayout layout) {
        int channels = Math.clamp(blocks, 1, ArenaLayout.RING_CHANNELS);
        int slot = (int) Math.min(128 * K, layout.bank(Family.RING) / 4);
        return new GpuTuner(
                upTo(K, ll(Family.LL, 1, 128)),
                upTo(Math.min(layout.lines() * 8L, 256L * K / ranks), ll(Family.LL, Math.clamp(blocks, 1, 16), 128)),
                upTo(M, slots(Family.RING, Math.min(channels, 8), 512, Math.min(slot, 16 * K), 4)),
                above(slots(Family.RING, channels, 512, slot, 4)));
    }

    /**
     * A table that was measured.
     *
     * @param text a line for each row: the largest size in bytes, family, blocks, threads, extent, depth
     * @throws IllegalArgumentException if a line is none of these
     */
    public static GpuTuner of(String text) {
        return new GpuTuner(text.lines().map(GpuTuner::row).toArray(Row[]::new));
    }

    private static Row row(String line) {
        String[] words = line.strip().split(" +", -1);
        if (words.length != 6) {
            throw new IllegalArgumentException(
                    "tuning row '" + line + "': must be size, family, blocks, threads, extent, depth");
        }
        int[] shape = new int[4];
        for (int i = 0; i < shape.length; i++) {
            shape[i] = Integer.parseInt(words[i + 2]);
        }
        return upTo(
                Long.parseLong(words[0]),
                new KernelPlan(Family.valueOf(words[1]), shape[0], shape[1], shape[2], shape[3]));
    }

    /** One plan for all sizes, for tests and measurements. */
    public static GpuTuner fixed(KernelPlan plan) {
        return new GpuTuner(above(plan));
    }

    KernelPlan plan(long bytes) {
        int i = 0;
        while (bytes > limits[i]) {
            i++;
        }
        return plans[i];
    }
}
