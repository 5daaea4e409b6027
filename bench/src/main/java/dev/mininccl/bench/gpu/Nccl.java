package dev.mininccl.bench.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** NVIDIA's NCCL through its C API, to be measured beside. The library's path comes from the property {@code nccl.library}. */
final class Nccl implements AutoCloseable {
    private static final NativeLibrary LIBRARY = NativeLibraries.other(
            System.getProperty("nccl.library", "libnccl.so.2"),
            "install NCCL, or name its library in the property nccl.library");
    private static final MemoryLayout ID = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(128, JAVA_BYTE));
    private static final MethodHandle VERSION = handle("ncclGetVersion", ADDRESS);
    private static final MethodHandle UNIQUE_ID = handle("ncclGetUniqueId", ADDRESS);
    private static final MethodHandle INIT = handle("ncclCommInitRank", ADDRESS, JAVA_INT, ID, JAVA_INT);
    private static final MethodHandle DESTROY = handle("ncclCommDestroy", JAVA_LONG);
    private static final MethodHandle ALL_REDUCE =
            handle("ncclAllReduce", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    private final long comm;

    private Nccl(long comm) {
        this.comm = comm;
    }

    private static MethodHandle handle(String name, MemoryLayout... arguments) {
        return LIBRARY.handle(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static void check(int result, String call) {
        if (result != 0) {
            throw new IllegalStateException(call + " returned " + result);
        }
    }

    static int version() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(JAVA_INT);
            check((int) VERSION.invokeExact(version), "ncclGetVersion");
            return version.get(JAVA_INT, 0);
        }
    }

    /** Joins all ranks; the device's context must be current. */
    static Nccl join(Bootstrap bootstrap) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(ID);
            if (bootstrap.rank() == 0) {
                check((int) UNIQUE_ID.invokeExact(id), "ncclGetUniqueId");
            }
            byte[] first = bootstrap
                    .allGather(id.toArray(JAVA_BYTE), Deadline.afterNanos(60_000_000_000L))
                    .getFirst();
            id.copyFrom(MemorySegment.ofArray(first));
            MemorySegment slot = arena.allocate(JAVA_LONG);
            check((int) INIT.invokeExact(slot, bootstrap.size(), id, bootstrap.rank()), "ncclCommInitRank");
            return new Nccl(slot.get(JAVA_LONG, 0));
        }
    }

    void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        try {
            int result = (int) ALL_REDUCE.invokeExact(input, output, count, type.code(), op.code(), comm, stream);
            check(result, "ncclAllReduce");
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            check((int) DESTROY.invokeExact(comm), "ncclCommDestroy");
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
