package dev.mininccl.hera.worker;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.BootstrapProvider.Request;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.master.MasterServer;
import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.ProtocolException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Finds the master, or becomes its host, and registers. Ranks may start in any order, so that whatever does not answer is
 * tried again until the deadline; whatever answers wrongly, or refuses, ends it.
 */
public final class Connector {

    /** For the greeting, so that a process that accepts and says nothing is told apart from a job that fills up. */
    private static final long GREET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How long a rank without number leaves it to others to host the master. */
    private static final long HOST_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Request request;
    private final Deadline deadline;
    private final String version;
    private final Identity identity;
    private final long startNanos = System.nanoTime();

    private InetAddress[] addresses = {};
    private String lastFailure = "";
    /** Whether this attempt has got a connection, and now waits for the first words. */
    private boolean greeting;

    private MasterServer hosted;

    /** Prepares to join; {@code about} is the user's line for the status. */
    public Connector(Request request, Deadline deadline, String version, String about) {
        this.request = request;
        this.deadline = deadline;
        this.version = version;
        this.identity = Identity.ofThisProcess(about);
    }

    /** Joins the job, once all ranks are there. */
    public HeraBootstrap join() {
        try {
            return attempts();
        } catch (RuntimeException e) {
            if (hosted != null) {
                hosted.close("rank " + request.rank() + " (" + identity + "), which hosts the master, gave up: "
                        + e.getMessage());
            }
            throw e;
        }
    }

    private HeraBootstrap attempts() {
        int attempts = 0;
        for (long pause = LEAST_PAUSE_NANOS; ; pause = Math.min(MOST_PAUSE_NANOS, pause * 3 / 2)) {
            attempts++;
            try {
                return attempt();
            } catch (UnknownHostException e) {
                lastFailure = "the name cannot be resolved";
            } catch (ConnectException e) {
                lastFailure = e.getMessage();
                if (hostIfDue()) {
                    continue;
                }
            } catch (SocketTimeoutException e) {
                // The last attempt is cut short: what those before it met says more.
                lastFailure = lastFailure.isEmpty() || !deadline.expired() ? silence(e) : lastFailure;
            } catch (IOException e) {
                lastFailure = e.getMessage();
            } catch (ProtocolException e) {
                throw failure(ResultCode.REMOTE_ERROR, "what listens at " + master() + " " + e.getMessage(), e);
            } catch (RefusedException e) {
                throw failure(e.code(), "refused by the master at " + master() + ": " + e.getMessage(), e);
            }
            if (deadline.expired()) {
                throw failure(ResultCode.SYSTEM_ERROR, unreachable(attempts), null);
            }
            LockSupport.parkNanos(Math.min(pause, deadline.remainingNanos()));
            if (Thread.currentThread().isInterrupted()) {
                throw failure(ResultCode.SYSTEM_ERROR, "interrupted while joining the job at " + master(), null);
            }
        }
    }

    private String silence(SocketTimeoutException e) {
        if (greeting) {
            return "what listens there accepts connections and says nothing, so another program may have this port";
        }
        boolean loopback = Arrays.stream(addresses).allMatch(InetAddress::isLoopbackAddress);
        return e.getMessage() + (loopback ? ", so the loopback interface may be down (ip link set lo up)" : "");
    }

    private HeraBootstrap attempt() throws IOException, ProtocolException, RefusedException {
        greeting = false;
        addresses = InetAddress.getAllByName(request.host());
        MasterLink link = MasterLink.connect(addresses, request.port(), deadline);
        greeting = true;
        HeraBootstrap joined = null;
        try {
            link.greet(request.secret(), Deadline.afterNanos(Math.min(deadline.remainingNanos(), GREET_NANOS)));
            greeting = false;
            int heartbeatMillis = Math.clamp(request.heartbeat().toMillis(), 1, Integer.MAX_VALUE);
            link.send(new Message.Register(
                    request.rank(),
                    request.size(),
                    version,
                    request.configuration(),
                    identity,
                    heartbeatMillis,
                    HeraBootstrap.millis(deadline)));
            // The master knows who is missing, so it is the one to give up.
            Message.Start start =
                    link.expect(Message.Start.class, new Deadline(deadline.nanoTime() + HeraBootstrap.GRACE_NANOS));
            joined = new HeraBootstrap(link, master(), start, heartbeatMillis, hosted).start();
            return joined;
        } finally {
            if (joined == null) {
                link.close();
            }
        }
    }

    /**
     * Nobody listens: perhaps it is for this process to host the master. Rank 0 does so where the host is this machine; a
     * rank without number only where no other machine can be meant, and after a while.
     */
    private boolean hostIfDue() {
        InetAddress local =
                Arrays.stream(addresses).filter(Connector::isLocal).findFirst().orElse(null);
        if (hosted != null || !request.embedMaster() || request.rank() > 0 || local == null) {
            return false;
        }
        boolean patient = System.nanoTime() - startNanos >= HOST_AFTER_NANOS;
        if (request.rank() < 0 && !(local.isLoopbackAddress() && patient)) {
            return false;
        }
        try {
            hosted = MasterServer.start(local, request.port(), request.size(), request.secret(), Duration.ZERO);
            return true;
        } catch (IOException e) {
            // Another process may have been faster; otherwise the next attempt's failure says the same.
            lastFailure = "this rank cannot host the master: " + e.getMessage();
            return false;
        }
    }

    private static boolean isLocal(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private String unreachable(int attempts) {
        String resolved =
                Arrays.stream(addresses).map(InetAddress::getHostAddress).collect(Collectors.joining(", "));
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        return "no master at " + master() + (resolved.isEmpty() ? "" : " (" + resolved + ")") + " after " + millis
                + " ms and " + attempts + " attempts: " + lastFailure + "; start rank 0 on that host or `hera-master "
                + request.size() + "` there, or correct the address, the port or the firewall";
    }

    private String master() {
        return request.host() + ":" + request.port();
    }

    private CommunicatorException failure(ResultCode code, String message, Throwable cause) {
        return new CommunicatorException(code, request.rank(), -1, message, cause);
    }
}
