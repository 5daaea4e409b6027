/** The control plane: rank assignment, rendezvous, liveness and global abort. */
module dev.mininccl.hera {
    // What is provided here, and thrown, is declared there.
    requires transitive dev.mininccl.core;

    exports dev.mininccl.hera;

    provides dev.mininccl.core.spi.BootstrapProvider with
            dev.mininccl.hera.HeraBootstrapProvider;
}
