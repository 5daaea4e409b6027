package dev.mininccl.core;

import dev.mininccl.core.host.Calibration;
import dev.mininccl.core.host.Failures;
import dev.mininccl.core.host.HostEngine;
import dev.mininccl.core.host.Waiter;
import dev.mininccl.core.host.WindowTable;
import dev.mininccl.core.host.reduce.KernelWarmup;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.settings.SettingsTable;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.topology.Hosts;
import dev.mininccl.core.topology.Mesh;
import dev.mininccl.core.topology.MeshBuilder;
import dev.mininccl.core.tuning.LaneTraits;
import dev.mininccl.core.tuning.Tuner;
import dev.mininccl.core.tuning.TuningFile;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** All parts of one rank's communicator, brought up in step with the other ranks and closed in reverse order. */
final class Session implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("mininccl");
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    final Bootstrap bootstrap;
    final Settings settings;
    final OperationLog log = new OperationLog();
    final AbortFlag flag;
    final Failures failures;
    /** Random, the same on all ranks: part of every fingerprint. */
    final long id;

    /** What a file says about which way is the fastest. */
    final TuningFile tuning;

    final HostEngine engine;
    final Announcements announcements;
    final Hosts hosts;

    /** What set-up measured, for {@link #explanation()}. */
    private String calibration = "";

    private final List<DeviceCommunicator> devices = new CopyOnWriteArrayList<>();
    private final Mesh mesh;
    private final WindowMemory windows;

    /** Takes over the bootstrap, also on failure. */
    Session(Bootstrap bootstrap, Settings settings) {
        this.bootstrap = bootstrap;
        this.settings = settings;
        Deadline deadline = Deadline.after(settings.duration(Setting.CONNECT_TIMEOUT));
        Arena arena = Arena.ofAuto();
        flag = new AbortFlag(arena);
        failures = new Failures(bootstrap, flag, log::describe, settings.duration(Setting.TIMEOUT));
        Mesh built = null;
        HostEngine started = null;
        try {
            bootstrap.listen(failures);
            tuning = TuningFile.of(settings);
            Level told = told(settings);
            LOG.log(told, () -> SettingsTable.inForce(settings));
            // Before ranks spin and leave the compiler no core.
            KernelWarmup.warm(DataType.FLOAT32, ReduceOp.SUM, settings, WARM_UP);
            id = agreeOnId(deadline);
            hosts = Hosts.gather(bootstrap, deadline);
            int rank = bootstrap.rank();
            TransportContext context =
                    new TransportContext(rank, bootstrap.size(), hosts.channels(settings), settings, flag);
            built = new MeshBuilder(bootstrap, context, hosts, deadline).build();
            mesh = built;
            LOG.log(told, mesh::explanation);
            boolean crowded = hosts.crowded(settings);
            WindowTable table = new WindowTable();
            windows = new WindowMemory(bootstrap, mesh.windows(), table);
            LaneTraits traits = calibrated(hosts.roomForAll(), deadline);
            started = new HostEngine(
                    rank,
                    mesh.links(),
                    mesh::near,
                    new Tuner(traits, settings, tuning),
                    table,
                    () -> new Waiter(flag, failures, crowded),
                    failures,
                    settings,
                    arena);
            engine = started;
            announcements = new Announcements(mesh::announce, mesh::withdraw);
            bootstrap.barrier(deadline);
        } catch (RuntimeException | Error e) {
            // The others learn why; has the job failed as a whole, that came first.
            bootstrap.abort(new AbortReason(
                    AbortReason.Kind.CLOSED,
                    bootstrap.rank(),
                    -1,
                    "rank " + bootstrap.rank() + " could not join: "
                            + (e instanceof NcclException ? e.getMessage() : e)));
            if (started != null) {
                started.close();
            }
            if (built != null) {
                built.close();
            }
            bootstrap.close();
            throw e;
        }
    }

    /** Set-up is told where it was asked for. */
    private static Level told(Settings settings) {
        String debug = settings.text(Setting.DEBUG);
        return debug.equals("INFO") || debug.equals("TRACE") ? Level.INFO : Level.DEBUG;
    }

    /** The lanes' traits, without references where slots are the faster way. */
    private LaneTraits calibrated(boolean roomForAll, Deadline deadline) {
        LaneTraits traits = mesh.traits();
        if (traits.referenceBytes() == 0) {
            return traits;
        }
        if (!roomForAll) {
            // A rank that waits for a core measures the scheduler.
            return traits.withoutReferences();
        }
        Calibration.Result result = Calibration.run(
                bootstrap, mesh.links()[0], traits, new Waiter(flag, failures, false), failures, settings, deadline);
        calibration = result.words();
        return result.references() ? traits : traits.withoutReferences();
    }

    private long agreeOnId(Deadline deadline) {
        byte[] random = new byte[Long.BYTES];
        new SecureRandom().nextBytes(random);
        return ByteBuffer.wrap(bootstrap.allGather(random, deadline).getFirst()).getLong();
    }

    String explanation() {
        StringBuilder text = new StringBuilder(mesh.explanation());
        if (!calibration.isEmpty()) {
            text.append("\n  ").append(calibration);
        }
        mesh.metrics().forEach(line -> text.append("\n  ").append(line));
        return text.toString();
    }

    /** Adds a part that is closed before all others. */
    void own(DeviceCommunicator part) {
        devices.add(part);
    }

    MemorySegment allocate(long bytes) {
        return windows.allocate(bytes, Deadline.after(settings.duration(Setting.CONNECT_TIMEOUT)));
    }

    /** Ends the devices, whose operations still run on the other parts. Idempotent. */
    void closeDevices() {
        devices.forEach(DeviceCommunicator::close);
    }

    /** Leaves the job; unmaps memory only if no operation can still be using it. */
    void close(boolean quiet) {
        closeDevices();
        if (quiet) {
            engine.close();
            windows.close();
            mesh.close();
        } else {
            LOG.log(
                    Level.WARNING,
                    "an operation of rank {0} did not stop in time; its memory stays mapped",
                    bootstrap.rank());
        }
        bootstrap.close();
    }

    @Override
    public void close() {
        close(true);
    }
}
