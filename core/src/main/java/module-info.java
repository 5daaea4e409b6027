/** The API, the algorithms, the engines and the transports that always work. */
module dev.mininccl.core {
    requires dev.mininccl.bindings;
    // Optional: where the module is absent at run time, reducers are scalar.
    requires static jdk.incubator.vector;
}
