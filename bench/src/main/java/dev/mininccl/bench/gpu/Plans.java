package dev.mininccl.bench.gpu;

import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.KernelPlan;
import java.util.ArrayList;
import java.util.List;

/** Plans worth checking, and those worth measuring for a size. */
final class Plans {
    private static final int K = 1024;

    private Plans() {}

    /** Of every family that a lane has, one with few and small slots, whose results are checked. */
    static List<KernelPlan> checked(GpuLane lane) {
        List<KernelPlan> plans = new ArrayList<>();
        plans.add(new KernelPlan(Family.LL2, 3, 128, 0, 0));
        plans.add(new KernelPlan(Family.LL, 2, 96, 0, 0));
        if (lane == GpuLane.PEER) {
            plans.add(new KernelPlan(Family.LL128, 5, 64, 1, 4));
        }
        plans.add(new KernelPlan(Family.EXCHANGE, 6, 256, 64, 2));
        plans.add(new KernelPlan(Family.RING, 3, 128, 64, 2));
        return plans;
    }

    /** Plans worth measuring for a size. */
    static List<KernelPlan> candidates(GpuLane lane, long bytes) {
        List<KernelPlan> plans = new ArrayList<>();
        if (bytes <= 512 * K) {
            ll(plans, bytes);
        }
        if (lane == GpuLane.PEER && bytes >= 16 * K && bytes <= 256L * K * K) {
            ll128(plans, bytes);
        }
        if (bytes >= 512 * K && (lane == GpuLane.HOST || bytes >= 8 * K * K)) {
            exchange(plans, bytes, lane);
        }
        return plans;
    }

    private static void ll(List<KernelPlan> plans, long bytes) {
        long words = bytes / 8;
        for (int threads : new int[] {64, 128, 256, 512, 992}) {
            for (int blocks : new int[] {1, 2, 4, 8, 16, 32, 64, 128}) {
                long workers = (long) threads * blocks;
                boolean least = threads == 64 && blocks == 1;
                if ((workers <= 2 * words || least) && words <= 64 * workers) {
                    plans.add(new KernelPlan(Family.LL2, blocks, threads, 0, 0));
                }
            }
        }
    }

    private static void ll128(List<KernelPlan> plans, long bytes) {
        long tiles = (bytes + 3839) / 3840;
        for (int threads : new int[] {64, 128, 256}) {
            for (int blocks : new int[] {8, 16, 32, 64, 128}) {
                for (int ahead : new int[] {0, 1, 2}) {
                    long warps = (long) threads / 32 * blocks;
                    if (warps <= 2 * tiles && tiles <= 400 * warps && (ahead == 0 || ahead * warps <= tiles)) {
                        plans.add(new KernelPlan(Family.LL128, blocks, threads, ahead, 2 * ahead + 2));
                    }
                }
            }
        }
    }

    private static void exchange(List<KernelPlan> plans, long bytes, GpuLane lane) {
        int[] sizes = lane == GpuLane.HOST
                ? new int[] {4 * K, 8 * K, 16 * K, 32 * K, 64 * K, 128 * K}
                : new int[] {32 * K, 64 * K, 128 * K, 256 * K, 512 * K};
        for (int threads : new int[] {256, 512, 1024}) {
            for (int channels : new int[] {8, 12, 16, 24, 32, 48, 64}) {
                for (int slot : sizes) {
                    for (int depth : new int[] {2, 3, 4}) {
                        long each = bytes / channels;
                        boolean few = bytes >= 64L * K * K && (channels < 32 || threads < 512 || depth == 3);
                        if (each >= slot / 4 && !few) {
                            plans.add(new KernelPlan(Family.EXCHANGE, 2 * channels, threads, slot / 16, depth));
                        }
                    }
                }
            }
        }
    }
}
