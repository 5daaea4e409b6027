package dev.mininccl.core.gpu;

import static dev.mininccl.core.gpu.KernelPlan.ll;
import static dev.mininccl.core.gpu.KernelPlan.ll128;
import static dev.mininccl.core.gpu.KernelPlan.slots;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.tuning.TuningFile;
import java.util.ArrayList;
import java.util.List;

/**
 * Which plan serves which size: the first row that is large enough. Shipped rows for two ranks are those measured on two H200s, fitted
 * to other classes of devices by {@link GpuClass}; for more ranks see {@link ManyRanks}. All ranks use the same. Immutable.
 */
public final class GpuTuner {
    private static final int K = 1024;
    private static final int M = 1024 * K;
    private static final String FAMILIES = "LL, LL2, LL128, EXCHANGE, RING, LL_TWOSHOT, LL128_TWOSHOT, MESH";

    private final long[] limits;
    private final KernelPlan[] plans;

    GpuTuner(Row... rows) {
        limits = new long[rows.length];
        plans = new KernelPlan[rows.length];
        for (int i = 0; i < rows.length; i++) {
            limits[i] = rows[i].limit;
            plans[i] = rows[i].plan;
        }
    }

    record Row(long limit, KernelPlan plan) {}

    static Row upTo(long bytes, KernelPlan plan) {
        return new Row(bytes, plan);
    }

    static Row above(KernelPlan plan) {
        return new Row(Long.MAX_VALUE, plan);
    }

    /** The shipped table for what set-up gave; {@code blocks} of a ring's kernel can run at the same time on every device. */
    static GpuTuner shipped(GpuLink link, int ranks, int blocks) {
        if (link.sharedDevice()) {
            return ManyRanks.shared(ranks, blocks, link.layout());
        }
        if (ranks > 2) {
            return ManyRanks.shipped(link, ranks, blocks);
        }
        GpuClass weakest = link.weakest();
        if (link.lane() == GpuLane.HOST) {
            return hostPair(weakest);
        }
        return link.nvlink() ? nvlinkPair(link.layout(), weakest) : pciePair(link.layout(), weakest);
    }

    /** Rows that were measured on H200s, for another class; what takes more than {@code least} bytes is ruled by bandwidth. */
    private GpuTuner fitted(GpuClass weakest, double bandwidth, long least) {
        Row[] rows = new Row[limits.length];
        long below = 0;
        for (int i = 0; i < rows.length; i++) {
            boolean moves = limits[i] > least && limits[i] != Long.MAX_VALUE;
            // Not beyond what a plan's slots hold: faster links keep the measured sizes.
            long limit = moves ? Math.max(below + 16, (long) (limits[i] * Math.min(1, bandwidth))) : limits[i];
            rows[i] = upTo(limit, plans[i].within(weakest));
            below = limit;
        }
        return new GpuTuner(rows);
    }

    /** With no more blocks than certainly run at the same time. */
    GpuTuner within(GpuClass weakest) {
        Row[] rows = new Row[limits.length];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = upTo(limits[i], plans[i].within(weakest));
        }
        return new GpuTuner(rows);
    }

    /** Two ranks on NVLink. */
    static GpuTuner nvlinkPair(ArenaLayout layout, GpuClass weakest) {
        return nvlinkPair(layout).fitted(weakest, weakest.nvlinkShare(), 10 * K);
    }

    /** Two ranks whose peer access goes over PCIe: no lines of 128 bytes. */
    static GpuTuner pciePair(ArenaLayout layout, GpuClass weakest) {
        return pciePair(layout).fitted(weakest, weakest.pcieShare(), 16 * K);
    }

    /** Two ranks through shared host memory. */
    static GpuTuner hostPair(GpuClass weakest) {
        return hostPair().fitted(weakest, weakest.pcieShare(), 8 * K);
    }

    private static GpuTuner nvlinkPair(ArenaLayout layout) {
        int large = (int) Math.min(512 * K, layout.bank(Family.EXCHANGE) / 2);
        int middle = (int) Math.min(128 * K, layout.bank(Family.EXCHANGE) / 4);
        return new GpuTuner(
                upTo(512, ll(Family.LL2, 1, 64)),
                upTo(2 * K, ll(Family.LL2, 1, 256)),
                upTo(10 * K, ll(Family.LL2, 8, 64)),
                upTo(40 * K, ll(Family.LL2, 8, 256)),
                upTo(96 * K, ll(Family.LL2, 32, 256)),
                upTo(160 * K, ll(Family.LL2, 32, 128)),
                // Lines of 128 bytes are as quick, but not what a kernel that stays can do.
                upTo(256 * K, ll(Family.LL2, 64, 128)),
                upTo(384 * K, ll128(64, 64, 0)),
                upTo(768 * K, ll128(64, 128, 0)),
                upTo(M + M / 2, ll128(128, 128, 0)),
                upTo(3 * M, ll128(128, 256, 0)),
                upTo(12 * M, ll128(128, 128, 1)),
                upTo(48 * M, ll128(128, 256, 0)),
                upTo(192 * M, slots(Family.EXCHANGE, 128, 512, middle, 4)),
                above(slots(Family.EXCHANGE, 128, 1024, large, 2)));
    }

    private static GpuTuner pciePair(ArenaLayout layout) {
        int slot = (int) Math.min(256 * K, layout.bank(Family.EXCHANGE) / 4);
        return new GpuTuner(
                upTo(K, ll(Family.LL2, 1, 128)),
                upTo(16 * K, ll(Family.LL2, 4, 256)),
                upTo(128 * K, ll(Family.LL2, 32, 256)),
                upTo(M, slots(Family.EXCHANGE, 16, 512, Math.min(slot, 16 * K), 4)),
                upTo(16 * M, slots(Family.EXCHANGE, 32, 512, Math.min(slot, 64 * K), 4)),
                above(slots(Family.EXCHANGE, 64, 1024, slot, 4)));
    }

    private static GpuTuner hostPair() {
        return new GpuTuner(
                upTo(512, ll(Family.LL2, 1, 64)),
                upTo(2 * K, ll(Family.LL2, 4, 64)),
                upTo(8 * K, ll(Family.LL2, 8, 64)),
                upTo(32 * K, ll(Family.LL2, 8, 256)),
                upTo(256 * K, ll(Family.LL2, 32, 512)),
                upTo(768 * K, slots(Family.EXCHANGE, 128, 512, 4 * K, 2)),
                upTo(M + M / 2, slots(Family.EXCHANGE, 96, 512, 8 * K, 2)),
                upTo(6 * M, slots(Family.EXCHANGE, 128, 512, 8 * K, 2)),
                upTo(24 * M, slots(Family.EXCHANGE, 96, 1024, 16 * K, 2)),
                above(slots(Family.EXCHANGE, 128, 512, 32 * K, 2)));
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

    /**
     * A table from a tuning file, with this one where the file says so and above its last row.
     *
     * @param rows of the file's section for these ranks and this lane
     * @param layout what plans must fit
     * @param weakest the least of the devices
     * @throws InvalidCallException if a plan is none, or does not fit
     */
    GpuTuner with(List<TuningFile.Row> rows, ArenaLayout layout, GpuClass weakest) {
        List<Row> table = new ArrayList<>();
        long below = -1;
        for (TuningFile.Row row : rows) {
            if (row.shipped()) {
                addOwn(table, below, row.limit());
            } else {
                table.add(upTo(row.limit(), plan(row, layout, weakest)));
            }
            below = row.limit();
        }
        addOwn(table, below, Long.MAX_VALUE);
        return new GpuTuner(table.toArray(Row[]::new));
    }

    /** Adds this table's rows for the sizes above {@code below} up to {@code limit}. */
    private void addOwn(List<Row> table, long below, long limit) {
        for (int i = 0; i < limits.length && below < limit; i++) {
            if (limits[i] > below) {
                table.add(upTo(Math.min(limits[i], limit), plans[i]));
                below = limits[i];
            }
        }
    }

    private static KernelPlan plan(TuningFile.Row row, ArenaLayout layout, GpuClass weakest) {
        KernelPlan plan;
        try {
            plan = row("0 " + row.way()).plan;
        } catch (IllegalArgumentException _) {
            throw row.refused("shipped, or family (" + FAMILIES + "), blocks, threads, extent, depth");
        }
        if (!plan.runs(weakest) || !layout.holds(plan, row.limit())) {
            throw row.refused("a plan that these devices (sm_" + weakest.capability() + ", " + weakest.multiprocessors()
                    + " multiprocessors) run at once and whose slots hold " + row.limit() + " bytes");
        }
        return plan;
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
