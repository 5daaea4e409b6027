/** The command line. */
@SuppressWarnings("requires-automatic") // HdrHistogram has no module descriptor
module dev.mininccl.cli {
    requires HdrHistogram;
    requires dev.mininccl.bindings;
    requires transitive dev.mininccl.core;
    requires dev.mininccl.hera;
    requires dev.mininccl.transport.ipc;
    requires dev.mininccl.transport.verbs;
    requires info.picocli;
    // The compilers' activity, which ends a warm-up, and the flags that child processes are started with
    requires java.management;

    // What perf measures beside this library
    exports dev.mininccl.cli.peer;

    uses dev.mininccl.cli.peer.PeerProvider;

    provides java.lang.System.LoggerFinder with
            dev.mininccl.cli.log.StandardErrorLoggers;

    // picocli reads the annotated fields of the commands
    opens dev.mininccl.cli to
            info.picocli;
    opens dev.mininccl.cli.doctor to
            info.picocli;
    opens dev.mininccl.cli.perf to
            info.picocli;
    opens dev.mininccl.cli.topo to
            info.picocli;
    opens dev.mininccl.cli.tune to
            info.picocli;
}
