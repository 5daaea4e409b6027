/** The API, the algorithms, the engines and the transports that always work. */
@SuppressWarnings("module") // exports to modules that are built later
module dev.mininccl.core {
    requires transitive dev.mininccl.bindings;
    // Optional: where the module is absent at run time, reducers are scalar.
    requires static jdk.incubator.vector;

    exports dev.mininccl.core;
    exports dev.mininccl.core.spi;
    exports dev.mininccl.core.settings;
    // mini-nccl perf measures the collectives that there are.
    exports dev.mininccl.core.schedule to
            dev.mininccl.cli;
    // mini-nccl tune writes what the tuner reads.
    exports dev.mininccl.core.tuning to
            dev.mininccl.cli;
    // Only our own transports see how slots are made.
    exports dev.mininccl.core.lane to
            dev.mininccl.transport.ipc,
            dev.mininccl.transport.verbs;

    uses dev.mininccl.core.spi.BootstrapProvider;
    uses dev.mininccl.core.spi.TransportProvider;

    provides dev.mininccl.core.spi.TransportProvider with
            dev.mininccl.core.local.LocalTransportProvider,
            dev.mininccl.core.tcp.TcpTransportProvider,
            dev.mininccl.core.tcp.UnixTransportProvider;
}
