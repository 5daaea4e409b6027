package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;

/** What a kernel computes. Code that is a template for kernels takes it from {@link Specialized#kernel}. */
record Kernel(DataType type, ReduceOp op) {

    /** What combines two elements, one of the constants of {@link Arithmetic}: an average is a sum until its end. */
    int combination() {
        return switch (op) {
            case SUM, AVG -> Arithmetic.SUM;
            case PROD -> Arithmetic.PROD;
            case MAX -> Arithmetic.MAX;
            case MIN -> Arithmetic.MIN;
        };
    }

    /** Whether every method has a vector form: not for binary16 and 8-bit floats, nor for what divides integers. */
    boolean hasVectors() {
        return type.isFloating() ? type != DataType.FLOAT16 && type.bytes() > 1 : !isAverage();
    }

    boolean isAverage() {
        return op == ReduceOp.AVG;
    }

    boolean isUnsigned() {
        return type == DataType.UINT8 || type == DataType.UINT32 || type == DataType.UINT64;
    }
}
