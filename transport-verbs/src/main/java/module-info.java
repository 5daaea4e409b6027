/** Lanes over RDMA. */
module dev.mininccl.transport.verbs {
    requires dev.mininccl.bindings;
    requires dev.mininccl.core;

    provides dev.mininccl.core.spi.TransportProvider with
            dev.mininccl.transport.verbs.VerbsTransportProvider;
}
