package dev.mininccl.bindings.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.ibv_comp_channel;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ErrnoCapture;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.PollSet;
import dev.mininccl.bindings.posix.PosixException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where completion queues announce completions to a thread that sleeps. */
public final class CompletionChannel extends VerbsHandle {
    private final Device device;
    private final int fd;

    CompletionChannel(long address, Device device) {
        super(address, "ibv_destroy_comp_channel " + device);
        this.device = device;
        this.fd = NativeMemory.getInt(address + ibv_comp_channel.fd$offset());
    }

    @Override
    int destroy() {
        return Ibv.ibv_destroy_comp_channel(MemorySegment.ofAddress(address()));
    }

    /**
     * The descriptor that is readable while an announcement waits.
     *
     * @return the descriptor, which stays with this channel
     */
    public int fd() {
        return fd;
    }

    /**
     * Waits for an announcement and acknowledges it. The queue announces again only after
     * {@link CompletionQueue#requestNotify}, and must then be polled once more before waiting. For one thread.
     *
     * @param timeoutMillis how long, 0 for not at all
     * @return {@link CompletionQueue#address} of the queue, or 0 after the time
     * @throws VerbsException if reading fails
     * @throws PosixException if waiting fails
     */
    public long await(int timeoutMillis) {
        PollSet set = new PollSet(1);
        set.set(0, fd, PollSet.POLLIN);
        int ready = set.poll(timeoutMillis);
        if (ready < 0 && ready != -Errno.EINTR) {
            throw new PosixException("poll of completion channel of " + device, -ready);
        }
        if (ready <= 0) {
            return 0;
        }
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG, 2);
            int result = VerbsCalls.getCqEvent(errno, address(), out.address(), out.address() + Long.BYTES);
            Dialects.negative(result, errno, "ibv_get_cq_event " + device);
            long queue = out.get(JAVA_LONG, 0);
            Ibv.ibv_ack_cq_events(MemorySegment.ofAddress(queue), 1);
            return queue;
        }
    }
}
