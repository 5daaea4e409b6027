package dev.mininccl.transport.ipc;

import dev.mininccl.core.lane.CrossMemory;
import dev.mininccl.core.lane.LaneLayout;
import dev.mininccl.core.lane.PeerMemory;
import dev.mininccl.core.lane.SlotLink;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * This rank's end of the file that it shares with one peer: a header, all channels' lanes from the lower rank to the
 * higher, then all lanes back. The lower rank makes the file. Both ends meet by small steps, so that one thread can meet
 * many peers at once.
 */
final class ShmPair implements AutoCloseable {

    private enum Step {
        OPEN,
        JOIN,
        VERDICT,
        MET
    }

    private final ShmAddress self;
    private final ShmAddress other;
    private final int peer;
    private final boolean lower;
    private final CrossProbe probe;
    private final Path path;
    private final long bytes;
    private final long allBytes;

    private Step step = Step.OPEN;
    private SharedFile file;
    private PairHeader header;
    /** Why this rank cannot read the peer's memory, {@code null} if it can. */
    private String unreadable;

    private boolean readsHere;

    ShmPair(
            TransportContext context,
            SharedFolder folder,
            ShmAddress self,
            ShmAddress other,
            int peer,
            CrossProbe probe) {
        this.self = self;
        this.other = other;
        this.peer = peer;
        this.lower = context.rank() < peer;
        this.probe = probe;
        ShmAddress maker = lower ? self : other;
        this.path = folder.file(maker.process(), ShmAddress.pairSecret(maker, lower ? other : self));
        this.bytes = SharedFile.pages(
                PairHeader.BYTES + 2L * self.channels() * self.layout().bytes());
        this.allBytes = bytes * context.size() * (context.size() - 1) / 2;
    }

    /**
     * Takes as many steps as can be taken without waiting.
     *
     * @return true once both ends have met
     * @throws TransportUnavailableException if they never will
     */
    boolean advance() throws TransportUnavailableException {
        if (step == Step.OPEN && opened()) {
            step = Step.JOIN;
        }
        if (step == Step.JOIN && joined()) {
            step = Step.VERDICT;
        }
        if (step == Step.VERDICT && header.peerVerdictAcquire() != 0) {
            readsHere = header.peerVerdictAcquire() == PairHeader.READABLE;
            step = Step.MET;
        }
        return step == Step.MET;
    }

    private boolean opened() throws TransportUnavailableException {
        if (file == null) {
            file = lower ? make() : SharedFile.open(path, bytes);
        }
        if (file == null) {
            return false;
        }
        header = new PairHeader(file.address(), lower);
        if (lower) {
            header.readyRelease();
        } else if (!header.readyAcquire()) {
            return false;
        }
        header.joinRelease(self.process().pid(), probe.address());
        return true;
    }

    private SharedFile make() throws TransportUnavailableException {
        try {
            return SharedFile.create(path, bytes, allBytes);
        } catch (TransportUnavailableException e) {
            SharedFile.refuse(path);
            throw e;
        }
    }

    private boolean joined() throws TransportUnavailableException {
        if (!header.peerJoinedAcquire()) {
            if (lower && !file.present()) {
                throw new TransportUnavailableException(
                        "rank " + peer + " could not map the shared file; its own message tells why");
            }
            return false;
        }
        unreadable = probe.whyNot(self.process(), other.process(), header);
        header.verdictRelease(unreadable == null ? PairHeader.READABLE : PairHeader.UNREADABLE);
        return true;
    }

    /** What the next step waits for. */
    String waitsFor() {
        return switch (step) {
            case OPEN -> "rank " + peer + " has not made " + path;
            case JOIN -> "rank " + peer + " has not mapped " + path;
            case VERDICT, MET -> "rank " + peer + " has not answered in " + path;
        };
    }

    /** The link of a channel; its scratch memory comes from the arena. */
    Link link(int channel, Arena arena) {
        LaneLayout layout = self.layout();
        long upward = file.address() + PairHeader.BYTES + channel * layout.bytes();
        long downward = upward + self.channels() * layout.bytes();
        return new SlotLink(
                layout,
                lower ? upward : downward,
                lower ? downward : upward,
                readsHere ? CrossMemory.SLICE_BYTES : 0,
                peerMemory(arena),
                path.getParent() + ", " + layout.depth() + " slots of " + layout.slotBytes() + " B, " + singleCopy());
    }

    private PeerMemory peerMemory(Arena arena) {
        return unreadable == null ? new CrossMemory(peer, header.peerPid(), arena) : PeerMemory.NONE;
    }

    private String singleCopy() {
        if (unreadable != null) {
            return "no single-copy reads: " + unreadable;
        }
        return "single-copy reads (process_vm_readv) proven" + (readsHere ? "" : ", but the peer cannot read here");
    }

    /** The pair's file, or the sign that there is none, needs its name no longer. */
    void settled() {
        SharedFile.unlink(path);
    }

    /** This pair will not meet. A sign of refusal stays until {@link #settled()}, for the peer to see. */
    void giveUp() {
        if (!lower || file != null) {
            close();
        }
    }

    /** Takes the name away too, so that a peer which still waits at the file learns that nobody will come. */
    @Override
    public void close() {
        settled();
        if (file != null) {
            file.close();
        }
    }
}
