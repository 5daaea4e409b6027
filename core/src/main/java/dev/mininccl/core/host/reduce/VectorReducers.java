package dev.mininccl.core.host.reduce;

import dev.mininccl.core.ReduceOp;

/** Makes reducers that use the Vector API. Whoever loads this class has found its module. */
final class VectorReducers {

    private VectorReducers() {}

    static Reducer of(Kernel kernel, int ranks) {
        ScratchReducer scalar = ScalarReducers.of(kernel, ranks);
        return switch (kernel.type()) {
            case FLOAT16, FLOAT8E4M3, FLOAT8E5M2 -> scalar;
            case BFLOAT16 -> Specialized.reducer(VectorBfloat16Reducer.class, kernel, ranks, scalar);
            case FLOAT32, FLOAT64 -> Specialized.reducer(VectorReducer.class, kernel, ranks, scalar);
            case INT8, UINT8, INT32, UINT32, INT64, UINT64 -> ofIntegers(kernel, ranks, scalar);
        };
    }

    private static Reducer ofIntegers(Kernel kernel, int ranks, ScratchReducer scalar) {
        if (kernel.isAverage()) {
            return new IntegerAverageReducer(of(new Kernel(kernel.type(), ReduceOp.SUM), ranks), scalar);
        }
        return Specialized.reducer(VectorReducer.class, kernel, ranks, scalar);
    }
}
