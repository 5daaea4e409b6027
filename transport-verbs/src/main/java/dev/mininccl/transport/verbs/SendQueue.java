package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.CompletionQueue;
import dev.mininccl.bindings.ibverbs.QueuePair;
import dev.mininccl.bindings.ibverbs.SendRequests;
import dev.mininccl.bindings.ibverbs.WorkCompletions;
import java.lang.foreign.Arena;

/**
 * Posts writes to a queue pair and counts which are done. Slices keep to the window; credits may exceed it, for they must
 * never wait. Only every so many requests report completion, and that one stands for all before it. Used by one thread.
 */
final class SendQueue {

    /** Room for credits beyond the window. */
    static final int RESERVE = 64;

    private static final int COMPLETIONS = 16;

    private final QueuePair pair;
    private final CompletionQueue queue;
    private final LinkFailure failure;
    private final int window;
    private final int batch;
    private final int capacity;
    private final int maxInline;
    private final int localKey;
    private final SendRequests requests;
    private final WorkCompletions completions;

    private int remoteKey;
    private long posted;
    private long completed;
    /** The number of the last request that reports its completion. */
    private long signalled;

    SendQueue(QueuePair pair, CompletionQueue queue, Flow flow, int localKey, LinkFailure failure, Arena arena) {
        this.pair = pair;
        this.queue = queue;
        this.failure = failure;
        this.localKey = localKey;
        window = flow.window();
        batch = flow.batch();
        capacity = flow.window() + RESERVE;
        maxInline = pair.maxInline();
        requests = new SendRequests(arena, 2);
        completions = new WorkCompletions(arena, COMPLETIONS);
    }

    /** Called before the first write. */
    void connect(int remoteKey) {
        this.remoteKey = remoteKey;
    }

    /** Whether the window has room for a slice of one or two requests; looks for completions if it seems full. */
    boolean roomForSlice(int requests) {
        return posted + requests - completed <= window || (poll() && posted + requests - completed <= window);
    }

    /** Whether there is room for a request that is no slice. */
    boolean room() {
        return posted - completed < capacity || (poll() && posted - completed < capacity);
    }

    /** One write. */
    void write(long local, int bytes, long remote, boolean report) {
        patch(0, local, localKey, bytes, remote, report, SendRequests.NONE);
        post();
    }

    /** Two writes from the link's own memory, of which the second arrives after the first. */
    void write(long local, int bytes, long remote, long secondLocal, int secondBytes, long secondRemote) {
        patch(0, local, localKey, bytes, remote, false, 1);
        patch(1, secondLocal, localKey, secondBytes, secondRemote, false, SendRequests.NONE);
        post();
    }

    /** As above with the first from memory with another key, which is in use until the second is done; that is reported. */
    void writeFrom(int key, long local, int bytes, long remote, long secondLocal, int secondBytes, long secondRemote) {
        patch(0, local, key, bytes, remote, false, 1);
        patch(1, secondLocal, localKey, secondBytes, secondRemote, true, SendRequests.NONE);
        post();
    }

    private void patch(int index, long local, int key, int bytes, long remote, boolean report, int next) {
        long number = ++posted;
        int flags = bytes <= maxInline ? SendRequests.INLINE : 0;
        if (report || number - signalled >= batch) {
            signalled = number;
            flags |= SendRequests.SIGNALED;
        }
        requests.patchWrite(index, local, key, bytes, remote, remoteKey, number, flags, next);
    }

    private void post() {
        int errno = pair.postSend(requests.address(0));
        if (errno != 0) {
            failure.posting(errno);
        }
    }

    /** Takes completions; true if there were any. */
    boolean poll() {
        int count = queue.poll(completions);
        for (int index = 0; index < count; index++) {
            int status = completions.status(index);
            if (status != WorkCompletions.SUCCESS) {
                failure.completion(status, completions.vendorError(index));
                return false;
            }
            completed = completions.id(index);
        }
        if (count < 0) {
            failure.polling(count);
        }
        return count > 0;
    }

    /** How many requests were ever posted. */
    long posted() {
        return posted;
    }

    /** How many requests, the oldest ones, are known to be done. */
    long completed() {
        return completed;
    }
}
