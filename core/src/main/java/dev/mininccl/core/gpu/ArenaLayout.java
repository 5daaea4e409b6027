package dev.mininccl.core.gpu;

/**
 * Where each kernel family's region lies in a rank's arena, the memory that its peers write to. All ranks compute the same.
 *
 * @param ranks the communicator's size
 * @param lines LL: 16-byte lines from each rank in a bank; a power of two
 * @param warps LL128: the most warps of a launch; 0 where it is not used
 * @param tiles LL128: the most slots a warp
 * @param exchangeBytes EXCHANGE: bytes of all slots; 0 where it is not used
 * @param ringBytes RING: bytes of all slots
 * @param partTiles LL128_TWOSHOT: the most tiles of a rank's part; 0 where it is not used
 * @param meshBytes MESH: bytes of all slots; 0 where it is not used
 */
record ArenaLayout(
        int ranks, int lines, int warps, int tiles, long exchangeBytes, long ringBytes, int partTiles, long meshBytes) {
    static final int MAX_CHANNELS = 128;
    static final int EXCHANGE_CHANNELS = 64;
    static final int RING_CHANNELS = 32;
    static final int PART_CHANNELS = 64;
    static final int MESH_CHANNELS = 128;
    /** MESH: slots for each sender and step. */
    static final int MESH_DEPTH = 3;

    private static final long COUNTER = 128;
    private static final long LINE = 16;
    private static final long TILE = 4096;
    private static final long HEADERS = 4096;
    private static final long BARRIERS = MAX_CHANNELS * KernelArguments.MAX_RANKS * 32L;
    /** Counters at the head of a region with slots. */
    static final long FLAG_BYTES = 2 * MAX_CHANNELS * COUNTER;

    /** Counters at the head of the region of all-gather and reduce-scatter. */
    private static final long PART_FLAG_BYTES = PART_CHANNELS * (2 + 2 * KernelArguments.MAX_RANKS) * COUNTER;

    private static final long MESH_ARRIVALS = 2 * MAX_CHANNELS * COUNTER;
    /** Data of an LL128 tile. */
    private static final long TILE_DATA = 3840;

    private static final long LL128_TILES = 1 << 20;

    /** The size of {@code Control}, one rank's private words. */
    static final long CONTROL_BYTES = (4 + 6 * MAX_CHANNELS) * COUNTER;

    /** Where in it the kernels of a ring see whether channels go different ways round. */
    static final long CONTROL_WAYS = CONTROL_BYTES - COUNTER;

    /** What fits a device of {@code memory} bytes, over peer memory. */
    static ArenaLayout peer(int ranks, long memory) {
        boolean large = memory > 32L << 30;
        if (ranks == 2) {
            return new ArenaLayout(2, 1 << 16, 128 * 8, large ? 6 : 4, large ? 64L << 20 : 16L << 20, 16L << 20, 0, 0);
        }
        int part = (int) ((large ? 4L << 20 : 1L << 20) / TILE_DATA / ranks + 1);
        return new ArenaLayout(ranks, 1 << 15, 0, 0, 0, 16L << 20, part, large ? 192L << 20 : 32L << 20);
    }

    /** Through shared host memory, of which a container may have 64 MiB for all ranks. */
    static ArenaLayout host(int ranks) {
        return ranks == 2
                ? new ArenaLayout(2, 1 << 15, 0, 0, 16L << 20, 4L << 20, 0, 0)
                : new ArenaLayout(ranks, 1 << 13, 0, 0, 0, 4L << 20, 0, 0);
    }

    long region(Family family) {
        return switch (family) {
            case TWOSHOT -> HEADERS;
            case LL, LL2, LL_TWOSHOT -> HEADERS + BARRIERS;
            case LL128 -> region(Family.LL) + 2 * bank(Family.LL);
            case EXCHANGE -> region(Family.LL128) + 2 * bank(Family.LL128);
            case LL128_TWOSHOT -> region(Family.EXCHANGE) + FLAG_BYTES + exchangeBytes;
            case MESH -> region(Family.LL128_TWOSHOT) + 2 * bank(Family.LL128_TWOSHOT);
            case RING -> region(Family.MESH) + MESH_ARRIVALS + meshBytes;
        };
    }

    /** Families with flags in the data: bytes of one of two banks; EXCHANGE, RING and MESH: bytes of a channel. */
    long bank(Family family) {
        return switch (family) {
            case LL, LL2, LL_TWOSHOT -> LINE * ranks * lines;
            case LL128 -> TILE * warps * tiles;
            case LL128_TWOSHOT -> 2 * TILE * ranks * partTiles;
            case EXCHANGE -> exchangeBytes / EXCHANGE_CHANNELS;
            case RING -> ringBytes / RING_CHANNELS;
            case MESH -> meshBytes / MESH_CHANNELS;
            case TWOSHOT -> 0;
        };
    }

    /** What kernels are told as {@code extent}. */
    int extent(KernelPlan plan) {
        return switch (plan.family()) {
            case LL, LL2, LL_TWOSHOT -> lines;
            case LL128_TWOSHOT -> partTiles;
            case LL128, EXCHANGE, RING, MESH, TWOSHOT -> plan.extent();
        };
    }

    /** Where the region of all-gather and reduce-scatter begins. */
    long partsRegion() {
        return region(Family.RING) + FLAG_BYTES + ringBytes + bank(Family.RING);
    }

    /** The bytes of a channel there, with an equal share for each sender. */
    long partsBank() {
        // Peer memory is larger than the host's.
        long bytes = ringBytes > 4 << 20 ? 2 * ringBytes : ringBytes;
        return bytes / PART_CHANNELS / (ranks - 1) / COUNTER * COUNTER * (ranks - 1);
    }

    /** The largest slot there. */
    long mostPartSlot() {
        return partsBank() / (ranks - 1) / PartShape.DEPTH / LINE * LINE;
    }

    /** The whole arena. */
    long bytes() {
        return partsRegion() + PART_FLAG_BYTES + PART_CHANNELS * partsBank();
    }

    /** The slots of the stepwise ring in an arena: one channel more than the fused kernel can use. */
    long stepwiseSlots(long arena) {
        return arena + region(Family.RING) + FLAG_BYTES + ringBytes;
    }

    /** The stepwise ring's counter of slots that came in. */
    long published(long arena) {
        return arena + region(Family.RING) + RING_CHANNELS * COUNTER;
    }

    /** The stepwise ring's counter of slots that the next rank has consumed. */
    long consumed(long arena) {
        return arena + region(Family.RING) + (MAX_CHANNELS + RING_CHANNELS) * COUNTER;
    }

    /** The most bytes of one operation, a multiple of any element. */
    long most(KernelPlan plan) {
        return switch (plan.family()) {
            case LL, LL2 -> lines * 8L;
            case LL_TWOSHOT -> (long) ranks * (lines / 2) * 8L;
            case LL128_TWOSHOT -> (long) ranks * partTiles * TILE_DATA;
            // A flag has so many bits for a warp's tiles.
            case LL128 -> plan.blocks() * (plan.threads() / 32L) * LL128_TILES * TILE_DATA;
            case EXCHANGE, RING, MESH, TWOSHOT -> Long.MAX_VALUE & -8L;
        };
    }

    /** Whether this arena has room for a plan. */
    boolean holds(KernelPlan plan, long bytes) {
        return switch (plan.family()) {
            case TWOSHOT -> plan.blocks() <= MAX_CHANNELS;
            case LL, LL_TWOSHOT, LL128_TWOSHOT -> bytes <= most(plan);
            case LL2 -> ranks == 2 && bytes <= most(plan);
            case LL128 -> plan.blocks() * plan.threads() / 32 <= warps && plan.depth() <= tiles;
            case EXCHANGE -> plan.blocks() / 2 <= EXCHANGE_CHANNELS && fits(plan);
            case RING -> plan.blocks() <= RING_CHANNELS && fits(plan);
            case MESH ->
                plan.blocks() <= MESH_CHANNELS
                        && plan.depth() == MESH_DEPTH
                        && plan.extent() % 8 == 0
                        && plan.slotBytes() <= meshSlot();
        };
    }

    /** The most bytes of a slot of MESH: a channel has some for each sender and both steps. */
    long meshSlot() {
        return bank(Family.MESH) / (2L * ranks * MESH_DEPTH) & -128L;
    }

    private boolean fits(KernelPlan plan) {
        return plan.depth() * plan.slotBytes() <= bank(plan.family());
    }
}
