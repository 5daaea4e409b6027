package dev.mininccl.hera;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider.Request;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What the tests need to run the ranks of a job in one process. */
final class Workers {

    static final Duration LIMIT = Duration.ofSeconds(10);

    private Workers() {}

    static HeraMaster master(int world) {
        return HeraMaster.start(HeraMaster.Options.ofWorld(world).withPort(0).withLinger(Duration.ZERO));
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static Request request(int rank, int size, int port) {
        return new Request(rank, size, "127.0.0.1", port, null, false, "", Duration.ofSeconds(1));
    }

    static Bootstrap join(Request request) {
        return new HeraBootstrapProvider().join(request, Deadline.after(LIMIT), "a test");
    }

    /** A connection to a master by hand. */
    static Socket connect(HeraMaster master) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), master.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    static void write(Socket socket, Message message) throws IOException {
        write(socket, MessageCodec.encode(message));
    }

    static void write(Socket socket, ByteBuffer frame) throws IOException {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        socket.getOutputStream().write(bytes);
    }

    static <T> CompletableFuture<T> async(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(work.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Runs all at once and returns the results in the order of the works. */
    static <T> List<T> together(List<? extends Callable<T>> works) throws Exception {
        List<CompletableFuture<T>> running = new ArrayList<>();
        for (Callable<T> work : works) {
            running.add(async(work));
        }
        List<T> results = new ArrayList<>();
        for (CompletableFuture<T> one : running) {
            results.add(one.get(30, TimeUnit.SECONDS));
        }
        return results;
    }

    /** Joins under the given ranks (-1 for any) and returns the bootstraps by the rank that each got. */
    static List<Bootstrap> joinAll(int port, int... ranks) throws Exception {
        List<Callable<Bootstrap>> joins = new ArrayList<>();
        for (int rank : ranks) {
            joins.add(() -> join(request(rank, ranks.length, port)));
        }
        List<Bootstrap> joined = new ArrayList<>(together(joins));
        joined.sort((a, b) -> Integer.compare(a.rank(), b.rank()));
        return joined;
    }

    static void closeAll(List<Bootstrap> ranks) throws Exception {
        List<Callable<Boolean>> closes = new ArrayList<>();
        for (Bootstrap rank : ranks) {
            closes.add(() -> {
                rank.close();
                return true;
            });
        }
        together(closes);
    }

    /** Remembers what it is told; describes every operation alike. */
    static class Ear implements Bootstrap.Listener {

        final BlockingQueue<AbortReason> aborts = new LinkedBlockingQueue<>();
        final BlockingQueue<Integer> left = new LinkedBlockingQueue<>();
        private final String call;

        Ear(String call) {
            this.call = call;
        }

        static Ear on(Bootstrap rank, String call) {
            Ear ear = new Ear(call);
            rank.listen(ear);
            return ear;
        }

        @Override
        public void aborted(AbortReason reason) {
            aborts.add(reason);
        }

        @Override
        public void left(int rank) {
            left.add(rank);
        }

        @Override
        public String describe(long sequence) {
            return call;
        }

        AbortReason abort() throws InterruptedException {
            AbortReason reason = aborts.poll(10, TimeUnit.SECONDS);
            if (reason == null) {
                throw new AssertionError("not told of an abort within 10 s");
            }
            return reason;
        }
    }
}
