package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Access;
import dev.mininccl.bindings.ibverbs.CompletionQueue;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.bindings.ibverbs.QueuePair;
import dev.mininccl.bindings.ibverbs.QueuePairOptions;
import dev.mininccl.bindings.ibverbs.RemotePath;
import dev.mininccl.bindings.ibverbs.Retry;
import dev.mininccl.bindings.ibverbs.SendRequests;
import dev.mininccl.bindings.ibverbs.VerbsHandle;
import dev.mininccl.bindings.ibverbs.WorkCompletions;
import dev.mininccl.bindings.ibverbs.WorkStatus;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.core.spi.Deadline;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;

/** Two queue pairs of one port connected to each other: the device moves bytes within this process. One request at a time. */
final class LoopbackPair implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int ACCESS = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

    private final Deque<VerbsHandle> closing = new ArrayDeque<>();
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final SendRequests requests;
    private final WorkCompletions completions;
    private long number;

    LoopbackPair(Port port, ProtectionDomain domain, Arena arena) {
        requests = new SendRequests(arena, 1);
        completions = new WorkCompletions(arena, 1);
        try {
            queue = own(port.context().createQueue(4));
            QueuePairOptions options = new QueuePairOptions(queue, queue, 1, 1, 0, true);
            pair = own(domain.createQueuePair(options));
            QueuePair other = own(domain.createQueuePair(options));
            RemotePath path = port.path(
                    port.gid().gid(), port.attributes().lid(), port.attributes().activeMtu());
            pair.toInit(port.number(), ACCESS);
            other.toInit(port.number(), ACCESS);
            int sequence = ThreadLocalRandom.current().nextInt(QueuePair.LARGEST_SEQUENCE + 1);
            Retry retry = Retries.within(LIMIT);
            pair.toReadyToReceive(path, other.number(), sequence);
            other.toReadyToReceive(path, pair.number(), sequence);
            pair.toReadyToSend(sequence, retry);
            other.toReadyToSend(sequence, retry);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private <H extends VerbsHandle> H own(H handle) {
        closing.push(handle);
        return handle;
    }

    /** Writes; returns when the device says that it is done. */
    void write(long local, int localKey, int bytes, long remote, int remoteKey) {
        requests.patchWrite(0, local, localKey, bytes, remote, remoteKey, ++number, 0, SendRequests.NONE);
        complete("write of " + bytes + " bytes");
    }

    /** Reads; returns when the bytes are there. */
    void read(long local, int localKey, int bytes, long remote, int remoteKey) {
        requests.patchRead(0, local, localKey, bytes, remote, remoteKey, ++number, 0, SendRequests.NONE);
        complete("read of " + bytes + " bytes");
    }

    private void complete(String what) {
        int errno = pair.postSend(requests.address(0));
        if (errno != 0) {
            throw new IllegalStateException(what + " over " + pair + " was not taken: " + Errno.describe(errno));
        }
        Deadline deadline = Deadline.after(LIMIT);
        int count = queue.poll(completions);
        while (count == 0 && !deadline.expired()) {
            Thread.onSpinWait();
            count = queue.poll(completions);
        }
        if (count != 1) {
            throw new IllegalStateException(what + " over " + pair + " did not end in " + LIMIT.toSeconds() + " s");
        }
        if (completions.status(0) != WorkCompletions.SUCCESS) {
            throw new IllegalStateException(what + " over " + pair + ": " + WorkStatus.of(completions.status(0)));
        }
    }

    /** Closes all, whatever state they are in; throws the first refusal afterwards. */
    @Override
    public void close() {
        RuntimeException refusal = null;
        while (!closing.isEmpty()) {
            try {
                closing.pop().close();
            } catch (RuntimeException e) {
                refusal = refusal == null ? e : refusal;
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }
}
