package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.List;

/**
 * One line of the table.
 *
 * @param type element type
 * @param op reduction
 * @param bytes message size, of the larger buffer
 * @param count elements, of each part where there are parts
 * @param outOfPlace {@code null} if not measured
 * @param inPlace {@code null} if not measured
 * @param peers the same line for each other library of the run, in its order
 */
record Row(
        DataType type,
        ReduceOp op,
        long bytes,
        long count,
        Measurement outOfPlace,
        Measurement inPlace,
        List<Row> peers) {

    /** A line without peers. */
    Row(DataType type, ReduceOp op, long bytes, long count, Measurement outOfPlace, Measurement inPlace) {
        this(type, op, bytes, count, outOfPlace, inPlace, List.of());
    }

    /** The measurement of a mode, or {@code null}. */
    Measurement of(boolean inPlaceMode) {
        return inPlaceMode ? inPlace : outOfPlace;
    }

    /** Wrong elements of both modes, as far as checked. */
    long wrong() {
        return wrong(outOfPlace) + wrong(inPlace);
    }

    private static long wrong(Measurement measurement) {
        return measurement == null ? 0 : Math.max(0, measurement.wrong());
    }
}
