package dev.mininccl.core.gpu;

import static dev.mininccl.core.gpu.GpuTuner.above;
import static dev.mininccl.core.gpu.GpuTuner.upTo;
import static dev.mininccl.core.gpu.KernelPlan.ll;
import static dev.mininccl.core.gpu.KernelPlan.mesh;
import static dev.mininccl.core.gpu.KernelPlan.slots;

/**
 * Shipped tables for three to eight ranks. They are computed, not measured: no machine with more than two GPUs was at hand. What they
 * rest on was measured between two H200s (latencies in µs, bandwidths in bytes a µs); S is the message, n the number of ranks.
 *
 * <pre>
 * NVLink, all to all     LL one-shot    2.0 + (n - 1) 2 S / 260e3                 each rank sends n - 1 messages, and a flag a word
 *                        LL two-shot    3.2 + (n - 1) / n 4 S / 260e3             a hop more, 2 (n - 1) / n messages
 *                        LL128 two-shot 4.7 + (n - 1) / n 2.13 S / 300e3          flags take a sixteenth; two polls a hop
 *                        mesh           9.5 + (n - 1) / n 2 S / 360e3             fences and counters; no flags in the data
 *                        ring           4.0 (n - 1) + the same                    never less than the mesh
 * PCIe                   LL one-shot    3 + (n - 1) 2 S / 45e3, two-shot 5 + (n - 1) / n 4 S / 45e3
 *                        ring           7 (n - 1) + (n - 1) / n 2 S / 40e3        one neighbour at a time: all to all, switches give way
 * host memory            LL one-shot    3 + n (n - 1) 2 S / 80e3, two-shot 5 + (n - 1) 4 S / 80e3   all ranks share its bandwidth
 * </pre>
 *
 * Limits are where two of these lines cross; on devices with slower links they move with the bandwidth. Four and eight ranks on two H200s,
 * side by side on each, crossed near there: one-shot and two-shot at 64 and 30 KiB, flags and lines at 512 and 190 KiB, lines and mesh at 4 MiB.
 */
final class ManyRanks {
    private static final int K = 1024;
    private static final int M = 1024 * K;
    private static final int LL_THREADS = 256;

    private ManyRanks() {}

    /** For ranks with a device each, by the way between them. */
    static GpuTuner shipped(GpuLink link, int ranks, int blocks) {
        if (link.lane() == GpuLane.HOST) {
            return host(ranks, blocks, link.layout(), link.weakest());
        }
        return link.nvlink()
                ? nvlink(ranks, link.layout(), link.weakest())
                : pcie(ranks, blocks, link.layout(), link.weakest());
    }

    static GpuTuner nvlink(int ranks, ArenaLayout layout, GpuClass weakest) {
        double share = Math.min(1, weakest.nvlinkShare());
        double part = (ranks - 1.0) / ranks;
        // What the second hop costs, over what a byte costs more with one.
        long oneShot = limit(1.2 / ((ranks - 1) * 2 / 260e3 - part * 4 / 260e3) * share, layout, Family.LL);
        long flags = limit(1.5 / (part * (4 / 260e3 - 2.13 / 300e3)) * share, layout, Family.LL_TWOSHOT);
        long lines = limit(4.8 / (part * (2.13 / 300e3 - 2 / 360e3)) * share, layout, Family.LL128_TWOSHOT);
        return new GpuTuner(
                        upTo(512, ll(Family.LL, 1, 64)),
                        upTo(2 * K, ll(Family.LL, 1, LL_THREADS)),
                        upTo(oneShot / 4, ll(Family.LL, 8, LL_THREADS)),
                        upTo(oneShot, ll(Family.LL, 32, LL_THREADS)),
                        upTo(flags / 4, ll(Family.LL_TWOSHOT, 16, 128)),
                        upTo(flags, ll(Family.LL_TWOSHOT, 32, LL_THREADS)),
                        upTo(lines / 4, ll(Family.LL128_TWOSHOT, 64, 128)),
                        upTo(lines, ll(Family.LL128_TWOSHOT, 128, LL_THREADS)),
                        upTo(8 * M, mesh(64, 512, slot(layout, 32 * K))),
                        above(mesh(ArenaLayout.MESH_CHANNELS, 512, slot(layout, 64 * K))))
                .within(weakest);
    }

    static GpuTuner pcie(int ranks, int blocks, ArenaLayout layout, GpuClass weakest) {
        double share = weakest.pcieShare();
        double part = (ranks - 1.0) / ranks;
        long oneShot = limit(2 / ((ranks - 1) * 2 / 45e3 - part * 4 / 45e3) * share, layout, Family.LL);
        long twoShot = limit((7 * (ranks - 1) - 5) / (part * (4 / 45e3 - 2 / 40e3)) * share, layout, Family.LL_TWOSHOT);
        return withRing(oneShot, twoShot, blocks, layout, 128 * K).within(weakest);
    }

    static GpuTuner host(int ranks, int blocks, ArenaLayout layout, GpuClass weakest) {
        double share = weakest.pcieShare();
        long oneShot = limit(2 / (ranks * (ranks - 1) * 2 / 80e3 - (ranks - 1) * 4 / 80e3) * share, layout, Family.LL);
        long twoShot = limit(Long.MAX_VALUE, layout, Family.LL_TWOSHOT);
        return withRing(oneShot, twoShot, blocks, layout, 128 * K).within(weakest);
    }

    private static GpuTuner withRing(long oneShot, long twoShot, int blocks, ArenaLayout layout, int most) {
        int channels = Math.clamp(blocks, 1, ArenaLayout.RING_CHANNELS);
        int slot = (int) Math.min(most, layout.bank(Family.RING) / 4);
        return new GpuTuner(
                upTo(K, ll(Family.LL, 1, 128)),
                upTo(oneShot, ll(Family.LL, Math.clamp(blocks, 1, 8), LL_THREADS)),
                upTo(twoShot, ll(Family.LL_TWOSHOT, Math.clamp(blocks, 1, 16), LL_THREADS)),
                upTo(M, slots(Family.RING, Math.min(channels, 8), 512, Math.min(slot, 16 * K), 4)),
                above(slots(Family.RING, channels, 512, slot, 4)));
    }

    /** For ranks of which several share a device; {@code blocks} of a kernel can run at the same time on every one. */
    static GpuTuner shared(int ranks, int blocks, ArenaLayout layout) {
        long oneShot = limit(256.0 * K / ranks, layout, Family.LL);
        return withRing(oneShot, oneShot, blocks, layout, 128 * K);
    }

    /** Each element reduced at once and in rank order, whatever the lane: what a ring does depends on its place. */
    static GpuTuner inRankOrder(int ranks, int blocks, ArenaLayout layout) {
        long oneShot = limit(256.0 * K / ranks, layout, Family.LL);
        KernelPlan twoShot = ll(Family.LL_TWOSHOT, Math.clamp(blocks, 1, 16), LL_THREADS);
        int channels = Math.clamp(blocks, 1, ArenaLayout.MESH_CHANNELS);
        return new GpuTuner(
                upTo(K, ll(Family.LL, 1, 128)),
                upTo(oneShot, ll(Family.LL, Math.clamp(blocks, 1, 8), LL_THREADS)),
                upTo(layout.most(twoShot), twoShot),
                above(layout.meshBytes() > 0 ? mesh(channels, 512, slot(layout, 64 * K)) : twoShot));
    }

    private static int slot(ArenaLayout layout, int most) {
        return (int) Math.min(most, layout.meshSlot());
    }

    /** In bytes, at least what a plan above has and at most what the family's region holds. */
    private static long limit(double bytes, ArenaLayout layout, Family family) {
        long most = layout.most(ll(family, 1, 32));
        return Math.clamp((long) bytes, Math.min(4 * K, most), most);
    }
}
