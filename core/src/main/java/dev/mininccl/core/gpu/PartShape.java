package dev.mininccl.core.gpu;

/**
 * How one all-gather or reduce-scatter is done.
 *
 * @param lines whether parts go as lines with a flag; otherwise through slots
 * @param blocks the grid; of slots, twice the number of channels
 * @param threads data-moving threads a block, a multiple of 32
 * @param slotBytes of slots: the size of one, a multiple of 16; otherwise 0
 */
public record PartShape(boolean lines, int blocks, int threads, int slotBytes) {

    /** Slots a channel and sender. */
    static final int DEPTH = 4;

    private static final int K = 1024;
    private static final int M = 1024 * K;
    private static final int MOST_BLOCKS = 128;

    /** Parts up to so many bytes go as lines, all peers' together; measured on two H200s. */
    private static final int PAIR_LINES_TO = 512 * K;

    /** Not measured beyond two GPUs. */
    private static final int LINES_TO = 256 * K;

    private static final int CHANNEL_BYTES = 16 * K;
    private static final int LEAST_SLOT = 32 * K;
    private static final int WIDE_FROM = 16 * M;

    /** The shipped choice; {@code blocks} of 512 threads and more run at the same time on every device. */
    static PartShape shipped(ArenaLayout layout, int blocks, long partBytes) {
        int peers = layout.ranks() - 1;
        if (partBytes * peers <= (peers == 1 ? PAIR_LINES_TO : LINES_TO) && partBytes <= layout.lines() * 8L) {
            // A word a thread and peer, as long as there are threads.
            long words = (partBytes + 7) / 8 * peers;
            int threads = words <= 64 ? 64 : words <= 128 ? 128 : words <= 16 * K ? 256 : 512;
            int most = Math.min(MOST_BLOCKS, blocks);
            return new PartShape(true, Math.clamp((words + threads - 1) / threads, 1, most), threads, 0);
        }
        int channels = Math.clamp(partBytes / CHANNEL_BYTES, 1, Math.clamp(blocks / 2, 1, ArenaLayout.PART_CHANNELS));
        // Few slots: each is a round trip.
        long wanted = Math.max(partBytes / channels / 2 & -K, LEAST_SLOT);
        long slot = Math.min(wanted, layout.mostPartSlot());
        return new PartShape(false, 2 * channels, partBytes < WIDE_FROM ? 256 : 512, (int) slot);
    }
}
