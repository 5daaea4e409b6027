/**
 * What transports and control planes implement. Programs that only communicate need nothing of it.
 *
 * <p>A transport is a {@link TransportProvider}, found with {@link java.util.ServiceLoader}; it gives each pair of ranks a {@link Link}
 * of two lanes, {@link SendLane} and {@link ReceiveLane}. A control plane is a {@link BootstrapProvider}: it assigns ranks, exchanges
 * small messages while connecting, and spreads the first reason of a failure.
 *
 * <p>The lanes' methods are the data path: they neither block, allocate, lock nor throw. Everything else is set-up, has a
 * {@link Deadline} and throws {@link dev.mininccl.core.NcclException} or {@link TransportUnavailableException}.
 */
package dev.mininccl.core.spi;
