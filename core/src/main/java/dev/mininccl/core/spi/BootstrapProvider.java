package dev.mininccl.core.spi;

import java.time.Duration;

/**
 * Creates {@link Bootstrap}s; found with {@link java.util.ServiceLoader}. The first provider, by name, that
 * {@linkplain #accepts accepts} a request serves it.
 */
public interface BootstrapProvider {

    /**
     * The provider's name, for example {@code hera}.
     *
     * @return lower case
     */
    String name();

    /**
     * Tells whether this provider can serve a request.
     *
     * @param request what the caller asked for
     * @return true if {@link #join} may be called with it
     */
    boolean accepts(Request request);

    /**
     * Joins a job and returns once all ranks are known.
     *
     * @param request what the caller asked for
     * @param deadline when to give up
     * @return the rank's view of the job
     */
    Bootstrap join(Request request, Deadline deadline);

    /**
     * How to find the other ranks.
     *
     * @param rank this process's rank, or -1 to be given one
     * @param size the number of ranks, at least 1
     * @param host the master's host name or address
     * @param port the master's port, 1 to 65535
     * @param secret the shared secret, or {@code null} where none is set
     * @param embedMaster whether the rank 0 process itself hosts the master if none listens yet
     * @param configuration protocol-relevant settings, one {@code name=value} a line; differences between ranks are
     *     refused
     * @param heartbeat how often a rank shows that it is alive
     */
    record Request(
            int rank,
            int size,
            String host,
            int port,
            byte[] secret,
            boolean embedMaster,
            String configuration,
            Duration heartbeat) {}
}
