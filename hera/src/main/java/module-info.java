/** The control plane: rank assignment, rendezvous, liveness and global abort. */
module dev.mininccl.hera {
    requires dev.mininccl.core;
}
