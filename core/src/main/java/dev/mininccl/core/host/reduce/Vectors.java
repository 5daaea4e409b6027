package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** What the vector kernels calculate with. */
final class Vectors {

    private Vectors() {}

    /** The widest vector of a type; its elements' class is left out, as one template serves all types. */
    @SuppressWarnings("unchecked")
    static VectorSpecies<Object> species(DataType type) {
        VectorSpecies<?> species = switch (type) {
            case INT8, UINT8 -> ByteVector.SPECIES_PREFERRED;
            case INT32, UINT32 -> IntVector.SPECIES_PREFERRED;
            case INT64, UINT64 -> LongVector.SPECIES_PREFERRED;
            case FLOAT32, FLOAT16, BFLOAT16, FLOAT8E4M3, FLOAT8E5M2 -> FloatVector.SPECIES_PREFERRED;
            case FLOAT64 -> DoubleVector.SPECIES_PREFERRED;
        };
        return (VectorSpecies<Object>) species;
    }

    static VectorOperators.Binary combination(Kernel kernel) {
        boolean unsigned = kernel.isUnsigned();
        return switch (kernel.op()) {
            case SUM, AVG -> VectorOperators.ADD;
            case PROD -> VectorOperators.MUL;
            case MAX -> unsigned ? VectorOperators.UMAX : VectorOperators.MAX;
            case MIN -> unsigned ? VectorOperators.UMIN : VectorOperators.MIN;
        };
    }
}
