/**
 * Hera, the control plane. Programs join through it by {@link dev.mininccl.core.Communicator#join} and need nothing of this package but,
 * where a launcher such as torchrun, mpirun or Slurm started them, {@link dev.mininccl.hera.Launch}, which reads rank, size and master
 * from the environment. {@link dev.mininccl.hera.HeraMaster} runs a master by itself, {@link dev.mininccl.hera.HeraStatus} asks one who
 * has joined.
 */
package dev.mininccl.hera;
