package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaHostMemory;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.MemorySegment;

/**
 * The {@code Words} structure of {@code arguments.cuh}: one rank's abort word, which kernels and the host both raise, and the reason
 * that a kernel gave.
 */
final class StopWords implements AutoCloseable {
    static final long RUNNING = 0;
    static final long DEADLINE = 1;
    static final long DISAGREEMENT = 2;
    static final long PROOF = 3;
    static final long HOST = 4;

    private static final long BYTES = 128;
    private static final long ABORT = 0;
    private static final long REASON = 8;
    private static final long PEER = 16;
    private static final long SEQUENCE = 24;
    private static final long EXPECTED = 32;
    private static final long SEEN = 40;
    private static final long PROVEN = 48;

    private final MemorySegment memory = CudaHostMemory.allocate(BYTES);
    private final long address = memory.address();

    long deviceAddress() {
        return CudaHostMemory.deviceAddress(address);
    }

    boolean raisedAcquire() {
        return NativeMemory.getLongAcquire(address + ABORT) != RUNNING;
    }

    void raiseRelease() {
        NativeMemory.putLongRelease(address + ABORT, HOST);
    }

    /** Back to the start; no kernel may be running. */
    void clear() {
        memory.fill((byte) 0);
    }

    /** Why a kernel stopped, or {@link #RUNNING} if none gave a reason. */
    long reason() {
        return NativeMemory.getLongAcquire(address + REASON);
    }

    int peer() {
        return (int) NativeMemory.getLongAcquire(address + PEER);
    }

    long sequence() {
        return NativeMemory.getLongAcquire(address + SEQUENCE);
    }

    long expected() {
        return NativeMemory.getLongAcquire(address + EXPECTED);
    }

    long seen() {
        return NativeMemory.getLongAcquire(address + SEEN);
    }

    long provenAcquire() {
        return NativeMemory.getLongAcquire(address + PROVEN);
    }

    @Override
    public void close() {
        CudaHostMemory.free(address);
    }
}
