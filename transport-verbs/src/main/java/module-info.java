/** Lanes over RDMA. */
module dev.mininccl.transport.verbs {
    requires dev.mininccl.bindings;
    requires dev.mininccl.core;
}
