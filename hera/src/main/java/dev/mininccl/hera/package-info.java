/** Hera, the control plane: the master, its status, and joining through it. */
package dev.mininccl.hera;
