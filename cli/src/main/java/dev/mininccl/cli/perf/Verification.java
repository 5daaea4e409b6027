package dev.mininccl.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.mininccl.cli.perf.Workbench.Side;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Runs a collective once on fresh data and counts what is wrong with it: result elements, bytes written past the end, input
 * that was changed out of place, and results that are not the same bits on all ranks.
 */
final class Verification implements AutoCloseable {

    /** NaN in every floating-point type. */
    private static final byte POISON = -1;

    private final Plan plan;
    private final Workbench bench;
    private final Team team;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment expected = arena.allocate(Pattern.CHUNK * Long.BYTES, 64);
    private final MemorySegment found = arena.allocate(Pattern.CHUNK * Long.BYTES, 64);
    private final MemorySegment poison =
            arena.allocate(Pattern.CHUNK * Long.BYTES, 64).fill(POISON);

    Verification(Plan plan, Workbench bench, Team team) {
        this.plan = plan;
        this.bench = bench;
        this.team = team;
    }

    /**
     * Checks one operation. All ranks call it together.
     *
     * @return wrong elements on all ranks together
     */
    long wrong(Workbench.Operation operation, boolean inPlace, long count, DataType type, ReduceOp op, int round) {
        Collective collective = plan.collective();
        int ranks = team.size();
        Pattern pattern = Pattern.of(type, op, ranks);
        long key = Pattern.mix(plan.seed(), type.code(), op.code(), count, inPlace ? 1 : 0, round);
        long part = count * type.bytes();
        Parts inputs = new Parts(
                inPlace ? Side.OUTPUT : Side.INPUT,
                collective.inputPlace(team.rank()),
                collective.inputs(ranks),
                inPlace ? collective.inputPlace(team.rank()) : 0);
        Parts outputs = new Parts(
                Side.OUTPUT,
                collective.outputPlace(team.rank()),
                collective.outputs(ranks),
                inPlace ? collective.outputPlace(team.rank()) : 0);
        long end = part * (inPlace ? collective.parts(ranks) : outputs.count);
        poison(end);
        eachChunk(inputs, count, type, (index, chunk, elements, offset, length) -> {
            pattern.input(keyOf(key, index), team.rank(), chunk, elements, expected);
            bench.write(inputs.side, offset, expected.asSlice(0, length));
            return 0;
        });
        team.barrier();
        operation.run(1);
        corrupt(outputs.place * part, count, type);

        CRC32C sum = new CRC32C();
        long wrong = eachChunk(outputs, count, type, (index, chunk, elements, offset, length) -> {
            MemorySegment got = found.asSlice(0, length);
            bench.read(Side.OUTPUT, offset, got);
            if (collective.reduces()) {
                pattern.result(keyOf(key, index), chunk, elements, expected);
            } else {
                pattern.input(keyOf(key, index), index, chunk, elements, expected);
            }
            sum.update(got.asByteBuffer());
            return Elements.differing(expected.asSlice(0, length), got, type, op == ReduceOp.AVG ? 1 : 0);
        });
        wrong += inPlace ? 0 : changedInput(inputs, pattern, key, count, type);
        wrong += writtenPastEnd(end);
        long everywhere = team.sum(wrong);
        // Parts that went to different ranks have nothing in common.
        boolean same = collective == Collective.REDUCE_SCATTER || team.same(sum.getValue());
        return same ? everywhere : Math.max(1, everywhere);
    }

    /** Parts of a buffer: the first one's index and place, and how many follow each other. */
    private record Parts(Side side, int first, int count, int place) {}

    /** Every part has data of its own. */
    private static long keyOf(long key, int part) {
        return part == 0 ? key : Pattern.mix(key, part);
    }

    /** Fills the output, and what lies behind its end, with what no result is. */
    private void poison(long end) {
        long bytes = end + Workbench.TAIL;
        for (long offset = 0; offset < bytes; offset += poison.byteSize()) {
            bench.write(Side.OUTPUT, offset, poison.asSlice(0, Math.min(poison.byteSize(), bytes - offset)));
        }
    }

    private long changedInput(Parts inputs, Pattern pattern, long key, long count, DataType type) {
        return eachChunk(inputs, count, type, (index, chunk, elements, offset, length) -> {
            MemorySegment got = found.asSlice(0, length);
            bench.read(Side.INPUT, offset, got);
            pattern.input(keyOf(key, index), team.rank(), chunk, elements, expected);
            return Elements.differing(expected.asSlice(0, length), got, type, 0);
        });
    }

    private long writtenPastEnd(long bytes) {
        MemorySegment got = found.asSlice(0, Workbench.TAIL);
        bench.read(Side.OUTPUT, bytes, got);
        return Elements.differing(poison.asSlice(0, Workbench.TAIL), got, DataType.UINT8, 0);
    }

    /** Spoils this rank's first element, if told to. */
    private void corrupt(long at, long count, DataType type) {
        if (plan.corrupt() == team.rank() && count > 0) {
            MemorySegment element = found.asSlice(0, type.bytes());
            bench.read(Side.OUTPUT, at, element);
            element.set(JAVA_BYTE, 0, (byte) (element.get(JAVA_BYTE, 0) ^ 0x11));
            bench.write(Side.OUTPUT, at, element);
        }
    }

    private static long eachChunk(Parts parts, long count, DataType type, Step step) {
        long sum = 0;
        for (int i = 0; i < parts.count; i++) {
            long start = (parts.place + i) * count * type.bytes();
            for (long chunk = 0; chunk * Pattern.CHUNK < count; chunk++) {
                int elements = (int) Math.min(Pattern.CHUNK, count - chunk * Pattern.CHUNK);
                long offset = start + chunk * Pattern.CHUNK * type.bytes();
                sum += step.apply(parts.first + i, chunk, elements, offset, (long) elements * type.bytes());
            }
        }
        return sum;
    }

    @Override
    public void close() {
        arena.close();
    }

    /** Work on a part of the buffers that fits in a cache. */
    private interface Step {
        long apply(int part, long chunk, int elements, long offset, long length);
    }
}
