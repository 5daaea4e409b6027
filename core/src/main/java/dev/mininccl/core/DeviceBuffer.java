package dev.mininccl.core;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory of a GPU. */
public final class DeviceBuffer implements AutoCloseable {

    private final CudaContext context;
    private final long address;
    private final long bytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DeviceBuffer(CudaContext context, long address, long bytes) {
        this.context = context;
        this.address = address;
        this.bytes = bytes;
    }

    /**
     * Allocates memory in the device's primary context; its content is undefined.
     *
     * @param ordinal the device's number in this process, from 0
     * @param bytes the size, at least 1
     * @return the buffer, to be closed
     * @throws InvalidCallException if there is no such device, or the size is out of range
     * @throws dev.mininccl.bindings.cuda.CudaException if there is not enough memory
     */
    public static DeviceBuffer allocate(int ordinal, long bytes) {
        CudaDriver.start().ifPresent(reason -> {
            throw new InvalidCallException(ResultCode.INVALID_USAGE, "no GPU: " + reason);
        });
        if (ordinal < 0 || ordinal >= CudaDriver.deviceCount()) {
            throw new InvalidCallException("device " + ordinal + ": must be 0 to " + (CudaDriver.deviceCount() - 1));
        }
        if (bytes < 1) {
            throw new InvalidCallException("bytes " + bytes + ": must be at least 1");
        }
        CudaContext context = CudaContext.retain(new CudaDevice(ordinal));
        context.enter();
        try {
            return new DeviceBuffer(context, CudaMemory.allocate(bytes), bytes);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        } finally {
            context.leave();
        }
    }

    /**
     * Where it lies.
     *
     * @return the device address, aligned to 256 bytes
     * @throws InvalidCallException if it was closed
     */
    public long address() {
        requireOpen();
        return address;
    }

    /**
     * Its size.
     *
     * @return bytes
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Copies from the host, and waits until that is done.
     *
     * @param offset where in the buffer, in bytes
     * @param from native memory
     * @throws InvalidCallException if it does not fit, or the buffer was closed
     */
    public void copyFrom(long offset, MemorySegment from) {
        requireRoom(offset, from);
        context.enter();
        try {
            CudaMemory.toDevice(address + offset, from);
            CudaStream.synchronize(0);
        } finally {
            context.leave();
        }
    }

    /**
     * Copies to the host, and waits until that is done. Work of streams that write to the buffer must have ended.
     *
     * @param offset where in the buffer, in bytes
     * @param to native memory, to be filled
     * @throws InvalidCallException if there is less, or the buffer was closed
     */
    public void copyTo(long offset, MemorySegment to) {
        requireRoom(offset, to);
        context.enter();
        try {
            CudaMemory.toHost(to, address + offset);
        } finally {
            context.leave();
        }
    }

    private void requireRoom(long offset, MemorySegment memory) {
        requireOpen();
        if (offset < 0 || offset > bytes) {
            throw new InvalidCallException("offset " + offset + ": must be 0 to " + bytes);
        }
        if (!memory.isNative() || memory.byteSize() > bytes - offset) {
            throw new InvalidCallException((memory.isNative() ? "native" : "heap") + " memory of " + memory.byteSize()
                    + " bytes: must be native and at most " + (bytes - offset));
        }
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new InvalidCallException(ResultCode.INVALID_USAGE, "the device buffer is closed");
        }
    }

    /** Frees the memory after all work of the device. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            context.enter();
            try {
                CudaMemory.free(address);
            } finally {
                context.leave();
                context.close();
            }
        }
    }
}
