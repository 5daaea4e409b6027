package dev.mininccl.core;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.util.HashMap;
import java.util.Map;

/**
 * How to join a communicator: which rank, how many, where the master is, and any settings that differ from the
 * environment's. Immutable; made by {@link #builder()}.
 */
public final class CommunicatorOptions {

    /** The port of Hera, the control plane's master, where none is given. */
    public static final int DEFAULT_PORT = 9999;

    private final int rank;
    private final int size;
    private final String host;
    private final int port;
    private final byte[] secret;
    private final boolean embedMaster;
    private final Settings settings;

    private CommunicatorOptions(Builder builder, Settings settings) {
        this.rank = builder.rank;
        this.size = builder.size;
        this.host = builder.host;
        this.port = builder.port;
        this.secret = builder.secret;
        this.embedMaster = builder.embedMaster;
        this.settings = settings;
    }

    /**
     * Starts with: a rank given by the master, no size, the master at {@code 127.0.0.1:9999}, hosted by rank 0 if it does not run.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * This process's rank.
     *
     * @return 0 to {@code size() - 1}, or -1 to be given one
     */
    public int rank() {
        return rank;
    }

    /**
     * The number of ranks.
     *
     * @return at least 1
     */
    public int size() {
        return size;
    }

    /**
     * Where the master listens.
     *
     * @return a host name or address
     */
    public String host() {
        return host;
    }

    /**
     * The port on which the master listens.
     *
     * @return 1 to 65535
     */
    public int port() {
        return port;
    }

    /**
     * The secret shared with the master.
     *
     * @return a copy, or {@code null} where none is set
     */
    public byte[] secret() {
        return secret == null ? null : secret.clone();
    }

    /**
     * Whether rank 0 hosts the master if none listens.
     *
     * @return true unless switched off
     */
    public boolean embedMaster() {
        return embedMaster;
    }

    Settings settings() {
        return settings;
    }

    /** Collects options; each method returns the builder. */
    public static final class Builder {

        private int rank = -1;
        private int size;
        private String host = "127.0.0.1";
        private int port = DEFAULT_PORT;
        private byte[] secret;
        private boolean embedMaster = true;
        private final Map<String, String> overrides = new HashMap<>();

        private Builder() {}

        /**
         * Sets the rank.
         *
         * @param value 0 to size - 1, or -1 to be given one by the master
         * @return this builder
         */
        public Builder rank(int value) {
            rank = value;
            return this;
        }

        /**
         * Sets the number of ranks.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder size(int value) {
            size = value;
            return this;
        }

        /**
         * Sets where ranks reach the master. Rank 0 hosts it where that is an address of its machine: see {@link #embedMaster}.
         *
         * @param masterHost the name or address of a host, not a wildcard such as 0.0.0.0
         * @param masterPort 1 to 65535
         * @return this builder
         */
        public Builder master(String masterHost, int masterPort) {
            host = masterHost;
            port = masterPort;
            return this;
        }

        /**
         * Sets the secret shared with the master, which demands one wherever it listens on more than the loopback interface. It is
         * never sent. Where none is set, the file that {@code MINI_NCCL_SECRET_FILE} names is read.
         *
         * @param value any bytes, or {@code null} for none
         * @return this builder
         */
        public Builder secret(byte[] value) {
            secret = value == null ? null : value.clone();
            return this;
        }

        /**
         * Sets whether rank 0 hosts the master if none listens.
         *
         * @param value false where a separate master is sure to run
         * @return this builder
         */
        public Builder embedMaster(boolean value) {
            embedMaster = value;
            return this;
        }

        /**
         * Overrides a setting of the environment for this communicator.
         *
         * @param variable for example {@code MINI_NCCL_TIMEOUT}; {@link Setting} has them all
         * @param value as in the environment
         * @return this builder
         * @throws InvalidCallException if one of them is {@code null}; {@link #build} checks the rest
         */
        public Builder set(String variable, String value) {
            overrides.put(Buffers.required("variable", variable), Buffers.required("value", value));
            return this;
        }

        /**
         * Checks the options.
         *
         * @return the options
         * @throws InvalidCallException if one is out of range
         */
        public CommunicatorOptions build() {
            if (size < 1) {
                throw new InvalidCallException("size " + size + ": must be at least 1");
            }
            if (rank < -1 || rank >= size) {
                throw new InvalidCallException("rank " + rank + ": must be -1 or 0 to " + (size - 1));
            }
            if (host == null || host.isBlank() || host.equals("0.0.0.0") || host.equals("::")) {
                throw new InvalidCallException(
                        "masterHost " + host + ": must be a name or address at which ranks reach the master");
            }
            if (port < 1 || port > 65535) {
                throw new InvalidCallException("port " + port + ": must be 1 to 65535");
            }
            return new CommunicatorOptions(this, overridden(overrides));
        }
    }

    /** The environment's settings with some changed by variable name. */
    static Settings overridden(Map<String, String> overrides) {
        Settings settings = Settings.fromEnvironment();
        for (Map.Entry<String, String> override : overrides.entrySet()) {
            settings = settings.with(Setting.ofVariable(override.getKey()), override.getValue());
        }
        return settings;
    }
}
