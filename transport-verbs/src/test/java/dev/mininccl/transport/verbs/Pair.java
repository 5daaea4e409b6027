package dev.mininccl.transport.verbs;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Two ranks of this process with a transport each; on two devices, if there are two. */
final class Pair implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    final Arena arena = Arena.ofShared();
    final AbortFlag abort = new AbortFlag(arena);
    final Transport zero;
    final Transport one;

    Pair(int channels, Settings ofZero, Settings ofOne) throws TransportUnavailableException {
        VerbsTransportProvider provider = new VerbsTransportProvider();
        zero = provider.open(new TransportContext(0, 2, channels, on(0, ofZero), abort));
        try {
            one = provider.open(new TransportContext(1, 2, channels, on(1, ofOne), abort));
        } catch (TransportUnavailableException e) {
            zero.close();
            throw e;
        }
    }

    /** Skips the test where there is no device. */
    static void assumeDevice() {
        try (DeviceList devices = DeviceList.open()) {
            assumeFalse(devices.devices().isEmpty(), () -> devices.reason().orElseThrow());
        }
    }

    /** The first of all devices for rank 0, the next for rank 1, unless some are named. */
    private static Settings on(int rank, Settings settings) {
        if (!settings.text(Setting.NET_DEVICE).equals("auto")) {
            return settings;
        }
        try (DeviceList list = DeviceList.open()) {
            List<Device> devices = list.devices();
            return settings.with(
                    Setting.NET_DEVICE, devices.get(rank % devices.size()).name());
        }
    }

    /** What each rank says of the other, {@code null} where it was reached. */
    record Verdicts(String ofZero, String ofOne) {}

    Verdicts attach() {
        List<byte[]> addresses = List.of(zero.address(), one.address());
        Deadline deadline = Deadline.after(LIMIT);
        CompletableFuture<String> ofOne = CompletableFuture.supplyAsync(
                () -> attach(one, 0, addresses, deadline),
                task -> Thread.ofPlatform().start(task));
        String ofZero = attach(zero, 1, addresses, deadline);
        return new Verdicts(ofZero, ofOne.join());
    }

    static String attach(Transport rank, int peer, List<byte[]> addresses, Deadline deadline) {
        BitSet wanted = new BitSet();
        wanted.set(peer);
        return rank.attach(addresses, wanted, deadline).get(peer);
    }

    /** Attaches, which must succeed, and gives rank 0's link. The other end is {@link #linkOfOne}. */
    Link connect() {
        Verdicts verdicts = attach();
        if (verdicts.ofZero() != null || verdicts.ofOne() != null) {
            throw new AssertionError(verdicts.toString());
        }
        return zero.link(1, 0);
    }

    Link linkOfOne(int channel) {
        return one.link(0, channel);
    }

    /** Both at once, as ranks do. */
    @Override
    public void close() {
        Thread other = Thread.ofPlatform().start(one::close);
        zero.close();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        arena.close();
    }
}
