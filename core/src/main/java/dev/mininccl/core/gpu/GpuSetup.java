package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.Bootstrap;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Brings the ranks of one machine together: peer memory if every pair proves it, shared host memory otherwise. All ranks take the
 * same steps in the same order and come to the same decision. The context must be current.
 */
final class GpuSetup {
    private static final Logger LOG = System.getLogger("mininccl.gpu");
    private static final String QUEUES = "CUDA_DEVICE_MAX_CONNECTIONS";
    /** Each has two streams, its caller's and that of blocking calls, and there are eight queues. */
    private static final int SHARING_UNWARNED = 4;

    private final Bootstrap bootstrap;
    private final Voting voting;
    private final CudaContext context;
    private final long control;
    private final StopWords words;
    private final StringBuilder story = new StringBuilder();
    /** All ranks' devices, by what tells them apart. */
    private final Set<String> devices = new HashSet<>();

    private boolean nvlink;
    private boolean sharedDevice;
    private GpuClass weakest;

    GpuSetup(Bootstrap bootstrap, CudaContext context, Voting voting) {
        this.bootstrap = bootstrap;
        this.context = context;
        this.voting = voting;
        words = new StopWords();
        control = CudaMemory.allocate(ArenaLayout.CONTROL_BYTES);
        CudaMemory.fill(control, (byte) 0, ArenaLayout.CONTROL_BYTES);
        CudaStream.synchronize(0);
    }

    /**
     * That of a device.
     *
     * @throws CommunicatorException if there is none
     */
    static CudaContext context(Bootstrap bootstrap, int ordinal) {
        String absent = DeviceEngines.absent(ordinal);
        if (!absent.isEmpty()) {
            throw new CommunicatorException(
                    ResultCode.UNHANDLED_CUDA_ERROR, bootstrap.rank(), -1, "gpu: " + absent, null);
        }
        if (bootstrap.size() < 2 || bootstrap.size() > KernelArguments.MAX_RANKS) {
            throw new InvalidCallException("ranks on the GPUs of one machine " + bootstrap.size() + ": must be 2 to "
                    + KernelArguments.MAX_RANKS);
        }
        return KernelStore.of(new CudaDevice(ordinal)).context();
    }

    /** What happened so far. */
    String story() {
        return story.toString();
    }

    /**
     * Connects by the only lane that is wanted, or where {@code wanted} is null by the best that works.
     *
     * @return nothing if no lane links all ranks: {@link #story} says why; nothing is left of the attempt
     */
    Optional<GpuLink> connect(GpuLane wanted) {
        meet();
        GpuLink link = null;
        if (wanted != GpuLane.HOST) {
            link = connectPeer(ArenaLayout.peer(bootstrap.size(), smallestMemory()));
        }
        if (link == null && wanted == GpuLane.PEER) {
            story.insert(0, "peer memory was asked for and does not work: ");
        }
        if (link == null && wanted != GpuLane.PEER) {
            if (wanted == null) {
                LOG.log(Level.WARNING, "gpu: falling back to shared host memory: {0}", story);
            }
            link = connectHost(ArenaLayout.host(bootstrap.size()));
        }
        if (link == null) {
            CudaMemory.free(control);
            words.close();
        }
        return Optional.ofNullable(link);
    }

    private GpuLink link(Arenas arenas, ArenaLayout layout, GpuLane lane) {
        return new GpuLink(arenas, layout, control, words, lane, nvlink, weakest, sharedDevice, story.toString());
    }

    /** Learns which ranks share a device, and what all devices can do. */
    private void meet() {
        weakest = voting.gather(GpuClass.of(context.device()).encoded()).stream()
                .map(GpuClass::decoded)
                .reduce(GpuClass::weaker)
                .orElseThrow();
        List<byte[]> cards = voting.gather(context.device().uuid().getBytes(StandardCharsets.US_ASCII));
        cards.forEach(card -> devices.add(new String(card, StandardCharsets.US_ASCII)));
        sharedDevice = devices.size() < cards.size();
        warnOfQueues(cards.size() - devices.size() + 1);
    }

    /**
     * Streams of a process are spread over so many queues of the device (CUDA programming guide, {@code CUDA_DEVICE_MAX_CONNECTIONS}); of two
     * in one queue, a kernel waits for what was enqueued before it, though that waits for the kernel.
     */
    private void warnOfQueues(int mostSharing) {
        if (bootstrap.rank() == 0 && mostSharing > SHARING_UNWARNED && System.getenv(QUEUES) == null) {
            LOG.log(
                    Level.WARNING,
                    "gpu: up to {0} ranks share a GPU: where they are threads of one process, set {1}=32 before it starts, or"
                            + " their streams wait for each other in the driver''s 8 queues",
                    mostSharing,
                    QUEUES);
        }
    }

    private long smallestMemory() {
        byte[] mine =
                ByteBuffer.allocate(8).putLong(context.device().totalMemory()).array();
        return voting.gather(mine).stream()
                .mapToLong(card -> ByteBuffer.wrap(card).getLong())
                .min()
                .orElseThrow();
    }

    private GpuLink connectPeer(ArenaLayout layout) {
        PeerMapping.Mapped mapped = new PeerMapping(bootstrap, context, voting).map(layout.bytes());
        String failure = mapped.failure();
        if (failure.isEmpty()) {
            failure = prove(mapped.arenas(), layout);
            if (failure.isEmpty()) {
                return link(mapped.arenas(), layout, GpuLane.PEER);
            }
            mapped.arenas().close();
        }
        story.append("no peer memory: ").append(failure).append(". ");
        forget();
        return null;
    }

    /** What a proof that failed has left behind. */
    private void forget() {
        words.clear();
        CudaMemory.fill(control, (byte) 0, ArenaLayout.CONTROL_BYTES);
    }

    private String prove(Arenas arenas, ArenaLayout layout) {
        Proof proof = new Proof(context, bootstrap.rank(), arenas.deviceAddresses(), control, words, layout);
        String failure = voting.failures(proof::stores);
        if (!failure.isEmpty()) {
            return failure
                    + " (peer access is claimed but does not work: often an IOMMU, or PCIe ACS in a virtual machine)";
        }
        story.append("peer memory, proven by stores and flags both ways. ");
        boolean linked = linksAreNvlink();
        if (!sharedDevice) {
            String lines = linked ? voting.failures(proof::lines) : "not NVLink";
            nvlink = lines.isEmpty();
            story.append(nvlink ? "128-byte lines, proven whole. " : "No 128-byte lines: " + lines + ". ");
            if (!nvlink) {
                forget();
            }
        }
        // All ranks have come to the same verdict: channels of a ring may go different ways round.
        CudaMemory.fill(control + ArenaLayout.CONTROL_WAYS, (byte) (linked ? 1 : 0), 1);
        CudaStream.synchronize(0);
        return "";
    }

    /** Atomic operations between two devices work over NVLink and not over PCIe. All ranks must say so of all their peers. */
    private boolean linksAreNvlink() {
        CudaDevice device = context.device();
        long reached = IntStream.range(0, CudaDriver.deviceCount())
                .mapToObj(CudaDevice::new)
                .filter(peer -> !peer.equals(device) && devices.contains(peer.uuid()) && device.atomicsReach(peer))
                .count();
        boolean mine = reached == devices.size() - 1;
        return voting.gather(new byte[] {(byte) (mine ? 1 : 0)}).stream().allMatch(vote -> vote[0] == 1);
    }

    private GpuLink connectHost(ArenaLayout layout) {
        HostArenas[] arenas = new HostArenas[1];
        String failure = map(arenas, layout.bytes());
        if (failure.isEmpty()) {
            arenas[0].settled();
            story.append("shared host memory, registered with CUDA. ");
            return link(arenas[0], layout, GpuLane.HOST);
        }
        if (arenas[0] != null) {
            arenas[0].close();
        }
        story.append("no shared host memory: ").append(failure).append(". ");
        return null;
    }

    private String map(HostArenas[] arenas, long bytes) {
        int rank = bootstrap.rank();
        String failure = voting.failures(() -> arenas[0] = HostArenas.create(rank, bootstrap.size(), bytes));
        if (!failure.isEmpty()) {
            return failure;
        }
        List<byte[]> cards = voting.gather(arenas[0].card());
        return voting.failures(() -> {
            for (int peer = 0; peer < cards.size(); peer++) {
                if (peer != rank) {
                    arenas[0].map(peer, cards.get(peer));
                }
            }
        });
    }
}
