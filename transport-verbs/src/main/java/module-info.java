/** Lanes over RDMA. */
@SuppressWarnings("module") // exports to modules that are built later
module dev.mininccl.transport.verbs {
    requires dev.mininccl.bindings;
    requires dev.mininccl.core;

    // What `doctor` says is what a transport would do
    exports dev.mininccl.transport.verbs to
            dev.mininccl.cli;

    provides dev.mininccl.core.spi.TransportProvider with
            dev.mininccl.transport.verbs.VerbsTransportProvider;
}
