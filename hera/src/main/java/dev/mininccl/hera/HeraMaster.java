package dev.mininccl.hera;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.hera.master.MasterServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Hera's master: the place where the ranks of one job meet. It gives ranks, lets them exchange addresses, watches that
 * they live, and spreads an abort. It runs on one daemon thread until the job is over.
 *
 * <pre>{@code
 * try (HeraMaster master = HeraMaster.start(HeraMaster.Options.ofWorld(2))) {
 *     master.awaitEnd(Duration.ofHours(1));
 * }
 * }</pre>
 */
public final class HeraMaster implements AutoCloseable {

    private final MasterServer server;

    private HeraMaster(MasterServer server) {
        this.server = server;
    }

    /**
     * Starts a master.
     *
     * @param options what it serves and where it listens
     * @return the running master, to be closed by the caller
     * @throws InvalidCallException if an option is out of range, or a secret is missing where the address demands one
     * @throws CommunicatorException if it cannot listen there
     */
    public static HeraMaster start(Options options) {
        try {
            InetAddress listen = InetAddress.getByName(options.listen());
            return new HeraMaster(
                    MasterServer.start(listen, options.port(), options.world(), options.secret(), options.linger()));
        } catch (IOException e) {
            String where = options.listen() + ":" + options.port();
            String message = "the master cannot listen at " + where + ": " + e.getMessage()
                    + "; another may run there already, or choose another address or port";
            throw new CommunicatorException(ResultCode.SYSTEM_ERROR, -1, -1, message, e);
        }
    }

    /**
     * The port on which it listens.
     *
     * @return 1 to 65535, also where any was asked for
     */
    public int port() {
        return server.address().getPort();
    }

    /**
     * Where it listens.
     *
     * @return address and port
     */
    public InetSocketAddress address() {
        return server.address();
    }

    /**
     * Waits until the job is over: all ranks have left, or it was aborted and all are gone.
     *
     * @param limit how long to wait at most
     * @return false if the job still goes on
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        return server.awaitEnd(limit);
    }

    /**
     * Why the job was aborted.
     *
     * @return empty while it was not
     */
    public Optional<AbortReason> abortReason() {
        return Optional.ofNullable(server.reason());
    }

    /** Ends the master, whatever the state; ranks that are still there are told. Idempotent; takes at most two seconds. */
    @Override
    public void close() {
        server.close("the master was closed while ranks still needed it");
    }

    /** What a master serves and where it listens. Immutable; each {@code with} method returns a changed copy. */
    public static final class Options {

        /** After an abort, long enough to ask for the status by hand. */
        private static final Duration DEFAULT_LINGER = Duration.ofSeconds(5);

        private final int world;
        private final String listen;
        private final int port;
        private final byte[] secret;
        private final Duration linger;

        private Options(int world, String listen, int port, byte[] secret, Duration linger) {
            this.world = world;
            this.listen = Objects.requireNonNull(listen, "listen");
            this.port = port;
            this.secret = secret == null ? null : secret.clone();
            this.linger = Objects.requireNonNull(linger, "linger");
        }

        /**
         * A job of a number of ranks, at {@code 127.0.0.1:9999}, without a secret.
         *
         * @param world the number of ranks, at least 1
         * @return the options
         * @throws InvalidCallException if there are no ranks
         */
        public static Options ofWorld(int world) {
            if (world < 1) {
                throw new InvalidCallException("world " + world + ": must be at least 1");
            }
            return new Options(world, "127.0.0.1", CommunicatorOptions.DEFAULT_PORT, null, DEFAULT_LINGER);
        }

        /**
         * Changes the address. Any but a loopback address demands a {@linkplain #withSecret secret}.
         *
         * @param address a name or address of this machine; {@code 0.0.0.0} or {@code ::} for all
         * @return the changed options
         */
        public Options withListen(String address) {
            return new Options(world, address, port, secret, linger);
        }

        /**
         * Changes the port.
         *
         * @param number 1 to 65535, or 0 for any
         * @return the changed options
         * @throws InvalidCallException if it is out of range
         */
        public Options withPort(int number) {
            if (number < 0 || number > 65535) {
                throw new InvalidCallException("port " + number + ": must be 0 to 65535");
            }
            return new Options(world, listen, number, secret, linger);
        }

        /**
         * Changes the secret, which all ranks must know. It is never sent; random bytes, 16 or more, are best.
         *
         * @param bytes at least one, or {@code null} for none
         * @return the changed options
         * @throws InvalidCallException if it is empty
         */
        public Options withSecret(byte[] bytes) {
            if (bytes != null && bytes.length == 0) {
                throw new InvalidCallException("secret: must not be empty");
            }
            return new Options(world, listen, port, bytes, linger);
        }

        /**
         * Changes how long the status can still be asked for after an abort, once all ranks are gone.
         *
         * @param duration zero or more; 5 seconds where nothing is set
         * @return the changed options
         */
        public Options withLinger(Duration duration) {
            return new Options(world, listen, port, secret, duration);
        }

        int world() {
            return world;
        }

        String listen() {
            return listen;
        }

        int port() {
            return port;
        }

        byte[] secret() {
            return secret;
        }

        Duration linger() {
            return linger;
        }
    }
}
