package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.Bootstrap;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Brings the ranks of one machine together: peer memory if every pair proves it, shared host memory otherwise. All ranks take the
 * same steps in the same order and come to the same decision. The context must be current.
 */
final class GpuSetup {
    private static final Logger LOG = System.getLogger(GpuSetup.class.getName());

    private final Bootstrap bootstrap;
    private final Voting voting;
    private final CudaContext context;
    private final long control;
    private final StopWords words;
    private final StringBuilder story = new StringBuilder();
    private boolean nvlink;
    private boolean sharedDevice;

    GpuSetup(Bootstrap bootstrap, CudaContext context, long control, StopWords words, Voting voting) {
        this.bootstrap = bootstrap;
        this.context = context;
        this.control = control;
        this.words = words;
        this.voting = voting;
    }

    /** What set-up came to. */
    record Outcome(
            Arenas arenas, ArenaLayout layout, GpuLane lane, boolean nvlink, boolean sharedDevice, String story) {}

    /** Connects by the preferred lane, or where {@code wanted} is null by the best that works. */
    Outcome connect(GpuLane wanted) {
        meet();
        if (wanted != GpuLane.HOST) {
            ArenaLayout layout = ArenaLayout.peer(bootstrap.size(), smallestMemory());
            PeerArenas arenas = connectPeer(layout);
            if (arenas != null) {
                return new Outcome(arenas, layout, GpuLane.PEER, nvlink, sharedDevice, story.toString());
            }
            if (wanted == GpuLane.PEER) {
                throw failed("peer memory was asked for and does not work: " + story);
            }
            LOG.log(Level.WARNING, "gpu: falling back to shared host memory: {0}", story);
        }
        ArenaLayout layout = ArenaLayout.host(bootstrap.size());
        return new Outcome(connectHost(layout), layout, GpuLane.HOST, false, sharedDevice, story.toString());
    }

    /** Learns which ranks share a device. */
    private void meet() {
        List<byte[]> devices = voting.gather(context.device().uuid().getBytes(StandardCharsets.US_ASCII));
        Set<String> distinct = new HashSet<>();
        devices.forEach(device -> distinct.add(new String(device, StandardCharsets.US_ASCII)));
        sharedDevice = distinct.size() < devices.size();
    }

    private long smallestMemory() {
        byte[] mine =
                ByteBuffer.allocate(8).putLong(context.device().totalMemory()).array();
        return voting.gather(mine).stream()
                .mapToLong(card -> ByteBuffer.wrap(card).getLong())
                .min()
                .orElseThrow();
    }

    private PeerArenas connectPeer(ArenaLayout layout) {
        PeerArenas[] arenas = new PeerArenas[1];
        String failure = map(arenas, layout.bytes());
        if (failure.isEmpty()) {
            failure = prove(arenas[0], layout);
        }
        if (failure.isEmpty()) {
            return arenas[0];
        }
        story.append("no peer memory: ").append(failure).append(". ");
        if (arenas[0] != null) {
            arenas[0].close();
        }
        words.clear();
        CudaMemory.fill(control, (byte) 0, ArenaLayout.CONTROL_BYTES);
        return null;
    }

    /** Allocates on all ranks and maps everywhere; returns who failed and why, or nothing. */
    private String map(PeerArenas[] arenas, long bytes) {
        byte[][] card = {new byte[0]};
        int rank = bootstrap.rank();
        String failure = voting.failures(() -> {
            arenas[0] = PeerArenas.allocate(context, rank, bootstrap.size(), bytes);
            card[0] = arenas[0].card();
        });
        if (!failure.isEmpty()) {
            return failure;
        }
        List<byte[]> cards = voting.gather(card[0]);
        return voting.failures(() -> {
            for (int peer = 0; peer < cards.size(); peer++) {
                if (peer != rank) {
                    arenas[0].map(peer, cards.get(peer));
                }
            }
        });
    }

    /** Memory of all ranks, mapped by all, for ranks that have proven peer memory. */
    PeerArenas mapped(long bytes, GpuLane lane) {
        if (lane != GpuLane.PEER) {
            throw failed("symmetric memory needs peer memory, and the lane is " + lane);
        }
        PeerArenas[] arenas = new PeerArenas[1];
        String failure = map(arenas, bytes);
        if (failure.isEmpty()) {
            return arenas[0];
        }
        if (arenas[0] != null) {
            arenas[0].close();
        }
        throw failed("no symmetric memory of " + bytes + " bytes: " + failure);
    }

    private String prove(Arenas arenas, ArenaLayout layout) {
        Proof proof = new Proof(context, bootstrap.rank(), arenas.deviceAddresses(), control, words, layout);
        String failure = voting.failures(proof::stores);
        if (!failure.isEmpty()) {
            return failure
                    + " (peer access is claimed but does not work: often an IOMMU, or PCIe ACS in a virtual machine)";
        }
        story.append("peer memory, proven by stores and flags both ways. ");
        if (bootstrap.size() == 2 && !sharedDevice) {
            String lines = linksAreNvlink() ? voting.failures(proof::lines) : "not NVLink";
            nvlink = lines.isEmpty();
            story.append(nvlink ? "128-byte lines, proven whole. " : "No 128-byte lines: " + lines + ". ");
            if (!nvlink) {
                words.clear();
                CudaMemory.fill(control, (byte) 0, ArenaLayout.CONTROL_BYTES);
            }
        }
        return "";
    }

    /** Atomic operations between two devices work over NVLink and not over PCIe. Both ranks must say so. */
    private boolean linksAreNvlink() {
        CudaDevice device = context.device();
        boolean mine = IntStream.range(0, CudaDriver.deviceCount())
                .mapToObj(CudaDevice::new)
                .anyMatch(peer -> !peer.equals(device) && device.atomicsReach(peer));
        return voting.gather(new byte[] {(byte) (mine ? 1 : 0)}).stream().allMatch(vote -> vote[0] == 1);
    }

    private HostArenas connectHost(ArenaLayout layout) {
        HostArenas[] arenas = new HostArenas[1];
        int rank = bootstrap.rank();
        String failure = voting.failures(() -> arenas[0] = HostArenas.create(rank, bootstrap.size(), layout.bytes()));
        if (failure.isEmpty()) {
            List<byte[]> cards = voting.gather(arenas[0].card());
            failure = voting.failures(() -> {
                for (int peer = 0; peer < cards.size(); peer++) {
                    if (peer != rank) {
                        arenas[0].map(peer, cards.get(peer));
                    }
                }
            });
        }
        if (failure.isEmpty()) {
            arenas[0].settled();
            story.append("shared host memory, registered with CUDA. ");
            return arenas[0];
        }
        if (arenas[0] != null) {
            arenas[0].close();
        }
        throw failed("no shared host memory: " + failure);
    }

    private CommunicatorException failed(String message) {
        return new CommunicatorException(ResultCode.SYSTEM_ERROR, bootstrap.rank(), -1, "gpu: " + message, null);
    }
}
