package dev.mininccl.core.host.reduce;

/** Makes reducers that need no module. */
final class ScalarReducers {

    private ScalarReducers() {}

    static ScratchReducer of(Kernel kernel, int ranks) {
        Class<? extends ScratchReducer> template = switch (kernel.type()) {
            case INT8, UINT8 -> ScalarByteReducer.class;
            case INT32, UINT32 -> ScalarIntReducer.class;
            case INT64, UINT64 -> ScalarLongReducer.class;
            case FLOAT16 -> Float16Reducer.class;
            case FLOAT32 -> ScalarFloatReducer.class;
            case FLOAT64 -> ScalarDoubleReducer.class;
            case BFLOAT16 -> ScalarBfloat16Reducer.class;
        };
        return (ScratchReducer) Specialized.reducer(template, kernel, ranks);
    }
}
