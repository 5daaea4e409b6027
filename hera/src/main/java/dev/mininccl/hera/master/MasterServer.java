package dev.mininccl.hera.master;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.spi.AbortReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;

/** A master that runs: its socket and its thread. */
public final class MasterServer {

    /** A master that hangs in its own code would be a defect; its owner shall not hang with it. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final MasterLoop loop;
    private final Thread thread;
    private final InetSocketAddress address;

    private MasterServer(MasterLoop loop, InetSocketAddress address) {
        this.loop = loop;
        this.address = address;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("hera-master-" + address.getPort())
                .unstarted(loop);
    }

    /**
     * Listens and serves one job.
     *
     * @param port 0 takes any
     * @param secret {@code null} for none, which only a loopback address allows
     * @throws InvalidCallException if a secret is missing
     * @throws IOException if the address cannot be listened at
     */
    public static MasterServer start(InetAddress listen, int port, int world, byte[] secret, Duration linger)
            throws IOException {
        if (secret == null && !listen.isLoopbackAddress()) {
            throw new InvalidCallException("secret: a master that listens at " + listen.getHostAddress()
                    + ", beyond this machine, demands one; put 16 random bytes or more into a file and give the same file"
                    + " to the master and to all ranks (MINI_NCCL_SECRET_FILE)");
        }
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(new InetSocketAddress(listen, port), 1024);
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            MasterServer master = new MasterServer(new MasterLoop(server, world, secret, linger), address);
            master.thread.start();
            return master;
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Why the job was aborted, or {@code null}. */
    public AbortReason reason() {
        return loop.reason();
    }

    /** Waits until the job is over. Returns false if it is not. */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        return thread.join(limit);
    }

    /** Ends it, whatever the state; ranks still there are told why. Idempotent; bounded in time. */
    public void close(String why) {
        loop.close(why);
        try {
            thread.join(CLOSE_LIMIT);
        } catch (InterruptedException e) {
            // It ends by itself.
            Thread.currentThread().interrupt();
        }
    }
}
