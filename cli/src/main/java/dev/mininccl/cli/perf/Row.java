package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;

/**
 * One line of the table.
 *
 * @param type element type
 * @param op reduction
 * @param bytes message size
 * @param count elements
 * @param outOfPlace {@code null} if not measured
 * @param inPlace {@code null} if not measured
 */
record Row(DataType type, ReduceOp op, long bytes, long count, Measurement outOfPlace, Measurement inPlace) {

    /** The measurement of a mode, or {@code null}. */
    Measurement of(boolean inPlaceMode) {
        return inPlaceMode ? inPlace : outOfPlace;
    }
}
