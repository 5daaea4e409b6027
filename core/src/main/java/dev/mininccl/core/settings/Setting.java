package dev.mininccl.core.settings;

import dev.mininccl.core.InvalidCallException;

/**
 * Every setting, declared once: unit, default, range and meaning. The environment variable is {@code MINI_NCCL_} and the name.
 * {@link Settings} reads them; {@link SettingsTable} prints them.
 */
public enum Setting {
    /** Which RDMA devices and ports are used. */
    NET_DEVICE(
            Kind.TEXT,
            "",
            "auto",
            0,
            0,
            "RDMA devices to use (DEVICE or DEVICE:PORT, by commas), auto: the best by topology and state"),
    /** How much a slot carries. */
    SLICE_SIZE(
            Kind.BYTES, "bytes", "131072", 4096, 1 << 28, "payload of a slot; larger messages travel in slices of it"),
    /** How many RDMA requests a queue pair has in flight. */
    WINDOW_SIZE(Kind.COUNT, "requests", "64", 1, 4096, "RDMA requests in flight on a queue pair"),
    /** How many RDMA requests share a signalled completion. */
    SIGNAL_BATCH(Kind.COUNT, "requests", "16", 1, 4096, "RDMA requests per signalled completion"),
    /** How many slots a lane has. */
    SLOTS(Kind.COUNT, "slots", "4", 2, 64, "slots of a lane"),
    /** How many links a pair of ranks has, and how many threads a rank works with. */
    CHANNELS(Kind.COUNT, "channels", "0", 0, 64, "links a pair and threads a rank work with, 0: as the cores allow"),
    /** How many TCP connections a lane has. */
    SOCKETS(Kind.COUNT, "sockets", "1", 1, 16, "TCP connections a lane spreads its slices over"),
    /** Which transports are tried. */
    TRANSPORT(Kind.TEXT, "", "auto", 0, 0, "transports to try (local,p2p,shm,verbs,unix,tcp, by commas), auto: all"),
    /** Which algorithm host memory is reduced by. */
    ALGORITHM(Kind.TEXT, "", "auto", 0, 0, "one-shot, two-shot, ring, or auto: by size and ranks"),
    /** The table of {@code mini-nccl tune}. */
    TUNING_FILE(
            Kind.TEXT, "", "", 0, 0, "table that mini-nccl tune wrote, the same on all ranks; none: the built-in ones"),
    /** Whether ranks read each other's memory by themselves. */
    CROSS_MEMORY(Kind.CHOICE, "auto|off", "auto", 0, 0, "single-copy reads of a peer's memory by process_vm_readv"),
    /** Vector or scalar kernels on the host. */
    REDUCER(Kind.CHOICE, "auto|vector|scalar", "auto", 0, 0, "host reduction kernels, auto: vector where it is faster"),
    /** One kernel an operation or one a step on GPUs. */
    ENGINE(Kind.CHOICE, "auto|fused|stepwise", "auto", 0, 0, "GPUs: one kernel an operation (auto), or one a step"),
    /** How long the kernel of small blocking calls stays on the GPU. */
    RESIDENT_IDLE(
            Kind.COUNT,
            "us",
            "200",
            0,
            1_000_000,
            "how long a kernel that serves small blocking calls stays on the GPU after the last one, 0: none does"),
    /** Whether results depend on nothing but inputs, type, operation and rank order. */
    REPRODUCIBLE(Kind.FLAG, "", "0", 0, 1, "results depend only on inputs, type, operation and rank order"),
    /** How a rank waits. */
    IDLE(Kind.CHOICE, "auto|spin|yield", "auto", 0, 0, "how a rank waits; auto yields early when ranks exceed cores"),
    /** The deadline of an operation without progress. */
    TIMEOUT(Kind.MILLIS, "ms", "60000", 1, 86_400_000, "how long an operation may stand still before it fails"),
    /** The deadline of joining and of collective set-up. */
    CONNECT_TIMEOUT(Kind.MILLIS, "ms", "30000", 1, 86_400_000, "deadline of joining and connecting"),
    /** The deadline of closing. */
    CLOSE_TIMEOUT(Kind.MILLIS, "ms", "2000", 1, 86_400_000, "deadline of an orderly close"),
    /** How often a rank shows the master that it is alive. */
    HEARTBEAT(Kind.MILLIS, "ms", "1000", 10, 3_600_000, "how often a rank shows the master that it is alive"),
    /** Where the secret is that ranks share with the master. */
    SECRET_FILE(Kind.TEXT, "", "", 0, 0, "file with the secret that master and ranks share"),
    /** Whether threads stay near their device. */
    PIN_THREADS(
            Kind.CHOICE,
            "auto|off",
            "auto",
            0,
            0,
            "progress threads stay on their device's NUMA node, ranks that perf starts on a core each"),
    /** Which RoCE address is used. */
    GID_INDEX(Kind.TEXT, "", "auto", 0, 0, "RoCE GID index, auto: RoCE v2 with an IPv4 address of an interface"),
    /** How much pinned memory a GPU's data passes through on its way to the network. */
    STAGING(
            Kind.BYTES,
            "bytes",
            "67108864",
            1 << 20,
            1 << 30,
            "pinned host memory of a GPU that reaches peers over the network; messages go through it in halves"),
    /** How much registered memory is kept. */
    PINNED_LIMIT(Kind.BYTES, "bytes", "8589934592", 0, Long.MAX_VALUE, "bound on memory the registration cache keeps"),
    /** What is logged. */
    DEBUG(Kind.CHOICE, "OFF|ERROR|WARN|INFO|TRACE", "WARN", 0, 0, "what is logged; INFO also prints the settings");

    /** How a value is written and checked. */
    enum Kind {
        TEXT,
        CHOICE,
        FLAG,
        COUNT,
        BYTES,
        MILLIS
    }

    /** What every setting's environment variable begins with. */
    public static final String PREFIX = "MINI_NCCL_";

    final Kind kind;
    private final String unit;
    private final String byDefault;
    final long least;
    final long most;
    private final String meaning;

    Setting(Kind kind, String unit, String byDefault, long least, long most, String meaning) {
        this.kind = kind;
        this.unit = unit;
        this.byDefault = byDefault;
        this.least = least;
        this.most = most;
        this.meaning = meaning;
    }

    /**
     * The setting with a given environment variable.
     *
     * @param variable with its prefix, for example {@code MINI_NCCL_SLOTS}
     * @return the setting
     * @throws InvalidCallException if there is none
     */
    public static Setting ofVariable(String variable) {
        for (Setting setting : values()) {
            if (setting.variable().equals(variable)) {
                return setting;
            }
        }
        throw new InvalidCallException(
                "setting " + variable + ": unknown, did you mean " + Unknown.nearest(variable) + "?");
    }

    /**
     * The environment variable.
     *
     * @return its name, for example {@code MINI_NCCL_SLOTS}
     */
    public String variable() {
        return PREFIX + name();
    }

    /**
     * The unit, or the choices.
     *
     * @return for example {@code bytes}, or {@code auto|off}; empty for text and flags
     */
    public String unit() {
        return unit;
    }

    /**
     * The value where nothing is set.
     *
     * @return as it would be written in the environment
     */
    public String byDefault() {
        return byDefault;
    }

    /**
     * One line of what it is for.
     *
     * @return without a full stop
     */
    public String meaning() {
        return meaning;
    }

    /**
     * The allowed range in words.
     *
     * @return for example {@code 2 to 64}
     */
    public String range() {
        return switch (kind) {
            case TEXT -> "any";
            case CHOICE -> unit;
            case FLAG -> "0 or 1";
            case COUNT, BYTES, MILLIS -> least + " to " + most;
        };
    }
}
