package dev.mininccl.core.gpu;

/**
 * How one all-reduce is done.
 *
 * @param family the kernel
 * @param blocks the grid; for {@link Family#EXCHANGE} twice the number of channels
 * @param threads data-moving threads a block, a multiple of 32
 * @param extent LL128: tiles sent ahead; EXCHANGE, RING and MESH: 16-byte packs a slot; otherwise unused
 * @param depth EXCHANGE and RING: slots a channel; MESH: 3, slots a step and sender; otherwise unused
 */
public record KernelPlan(Family family, int blocks, int threads, int extent, int depth) {

    static KernelPlan ll(Family family, int blocks, int threads) {
        return new KernelPlan(family, blocks, threads, 0, 0);
    }

    static KernelPlan ll128(int blocks, int threads, int ahead) {
        return new KernelPlan(Family.LL128, blocks, threads, ahead, 2 * ahead + 2);
    }

    static KernelPlan slots(Family family, int blocks, int threads, int slotBytes, int depth) {
        return new KernelPlan(family, blocks, threads, slotBytes / 16, depth);
    }

    static KernelPlan mesh(int blocks, int threads, int slotBytes) {
        return slots(Family.MESH, blocks, threads, slotBytes, ArenaLayout.MESH_DEPTH);
    }

    /** Bytes of a slot. */
    long slotBytes() {
        return extent * 16L;
    }

    /** The same with no more blocks than certainly run at the same time. */
    KernelPlan within(GpuClass weakest) {
        int most = atOnce(weakest);
        // Half of the blocks of an exchange send, half receive.
        int fitting = family == Family.EXCHANGE ? Math.max(2, most / 2 * 2) : most;
        return blocks <= fitting ? this : new KernelPlan(family, fitting, threads, extent, depth);
    }

    /** How many blocks certainly run at the same time: warps of LL128_TWOSHOT wait for other blocks', and it is compiled for one a multiprocessor. */
    private int atOnce(GpuClass weakest) {
        return family == Family.LL128_TWOSHOT
                ? weakest.multiprocessors()
                : weakest.blocks(threads + family.extraThreads());
    }

    private boolean usesSlots() {
        return family == Family.EXCHANGE || family == Family.RING || family == Family.MESH;
    }

    /** Whether devices can run it: whole warps, and all blocks at the same time. */
    boolean runs(GpuClass weakest) {
        return family != Family.TWOSHOT
                && threads > 0
                && threads % 32 == 0
                && threads <= family.mostThreads()
                && blocks >= (family == Family.EXCHANGE ? 2 : 1)
                && (family != Family.EXCHANGE || blocks % 2 == 0)
                && extent >= 0
                && depth >= 0
                && (!usesSlots() || (extent > 0 && depth >= 2))
                && (family != Family.LL128 || depth >= 2)
                && blocks <= atOnce(weakest);
    }

    @Override
    public String toString() {
        return family.label() + " " + blocks + " x " + threads + (extent == 0 ? "" : ", " + extent + "/" + depth);
    }
}
