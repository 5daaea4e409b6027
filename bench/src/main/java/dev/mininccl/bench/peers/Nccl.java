package dev.mininccl.bench.peers;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** NVIDIA's NCCL through its C API. The library is {@code libnccl.so.2}, or the file that {@code NCCL_LIBRARY} names. */
public final class Nccl implements Peer {
    private static final NativeLibrary LIBRARY = NativeLibraries.other(
            System.getenv().getOrDefault("NCCL_LIBRARY", "libnccl.so.2"),
            "install NCCL (Debian, Ubuntu: libnccl2), or name its file in the environment variable NCCL_LIBRARY"
                    + " (PyTorch brings one: site-packages/nvidia/nccl/lib/libnccl.so.2)");
    private static final MemoryLayout ID = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(128, JAVA_BYTE));
    private static final MethodHandle VERSION = handle("ncclGetVersion", ADDRESS);
    private static final MethodHandle UNIQUE_ID = handle("ncclGetUniqueId", ADDRESS);
    private static final MethodHandle INIT = handle("ncclCommInitRank", ADDRESS, JAVA_INT, ID, JAVA_INT);
    private static final MethodHandle DESTROY = handle("ncclCommDestroy", JAVA_LONG);
    private static final MethodHandle ALL_REDUCE =
            handle("ncclAllReduce", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle ALL_GATHER =
            handle("ncclAllGather", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REDUCE_SCATTER =
            handle("ncclReduceScatter", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    /** The first release with 8-bit floats. */
    private static final int FLOAT8_SINCE = 22400;

    private static final int LAST_OLD_TYPE = 9;

    private final int version;
    private final long comm;

    private Nccl(int version, long comm) {
        this.version = version;
        this.comm = comm;
    }

    private static MethodHandle handle(String name, MemoryLayout... arguments) {
        return LIBRARY.handle(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static void check(int result, String call) {
        if (result != 0) {
            throw new IllegalStateException(call + " returned " + result + "; NCCL_DEBUG=WARN tells more");
        }
    }

    /** Why there is no NCCL here. */
    static Optional<String> absent() {
        return LIBRARY.reason();
    }

    /**
     * Joins all ranks; the device's context must be current.
     *
     * @param rank this one
     * @param size how many
     * @param fromFirst gives all ranks rank 0's bytes
     */
    public static Nccl join(int rank, int size, UnaryOperator<byte[]> fromFirst) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(JAVA_INT);
            check((int) VERSION.invokeExact(version), "ncclGetVersion");
            MemorySegment id = arena.allocate(ID);
            if (rank == 0) {
                check((int) UNIQUE_ID.invokeExact(id), "ncclGetUniqueId");
            }
            id.copyFrom(MemorySegment.ofArray(fromFirst.apply(id.toArray(JAVA_BYTE))));
            MemorySegment slot = arena.allocate(JAVA_LONG);
            check((int) INIT.invokeExact(slot, size, id, rank), "ncclCommInitRank");
            return new Nccl(version.get(JAVA_INT, 0), slot.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    /** As {@code nccl.h} composes it from 2.9 on. */
    @Override
    public String version() {
        return version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }

    @Override
    public boolean supports(DataType type, ReduceOp op) {
        return type.code() <= LAST_OLD_TYPE || version >= FLOAT8_SINCE;
    }

    @Override
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        try {
            int result = (int) ALL_REDUCE.invokeExact(input, output, count, type.code(), op.code(), comm, stream);
            check(result, "ncclAllReduce");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    @Override
    public void allGather(long send, long recv, long count, DataType type, long stream) {
        try {
            int result = (int) ALL_GATHER.invokeExact(send, recv, count, type.code(), comm, stream);
            check(result, "ncclAllGather");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    @Override
    public void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op, long stream) {
        try {
            int result = (int) REDUCE_SCATTER.invokeExact(send, recv, count, type.code(), op.code(), comm, stream);
            check(result, "ncclReduceScatter");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    @Override
    public void close() {
        try {
            check((int) DESTROY.invokeExact(comm), "ncclCommDestroy");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }
}
