package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.lane.LaneLayout;

/**
 * The first page of a pair's file, where both sides tell each other how far they are. Each word has one writer.
 *
 * <pre>
 * 0    ready: the file's maker has finished
 * 128  the lower rank's side: process, where its probe lies, what lies there, joined, verdict
 * 256  the higher rank's side
 * </pre>
 */
final class PairHeader {

    static final long BYTES = SharedFile.PAGE_BYTES;

    /** The verdict of a side that can read the other's memory. */
    static final long READABLE = 1;

    /** The verdict of a side that cannot. */
    static final long UNREADABLE = 2;

    private static final long READY = 0x4d4e43434c3031L;

    private static final int LOWER_SIDE = LaneLayout.LINE_BYTES;
    private static final int HIGHER_SIDE = 2 * LaneLayout.LINE_BYTES;

    private static final int PROBE_ADDRESS = 8;
    private static final int PROBE_VALUE = 16;
    private static final int JOINED = 24;
    private static final int VERDICT = 32;

    private final long address;
    private final long mine;
    private final long theirs;

    PairHeader(long address, boolean lower) {
        this.address = address;
        this.mine = address + (lower ? LOWER_SIDE : HIGHER_SIDE);
        this.theirs = address + (lower ? HIGHER_SIDE : LOWER_SIDE);
    }

    void readyRelease() {
        NativeMemory.putLongRelease(address, READY);
    }

    boolean readyAcquire() {
        return NativeMemory.getLongAcquire(address) == READY;
    }

    /** Says who this side is and where the peer may try to read its memory. */
    void joinRelease(long pid, long probeAddress) {
        NativeMemory.putLong(mine, pid);
        NativeMemory.putLong(mine + PROBE_ADDRESS, probeAddress);
        NativeMemory.putLong(mine + PROBE_VALUE, NativeMemory.getLong(probeAddress));
        NativeMemory.putLongRelease(mine + JOINED, 1);
    }

    /** Whether the peer's side is filled in. */
    boolean peerJoinedAcquire() {
        return NativeMemory.getLongAcquire(theirs + JOINED) == 1;
    }

    long peerPid() {
        return NativeMemory.getLong(theirs);
    }

    long peerProbeAddress() {
        return NativeMemory.getLong(theirs + PROBE_ADDRESS);
    }

    long peerProbeValue() {
        return NativeMemory.getLong(theirs + PROBE_VALUE);
    }

    void verdictRelease(long verdict) {
        NativeMemory.putLongRelease(mine + VERDICT, verdict);
    }

    /** The peer's verdict, 0 before it has one. */
    long peerVerdictAcquire() {
        return NativeMemory.getLongAcquire(theirs + VERDICT);
    }
}
