package dev.mininccl.transport.verbs;

/**
 * Where the parts of one end of a link lie in its registered memory. Both ends have the same layout, so that one base
 * address tells a peer everything. The peer writes the credit, the ping, the receive lines and the receive slots; the
 * rest is what this rank sends from.
 *
 * <pre>
 * 0         128    256       384
 * | credit | ping | scratch | receive lines | send lines | receive slots | send slots |
 * </pre>
 *
 * @param depth slots each way
 * @param slotBytes payload of a slot, a multiple of 128
 */
record SlabLayout(int depth, int slotBytes) {

    private static final int UNIT = 128;
    private static final int PAGE = 4096;

    /** The peer's counter of consumed slices, then a word that is not 0 once it has said goodbye. */
    static final int CREDIT = 0;

    static final int CREDIT_BYTES = 16;
    static final int GOODBYE = 8;

    static final int PING = UNIT;
    static final int PING_BYTES = 64;

    /** What credits and pings are sent from. */
    static final int SCRATCH = 2 * UNIT;

    private static final int LINES = 3 * UNIT;

    static SlabLayout holding(int depth, long payloadBytes) {
        return new SlabLayout(depth, Math.toIntExact((payloadBytes + UNIT - 1) / UNIT * UNIT));
    }

    long receiveLines() {
        return LINES;
    }

    long sendLines() {
        return LINES + (long) depth * WordLine.BYTES;
    }

    /** On a page: a device that works through pages would otherwise have two for each packet. */
    long receiveSlots() {
        return (LINES + 2L * depth * WordLine.BYTES + PAGE - 1) / PAGE * PAGE;
    }

    long sendSlots() {
        return receiveSlots() + (long) depth * slotBytes;
    }

    long bytes() {
        return sendSlots() + (long) depth * slotBytes;
    }
}
