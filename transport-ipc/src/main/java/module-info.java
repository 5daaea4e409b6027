/** Lanes between ranks of one machine: shared host memory and CUDA peer memory. */
module dev.mininccl.transport.ipc {
    requires dev.mininccl.bindings;
    requires dev.mininccl.core;

    provides dev.mininccl.core.spi.TransportProvider with
            dev.mininccl.transport.ipc.ShmTransportProvider;
}
