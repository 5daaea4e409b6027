package dev.mininccl.transport.verbs;

import java.util.BitSet;

/**
 * Which way the channels of a pair take whose own ports do not reach each other: that of one that works, in turn. Both ends
 * come to the same from the same set.
 *
 * @param channels how many there are
 * @param working those that both ends have proven, at least one
 */
record Detours(int channels, BitSet working) {

    /** The channels that move, in order. */
    int[] moved() {
        BitSet moved = new BitSet(channels);
        moved.set(0, channels);
        moved.andNot(working);
        return moved.stream().toArray();
    }

    /** The channel whose ports another one takes: its own where they work. */
    int via(int channel) {
        if (working.get(channel)) {
            return channel;
        }
        int before = channel - working.get(0, channel).cardinality();
        int skip = before % working.cardinality();
        return working.stream().skip(skip).findFirst().orElseThrow();
    }
}
