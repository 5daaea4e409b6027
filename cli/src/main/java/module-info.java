/** The command line. */
@SuppressWarnings("requires-automatic") // HdrHistogram has no module descriptor
module dev.mininccl.cli {
    requires HdrHistogram;
    requires dev.mininccl.bindings;
    requires dev.mininccl.core;
    requires dev.mininccl.hera;
    requires dev.mininccl.transport.ipc;
    requires dev.mininccl.transport.verbs;
    requires info.picocli;

    // picocli reads the annotated fields of the commands
    opens dev.mininccl.cli to
            info.picocli;
}
