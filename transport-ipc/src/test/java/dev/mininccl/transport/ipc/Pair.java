package dev.mininccl.transport.ipc;

import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Two ranks of this process with a transport each, brought up as a communicator does it. */
final class Pair implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    final Arena arena = Arena.ofShared();
    final AbortFlag abort = new AbortFlag(arena);
    final Transport zero;
    final Transport one;

    Pair(TransportProvider provider, int channels, Settings settings) throws TransportUnavailableException {
        this(provider, provider, channels, settings, settings);
    }

    Pair(TransportProvider first, TransportProvider second, int channels, Settings ofZero, Settings ofOne)
            throws TransportUnavailableException {
        zero = first.open(new TransportContext(0, 2, channels, ofZero, abort));
        one = second.open(new TransportContext(1, 2, channels, ofOne, abort));
    }

    /** What each rank says of the other, {@code null} where it was reached. */
    record Verdicts(String ofZero, String ofOne) {}

    Verdicts attach() {
        return attach(Deadline.after(LIMIT));
    }

    Verdicts attach(Deadline deadline) {
        List<byte[]> addresses = List.of(zero.address(), one.address());
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
        Link link = zero.link(1, 0);
        zero.settled();
        one.settled();
        return link;
    }

    Link linkOfOne(int channel) {
        return one.link(0, channel);
    }

    @Override
    public void close() {
        zero.close();
        one.close();
        arena.close();
    }
}
