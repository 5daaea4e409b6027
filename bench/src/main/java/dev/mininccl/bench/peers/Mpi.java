package dev.mininccl.bench.peers;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The MPI whose {@code mpirun} started this process: {@code MPI_Allreduce} on host memory through its C API. A process initialises
 * MPI once. Touching this class loads the library, and with it UCX, which may take over the JVM's signals: see
 * {@link MpiProvider#unsuited} first.
 */
final class Mpi implements Peer {
    private static final boolean OPEN_MPI = System.getenv("OMPI_COMM_WORLD_SIZE") != null;
    private static final NativeLibrary LIBRARY = NativeLibraries.other(
            System.getenv().getOrDefault("MPI_LIBRARY", OPEN_MPI ? "libmpi.so.40" : "libmpich.so.12"),
            "name the MPI library that belongs to mpirun in the environment variable MPI_LIBRARY");
    private static final MethodHandle INIT = handle("MPI_Init", ADDRESS, ADDRESS);
    private static final MethodHandle FINALIZE = handle("MPI_Finalize");
    private static final MethodHandle RANK = handle("MPI_Comm_rank", JAVA_LONG, ADDRESS);
    private static final MethodHandle SIZE = handle("MPI_Comm_size", JAVA_LONG, ADDRESS);
    private static final MethodHandle VERSION = handle("MPI_Get_library_version", ADDRESS, ADDRESS);
    private static final MethodHandle ALL_REDUCE =
            handle("MPI_Allreduce", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle ALL_GATHER =
            handle("MPI_Allgather", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REDUCE_SCATTER =
            handle("MPI_Reduce_scatter_block", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final int LONGEST_VERSION = 8192;

    private final MpiAbi abi;
    private final int rank;
    private final String version;

    private Mpi(MpiAbi abi, int rank, String version) {
        this.abi = abi;
        this.rank = rank;
        this.version = version;
    }

    private static MethodHandle handle(String name, MemoryLayout... arguments) {
        return LIBRARY.handle(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static void check(int result, String call) {
        if (result != 0) {
            throw new IllegalStateException(call + " returned " + result);
        }
    }

    /** Why the library cannot be called. */
    static Optional<String> absent() {
        return LIBRARY.reason();
    }

    /** Joins all ranks, whose numbers must be MPI's. */
    static Mpi join(int rank, int size) {
        try (Arena arena = Arena.ofConfined()) {
            check((int) INIT.invokeExact(MemorySegment.NULL, MemorySegment.NULL), "MPI_Init");
            MpiAbi abi = OPEN_MPI ? MpiAbi.openMpi(LIBRARY) : MpiAbi.mpich();
            MemorySegment number = arena.allocate(JAVA_INT);
            check((int) RANK.invokeExact(abi.world(), number), "MPI_Comm_rank");
            int itsRank = number.get(JAVA_INT, 0);
            check((int) SIZE.invokeExact(abi.world(), number), "MPI_Comm_size");
            int itsSize = number.get(JAVA_INT, 0);
            if (itsRank != rank || itsSize != size) {
                throw new IllegalStateException("rank " + rank + " of " + size + " is rank " + itsRank + " of "
                        + itsSize + " to MPI: leave --rank and --ranks to mpirun");
            }
            MemorySegment text = arena.allocate(LONGEST_VERSION);
            check((int) VERSION.invokeExact(text, number), "MPI_Get_library_version");
            return new Mpi(abi, rank, MpiAbi.shortened(text.getString(0)));
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public boolean supports(DataType type, ReduceOp op) {
        return abi.has(type, op);
    }

    @Override
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        try {
            int result = (int) ALL_REDUCE.invokeExact(
                    input == output ? abi.inPlace() : input,
                    output,
                    Math.toIntExact(count),
                    abi.types()[type.code()],
                    abi.operations()[op.code()],
                    abi.world());
            check(result, "MPI_Allreduce");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    @Override
    public void allGather(long send, long recv, long count, DataType type, long stream) {
        try {
            int elements = Math.toIntExact(count);
            long handle = abi.types()[type.code()];
            boolean inPlace = send == recv + rank * count * type.bytes();
            int result = (int) ALL_GATHER.invokeExact(
                    inPlace ? abi.inPlace() : send, elements, handle, recv, elements, handle, abi.world());
            check(result, "MPI_Allgather");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    /** MPI's result in place is at the begin of the buffer, so that it is moved; the times say so too. */
    @Override
    public void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op, long stream) {
        try {
            boolean inPlace = recv == send + rank * count * type.bytes();
            int result = (int) REDUCE_SCATTER.invokeExact(
                    inPlace ? abi.inPlace() : send,
                    inPlace ? send : recv,
                    Math.toIntExact(count),
                    abi.types()[type.code()],
                    abi.operations()[op.code()],
                    abi.world());
            check(result, "MPI_Reduce_scatter_block");
            if (inPlace && rank > 0) {
                NativeMemory.copy(send, recv, count * type.bytes());
            }
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }

    @Override
    public void close() {
        try {
            check((int) FINALIZE.invokeExact(), "MPI_Finalize");
        } catch (Throwable e) {
            throw Unchecked.of(e);
        }
    }
}
