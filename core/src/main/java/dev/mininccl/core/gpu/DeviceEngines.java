package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.topology.Hosts;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Picks the engine for the GPUs of a communicator: kernels that reach each other's memory where all ranks have a GPU on one machine and
 * a lane links them, the host engine otherwise. All ranks come to the same decision.
 */
public final class DeviceEngines {
    private static final Logger LOG = System.getLogger("mininccl.gpu");
    private static final String PRESENT = "+";
    private static final String NONE = "-";

    /** Transports under which GPUs of one machine still find their own way. */
    private static final List<String> LEAVE_LANES = List.of("auto", "local", "p2p", "shm");

    private final Bootstrap bootstrap;
    private final Hosts hosts;
    private final String transports;
    private final Deadline deadline;

    /**
     * For one communicator.
     *
     * @param bootstrap the control plane
     * @param hosts where the ranks run
     * @param transports the setting TRANSPORT, the same on all ranks
     * @param deadline of hearing from all ranks
     */
    public DeviceEngines(Bootstrap bootstrap, Hosts hosts, String transports, Deadline deadline) {
        this.bootstrap = bootstrap;
        this.hosts = hosts;
        this.transports = transports.toLowerCase(Locale.ROOT);
        this.deadline = deadline;
    }

    /**
     * Brings a GPU in; all ranks call this or {@link #decline}.
     *
     * @param ordinal the device
     * @param options how, where kernels reach each other
     * @param host what serves the GPU otherwise
     * @param broken hears why the engine broke if it was the engine that noticed
     * @return the engine, to be closed
     * @throws CommunicatorException if a rank has no such device, or the lane asked for does not work
     */
    public DeviceEngine open(int ordinal, GpuOptions options, HostService host, Consumer<AbortReason> broken) {
        if (bootstrap.size() < 2) {
            throw new InvalidCallException("ranks 1: a GPU needs a communicator of at least 2");
        }
        String absent = absent(ordinal);
        String obstacle = obstacle(absent.isEmpty() ? PRESENT : absent);
        CudaContext context = KernelStore.of(new CudaDevice(ordinal)).context();
        if (obstacle.isEmpty()) {
            return GpuEngine.open(bootstrap, ordinal, options, broken, why -> {
                if (options.lane() != null) {
                    throw failed(why);
                }
                LOG.log(Level.WARNING, "gpu: falling back to pinned memory and the host engine: {0}", why);
                return staged(context, options, host, broken, why);
            });
        }
        context.enter();
        try {
            return staged(context, options, host, broken, obstacle);
        } finally {
            context.leave();
        }
    }

    /** Says that this rank has no GPU to bring in. */
    public void decline() {
        String obstacle = obstacle(NONE);
        String failures = new Voting(bootstrap, deadline).failures(() -> {});
        if (!failures.isEmpty()) {
            throw failed(failures + " (since " + obstacle + ")");
        }
    }

    /**
     * No rank goes on before all have what they need: allocating waits for kernels of the same process, and these for ranks that still
     * allocate.
     */
    private DeviceEngine staged(
            CudaContext context, GpuOptions options, HostService host, Consumer<AbortReason> broken, String why) {
        StagedEngine[] engine = new StagedEngine[1];
        String failures = new Voting(bootstrap, deadline)
                .failures(() -> engine[0] =
                        new StagedEngine(context, rank(), bootstrap.size(), host, options.stepwise(), broken, why));
        if (failures.isEmpty()) {
            return engine[0];
        }
        if (engine[0] != null) {
            engine[0].close();
        }
        throw failed(failures);
    }

    private int rank() {
        return bootstrap.rank();
    }

    /** Why there is no such device, or nothing. */
    static String absent(int ordinal) {
        Optional<String> why = CudaDriver.start();
        return why.orElseGet(() -> ordinal >= 0 && ordinal < CudaDriver.deviceCount()
                ? ""
                : "device " + ordinal + ": must be 0 to " + (CudaDriver.deviceCount() - 1));
    }

    /** Why the ranks' kernels cannot reach each other's memory, or nothing if they may. */
    private String obstacle(String mine) {
        List<String> votes = bootstrap.allGather(mine.getBytes(StandardCharsets.UTF_8), deadline).stream()
                .map(vote -> new String(vote, StandardCharsets.UTF_8))
                .toList();
        String obstacle = "";
        for (int peer = 0; peer < votes.size(); peer++) {
            String vote = votes.get(peer);
            if (!vote.equals(PRESENT) && !vote.equals(NONE)) {
                throw failed("rank " + peer + ": " + vote);
            }
            if (obstacle.isEmpty() && vote.equals(NONE)) {
                obstacle = "rank " + peer + " has no GPU";
            }
            if (obstacle.isEmpty()
                    && !hosts.all().get(peer).sameMachine(hosts.all().get(0))) {
                obstacle = hosts.place(peer) + " is on another machine than rank 0";
            }
        }
        if (obstacle.isEmpty() && Arrays.stream(transports.split("\\s*,\\s*")).noneMatch(LEAVE_LANES::contains)) {
            obstacle = "MINI_NCCL_TRANSPORT=" + transports + " leaves GPUs no way of their own";
        }
        if (obstacle.isEmpty() && votes.size() > KernelArguments.MAX_RANKS) {
            obstacle =
                    votes.size() + " ranks are more than the " + KernelArguments.MAX_RANKS + " that a kernel reaches";
        }
        if (!obstacle.isEmpty() && transports.equals("p2p")) {
            throw failed("MINI_NCCL_TRANSPORT=p2p allows peer memory alone, but " + obstacle);
        }
        return obstacle;
    }

    private CommunicatorException failed(String why) {
        return new CommunicatorException(ResultCode.UNHANDLED_CUDA_ERROR, rank(), -1, "gpu: " + why, null);
    }
}
