package dev.mininccl.core.host.reduce;

/** Makes reducers that need no module. */
final class ScalarReducers {

    private ScalarReducers() {}

    static ScratchReducer of(Kernel kernel, int ranks) {
        Class<? extends ScratchReducer> template = switch (kernel.type()) {
            case INT8, UINT8 -> ScalarByteReducer.class;
            case INT32, UINT32 -> ScalarIntReducer.class;
            case INT64, UINT64 -> ScalarLongReducer.class;
            case FLOAT16, BFLOAT16 -> ScalarHalfReducer.class;
            case FLOAT32 -> ScalarFloatReducer.class;
            case FLOAT64 -> ScalarDoubleReducer.class;
            case FLOAT8E4M3, FLOAT8E5M2 -> Float8Reducer.class;
        };
        return (ScratchReducer) Specialized.reducer(template, kernel, ranks);
    }
}
