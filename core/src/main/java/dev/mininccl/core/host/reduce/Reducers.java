package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Settings;

/** Makes reducers. */
public final class Reducers {

    private Reducers() {}

    /**
     * A reducer for one thread. The first call in a JVM decides between vector and scalar kernels, which takes up to
     * {@link VectorChoice#AT_MOST}; {@link KernelWarmup} has the kernels compiled before they are needed.
     *
     * @param type the type of the elements
     * @param op the operation
     * @param ranks what an average is divided by, at least 1
     * @param settings says which kernels are wanted
     * @return the reducer
     */
    public static Reducer of(DataType type, ReduceOp op, int ranks, Settings settings) {
        return of(new Kernel(type, op), ranks, VectorChoice.vectors(settings));
    }

    static Reducer of(Kernel kernel, int ranks, boolean vectors) {
        return vectors ? VectorReducers.of(kernel, ranks) : ScalarReducers.of(kernel, ranks);
    }
}
