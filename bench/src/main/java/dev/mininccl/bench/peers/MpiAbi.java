package dev.mininccl.bench.peers;

import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.Arrays;
import java.util.Map;

/**
 * What differs between MPI libraries: how {@code mpi.h} spells the handles of types, operations and the world. In Open MPI they are
 * addresses of exported objects, in MPICH and its kin ints, which travel in the same registers.
 *
 * @param inPlace {@code MPI_IN_PLACE}
 * @param world {@code MPI_COMM_WORLD}
 * @param types handles by the type's code, 0 where MPI has none
 * @param operations handles by the operation's code, 0 where MPI has none
 */
record MpiAbi(long inPlace, long world, long[] types, long[] operations) {

    private static final Map<DataType, String> OPEN_MPI_TYPES = Map.of(
            DataType.INT8, "int8_t",
            DataType.UINT8, "uint8_t",
            DataType.INT32, "int32_t",
            DataType.UINT32, "uint32_t",
            DataType.INT64, "int64_t",
            DataType.UINT64, "uint64_t",
            DataType.FLOAT32, "float",
            DataType.FLOAT64, "double");
    private static final Map<ReduceOp, String> OPEN_MPI_OPERATIONS =
            Map.of(ReduceOp.SUM, "op_sum", ReduceOp.PROD, "op_prod", ReduceOp.MAX, "op_max", ReduceOp.MIN, "op_min");
    private static final Map<DataType, Integer> MPICH_TYPES = Map.of(
            DataType.INT8, 0x4c000137,
            DataType.UINT8, 0x4c00013b,
            DataType.INT32, 0x4c000439,
            DataType.UINT32, 0x4c00043d,
            DataType.INT64, 0x4c00083a,
            DataType.UINT64, 0x4c00083e,
            DataType.FLOAT32, 0x4c00040a,
            DataType.FLOAT64, 0x4c00080b);
    private static final Map<ReduceOp, Integer> MPICH_OPERATIONS = Map.of(
            ReduceOp.SUM, 0x58000003, ReduceOp.PROD, 0x58000004, ReduceOp.MAX, 0x58000001, ReduceOp.MIN, 0x58000002);
    private static final int MPICH_WORLD = 0x44000000;

    static MpiAbi openMpi(NativeLibrary library) {
        return new MpiAbi(
                1,
                address(library, "comm_world"),
                Arrays.stream(DataType.values())
                        .mapToLong(type -> address(library, OPEN_MPI_TYPES.get(type)))
                        .toArray(),
                Arrays.stream(ReduceOp.values())
                        .mapToLong(op -> address(library, OPEN_MPI_OPERATIONS.get(op)))
                        .toArray());
    }

    private static long address(NativeLibrary library, String object) {
        return object == null ? 0 : library.address("ompi_mpi_" + object).address();
    }

    static MpiAbi mpich() {
        return new MpiAbi(
                -1,
                MPICH_WORLD,
                Arrays.stream(DataType.values())
                        .mapToLong(type -> MPICH_TYPES.getOrDefault(type, 0))
                        .toArray(),
                Arrays.stream(ReduceOp.values())
                        .mapToLong(op -> MPICH_OPERATIONS.getOrDefault(op, 0))
                        .toArray());
    }

    boolean has(DataType type, ReduceOp op) {
        return types[type.code()] != 0 && operations[op.code()] != 0;
    }

    /** {@code Open MPI v4.1.4, package: …} and {@code MPICH Version:      4.0.2\n…} up to the number. */
    static String shortened(String version) {
        return version.lines().findFirst().orElse("").replaceFirst(",.*", "").replaceAll("\\s+", " ");
    }
}
