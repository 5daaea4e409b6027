package dev.mininccl.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The transports of several ranks in this process; attaching takes a thread each. */
final class Ranks implements AutoCloseable {

    static final int CHANNELS = 2;

    final List<SocketTransport> transports = new ArrayList<>();
    final AbortFlag abort = new AbortFlag(Arena.ofAuto());

    /** One host identity a rank. */
    Ranks(Medium medium, Settings settings, String... hosts) {
        for (String host : hosts) {
            TransportContext context = new TransportContext(transports.size(), hosts.length, CHANNELS, settings, abort);
            try {
                transports.add(new SocketTransport(medium, context, host));
            } catch (TransportUnavailableException e) {
                throw new AssertionError(e);
            }
        }
    }

    static Ranks two(Medium medium, int sockets, int sliceBytes) {
        Settings settings = Settings.defaults()
                .with(Setting.SOCKETS, Integer.toString(sockets))
                .with(Setting.SLICE_SIZE, Integer.toString(sliceBytes));
        return new Ranks(medium, settings, "a", "a");
    }

    /** What each rank says of the others. */
    List<List<String>> attach(Duration limit) {
        List<byte[]> addresses =
                transports.stream().map(SocketTransport::address).toList();
        List<CompletableFuture<List<String>>> all = new ArrayList<>();
        for (int rank = 0; rank < transports.size(); rank++) {
            BitSet wanted = new BitSet();
            wanted.set(0, transports.size());
            wanted.clear(rank);
            SocketTransport transport = transports.get(rank);
            all.add(onThread("rank-" + rank, () -> transport.attach(addresses, wanted, Deadline.after(limit))));
        }
        return all.stream().map(CompletableFuture::join).toList();
    }

    void attachAll() {
        assertThat(attach(Duration.ofSeconds(20)))
                .allSatisfy(reasons -> assertThat(reasons).containsOnlyNulls());
    }

    Link link(int rank, int peer, int channel) {
        return transports.get(rank).link(peer, channel);
    }

    static <T> CompletableFuture<T> onThread(String name, java.util.function.Supplier<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Thread.ofPlatform().name(name).daemon().start(() -> {
            try {
                future.complete(work.get());
            } catch (RuntimeException | Error e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    @Override
    public void close() {
        transports.forEach(SocketTransport::close);
    }
}
