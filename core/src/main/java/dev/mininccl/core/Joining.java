package dev.mininccl.core;

import dev.mininccl.bindings.NativeAccess;
import dev.mininccl.core.local.LocalJob;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.topology.Services;
import dev.mininccl.core.tuning.TuningFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Ways to bring up a communicator. */
final class Joining {

    /** What ranks must set alike, since it shapes what they send each other. */
    private static final List<Setting> SHARED = List.of(
            Setting.SLICE_SIZE,
            Setting.SLOTS,
            Setting.CHANNELS,
            Setting.SOCKETS,
            Setting.STAGING,
            Setting.ALGORITHM,
            Setting.ENGINE,
            Setting.REPRODUCIBLE);

    private Joining() {}

    static Communicator join(CommunicatorOptions options) {
        Buffers.required("options", options);
        requireNativeAccess();
        Settings settings = options.settings();
        BootstrapProvider.Request request = new BootstrapProvider.Request(
                options.rank(),
                options.size(),
                options.host(),
                options.port(),
                secret(options, settings),
                options.embedMaster(),
                configuration(settings),
                settings.duration(Setting.HEARTBEAT));
        Deadline deadline = Deadline.after(settings.duration(Setting.CONNECT_TIMEOUT));
        for (BootstrapProvider provider : Services.bootstraps()) {
            if (provider.accepts(request)) {
                return Communicator.of(new Session(provider.join(request, deadline), settings));
            }
        }
        throw new ProcessException(
                ResultCode.SYSTEM_ERROR,
                "no control plane is on the module path or class path: add mininccl-hera",
                null);
    }

    /** The options' secret, else what the setting's file holds, without space around it; {@code null} for none. */
    private static byte[] secret(CommunicatorOptions options, Settings settings) {
        String file = settings.text(Setting.SECRET_FILE);
        if (options.secret() != null || file.isEmpty()) {
            return options.secret();
        }
        try {
            return Files.readString(Path.of(file)).strip().getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new InvalidCallException(
                    Setting.SECRET_FILE.variable() + "=" + file + ": must be a file that can be read (" + e + ")");
        }
    }

    static List<Communicator> local(int ranks, Map<String, String> overrides) {
        if (ranks < 1 || ranks > 1024) {
            throw new InvalidCallException("ranks " + ranks + ": must be 1 to 1024");
        }
        Buffers.required("settings", overrides);
        requireNativeAccess();
        Settings settings = CommunicatorOptions.overridden(overrides);
        LocalJob job = new LocalJob(ranks);
        Executor threads =
                task -> Thread.ofPlatform().daemon().name("mininccl-join").start(task);
        List<CompletableFuture<Communicator>> joining = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            Bootstrap bootstrap = job.bootstrap(rank);
            joining.add(
                    CompletableFuture.supplyAsync(() -> Communicator.of(new Session(bootstrap, settings)), threads));
        }
        try {
            return joining.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            for (CompletableFuture<Communicator> one : joining) {
                one.handle((joined, thrown) -> joined)
                        .thenAccept(Joining::closeIfJoined)
                        .join();
            }
            throw e.getCause() instanceof NcclException cause ? cause : e;
        }
    }

    private static void closeIfJoined(Communicator comm) {
        if (comm != null) {
            comm.close();
        }
    }

    private static void requireNativeAccess() {
        if (NativeAccess.denied()) {
            throw new ProcessException(
                    ResultCode.SYSTEM_ERROR, NativeAccess.advice().orElseThrow(), null);
        }
    }

    private static String configuration(Settings settings) {
        String tuning = Setting.TUNING_FILE.variable() + "=" + tuning(settings);
        return Stream.concat(
                        Stream.concat(SHARED.stream(), Stream.of(Setting.TRANSPORT))
                                .map(setting -> setting.variable() + "=" + settings.text(setting)),
                        Stream.of(tuning))
                .collect(Collectors.joining("\n"));
    }

    /** What must be equal of a tuning file: not its place, but what it says. */
    private static String tuning(Settings settings) {
        return "a table with hash " + TuningFile.of(settings).hash();
    }
}
