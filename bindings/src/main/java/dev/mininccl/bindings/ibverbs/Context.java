package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.ibv_async_event;
import dev.mininccl.bindings.ibverbs.gen.ibv_context;
import dev.mininccl.bindings.ibverbs.gen.ibv_device_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_port_attr;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ErrnoCapture;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.PollSet;
import dev.mininccl.bindings.posix.PosixException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** An opened device. Its table of functions is read once. */
public final class Context extends VerbsHandle {
    private final Device device;
    private final boolean critical;
    private final VerbsOps ops;
    private final int asyncFd;

    Context(long address, Device device, boolean critical) {
        super(address, "ibv_close_device " + device);
        this.device = device;
        this.critical = critical;
        this.ops = VerbsOps.read(address);
        this.asyncFd = NativeMemory.getInt(address + ibv_context.async_fd$offset());
    }

    @Override
    int destroy() {
        return Ibv.ibv_close_device(MemorySegment.ofAddress(address()));
    }

    VerbsOps ops() {
        return ops;
    }

    /**
     * The device.
     *
     * @return as it was opened
     */
    public Device device() {
        return device;
    }

    /**
     * Whether posting and polling are critical calls.
     *
     * @return as chosen when it was opened
     */
    public boolean critical() {
        return critical;
    }

    /**
     * Asks the device about itself.
     *
     * @return its attributes
     * @throws VerbsException if it does not answer
     */
    public DeviceAttributes attributes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_device_attr.allocate(arena);
            int error = Ibv.ibv_query_device(MemorySegment.ofAddress(address()), attributes);
            Dialects.errorValue(error, "ibv_query_device " + device);
            return DeviceAttributes.read(attributes);
        }
    }

    /**
     * Asks a port about itself.
     *
     * @param port from 1
     * @return its attributes
     * @throws VerbsException with {@code EINVAL} if there is no such port
     */
    public PortAttributes port(int port) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_port_attr.allocate(arena);
            int error = VerbsOps.queryPort(address(), port, attributes);
            if (error == -1) {
                // The exported function fills an older, shorter form; what it leaves stays zero.
                error = Ibv.ibv_query_port(MemorySegment.ofAddress(address()), (byte) port, attributes);
            }
            Dialects.errorValue(error, "ibv_query_port " + device + " port " + port);
            return PortAttributes.read(port, attributes);
        }
    }

    /**
     * The used entries of a port's GID table.
     *
     * @param port from 1
     * @return the entries by index
     * @throws VerbsException if the table cannot be read
     */
    public List<GidEntry> gids(int port) {
        return GidTable.read(this, port(port));
    }

    /**
     * Allocates a protection domain.
     *
     * @return the domain; the caller closes it before this context
     * @throws VerbsException if none is left
     */
    public ProtectionDomain allocateDomain() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        long domain = VerbsCalls.allocPd(errno, address());
        return new ProtectionDomain(Dialects.nullable(domain, errno, "ibv_alloc_pd " + device), this);
    }

    /**
     * Creates a channel on which completion queues announce completions.
     *
     * @return the channel; the caller closes it after its queues and before this context
     * @throws VerbsException if none can be had
     */
    public CompletionChannel createChannel() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        long channel = VerbsCalls.createCompChannel(errno, address());
        return new CompletionChannel(Dialects.nullable(channel, errno, "ibv_create_comp_channel " + device), device);
    }

    /**
     * Creates a completion queue that is polled.
     *
     * @param entries how many completions it must hold
     * @return the queue; the caller closes it after its queue pairs and before this context
     * @throws VerbsException if the device has no such queue
     */
    public CompletionQueue createQueue(int entries) {
        return createQueue(entries, 0);
    }

    /**
     * Creates a completion queue that can announce completions.
     *
     * @param entries how many completions it must hold
     * @param channel where it announces them
     * @return the queue; the caller closes it after its queue pairs and before the channel
     * @throws VerbsException if the device has no such queue
     */
    public CompletionQueue createQueue(int entries, CompletionChannel channel) {
        return createQueue(entries, channel.address());
    }

    private CompletionQueue createQueue(int entries, long channel) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        long queue = VerbsCalls.createCq(errno, address(), entries, channel);
        String call = "ibv_create_cq of " + entries + " entries on " + device;
        return new CompletionQueue(Dialects.nullable(queue, errno, call), this);
    }

    /**
     * The descriptor that is readable while an asynchronous event waits.
     *
     * @return the descriptor, which stays with this context
     */
    public int asyncFd() {
        return asyncFd;
    }

    /**
     * Waits for an asynchronous event and acknowledges it: unacknowledged ones keep their object from being closed. For one thread.
     *
     * @param timeoutMillis how long, 0 for not at all
     * @return the event, or empty after the time
     * @throws VerbsException if reading fails
     * @throws PosixException if waiting fails
     */
    public Optional<AsyncEvent> nextEvent(int timeoutMillis) {
        PollSet set = new PollSet(1);
        set.set(0, asyncFd, PollSet.POLLIN);
        int ready = set.poll(timeoutMillis);
        if (ready < 0 && ready != -Errno.EINTR) {
            throw new PosixException("poll of asynchronous events of " + device, -ready);
        }
        if (ready <= 0) {
            return Optional.empty();
        }
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = ibv_async_event.allocate(arena);
            int result = VerbsCalls.getAsyncEvent(errno, address(), event.address());
            Dialects.negative(result, errno, "ibv_get_async_event " + device);
            AsyncEvent copy = AsyncEvent.read(event);
            Ibv.ibv_ack_async_event(event);
            return Optional.of(copy);
        }
    }

    @Override
    public String toString() {
        return device.name();
    }
}
