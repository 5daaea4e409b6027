package dev.mininccl.hera;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.ProtocolException;
import dev.mininccl.hera.worker.MasterLink;
import dev.mininccl.hera.worker.RefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;

/**
 * The state of a job as its master told it: who has registered, who was heard of when, what is waited for, and why it was
 * aborted.
 *
 * @param text for people: a line for the job, a table of the ranks, and lines for what is wrong
 * @param json the same as one JSON object: {@code world}, {@code phase}, {@code phaseMs}, {@code masterHost},
 *     {@code masterPid}, {@code waiting}, {@code lastRefused}, {@code aborted} (only then) and {@code ranks}
 */
public record HeraStatus(String text, String json) {

    /**
     * Asks a master.
     *
     * @param host where it listens
     * @param port 1 to 65535
     * @param secret the job's secret, or {@code null} where it has none
     * @param timeout how long to wait at most
     * @return its answer
     * @throws CommunicatorException if there is no master, or it does not answer, or refuses
     */
    public static HeraStatus query(String host, int port, byte[] secret, Duration timeout) {
        Deadline deadline = Deadline.after(timeout);
        try (MasterLink link = MasterLink.connect(InetAddress.getAllByName(host), port, deadline)) {
            link.greet(secret, deadline);
            link.send(new Message.StatusQuery());
            Message.Status status = link.expect(Message.Status.class, deadline);
            return new HeraStatus(status.text(), status.json());
        } catch (IOException | ProtocolException | RefusedException e) {
            ResultCode code = e instanceof RefusedException refused ? refused.code() : ResultCode.REMOTE_ERROR;
            String message = "no status from " + host + ":" + port + ": " + e.getMessage();
            throw new CommunicatorException(code, -1, -1, message, e);
        }
    }
}
