package dev.mininccl.hera;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.worker.Connector;

/** Joins jobs through a Hera master, which rank 0 hosts where none runs. */
public final class HeraBootstrapProvider implements BootstrapProvider {

    /** What the master lets a registration carry, less what else is in it. */
    private static final int CONFIGURATION_LIMIT = 32 << 10;

    /** Found by {@link java.util.ServiceLoader}. */
    public HeraBootstrapProvider() {}

    @Override
    public String name() {
        return "hera";
    }

    @Override
    public boolean accepts(Request request) {
        return request.host() != null && !request.host().isBlank();
    }

    @Override
    public Bootstrap join(Request request, Deadline deadline) {
        return join(request, deadline, "java " + Runtime.version() + ", " + System.getProperty("os.arch"));
    }

    /**
     * Joins with a line of the caller's choice.
     *
     * @param request what to join
     * @param deadline when to give up
     * @param about what the status shows beside this rank, for example its GPU; at most 256 characters
     * @return the rank's view of the job
     * @throws InvalidCallException if something in the request is out of range
     * @throws CommunicatorException if the master cannot be reached, refuses this rank, or not all ranks came in time
     */
    public Bootstrap join(Request request, Deadline deadline, String about) {
        check(request);
        return new Connector(request, deadline, LibraryVersion.get(), about).join();
    }

    private static void check(Request request) {
        require(request.size() >= 1, "size " + request.size() + ": must be at least 1");
        require(
                request.rank() >= -1 && request.rank() < request.size(),
                "rank " + request.rank() + ": must be -1 or 0 to " + (request.size() - 1));
        require(request.host() != null && !request.host().isBlank(), "host: must not be empty");
        require(request.port() >= 1 && request.port() <= 65535, "port " + request.port() + ": must be 1 to 65535");
        require(request.secret() == null || request.secret().length > 0, "secret: must not be empty");
        require(request.heartbeat().isPositive(), "heartbeat " + request.heartbeat() + ": must be more than 0");
        int length = request.configuration().length();
        require(
                length <= CONFIGURATION_LIMIT / 3,
                "configuration: " + length + " characters, allowed are 0 to " + CONFIGURATION_LIMIT / 3);
    }

    private static void require(boolean allowed, String message) {
        if (!allowed) {
            throw new InvalidCallException(message);
        }
    }
}
