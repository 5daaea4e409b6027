package dev.mininccl.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.mininccl.cli.perf.Workbench.Side;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
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
        Pattern pattern = Pattern.of(type, op, team.size());
        long key = Pattern.mix(plan.seed(), type.code(), op.code(), count, inPlace ? 1 : 0, round);
        long bytes = count * type.bytes();
        Side source = inPlace ? Side.OUTPUT : Side.INPUT;
        eachChunk(count, type, (chunk, elements, offset, length) -> {
            pattern.input(key, team.rank(), chunk, elements, expected);
            bench.write(source, offset, expected.asSlice(0, length));
            if (!inPlace) {
                bench.write(Side.OUTPUT, offset, poison.asSlice(0, length));
            }
            return 0;
        });
        bench.write(Side.OUTPUT, bytes, poison.asSlice(0, Workbench.TAIL));
        team.barrier();
        operation.run(1);
        corrupt(count, type);

        CRC32C sum = new CRC32C();
        long wrong = eachChunk(count, type, (chunk, elements, offset, length) -> {
            MemorySegment got = found.asSlice(0, length);
            bench.read(Side.OUTPUT, offset, got);
            pattern.result(key, chunk, elements, expected);
            sum.update(got.asByteBuffer());
            return Elements.differing(expected.asSlice(0, length), got, type, op == ReduceOp.AVG ? 1 : 0);
        });
        wrong += inPlace ? 0 : changedInput(pattern, key, count, type);
        wrong += writtenPastEnd(bytes);
        long everywhere = team.sum(wrong);
        return team.same(sum.getValue()) ? everywhere : Math.max(1, everywhere);
    }

    private long changedInput(Pattern pattern, long key, long count, DataType type) {
        return eachChunk(count, type, (chunk, elements, offset, length) -> {
            MemorySegment got = found.asSlice(0, length);
            bench.read(Side.INPUT, offset, got);
            pattern.input(key, team.rank(), chunk, elements, expected);
            return Elements.differing(expected.asSlice(0, length), got, type, 0);
        });
    }

    private long writtenPastEnd(long bytes) {
        MemorySegment got = found.asSlice(0, Workbench.TAIL);
        bench.read(Side.OUTPUT, bytes, got);
        return Elements.differing(poison.asSlice(0, Workbench.TAIL), got, DataType.UINT8, 0);
    }

    /** Spoils this rank's first element, if told to. */
    private void corrupt(long count, DataType type) {
        if (plan.corrupt() == team.rank() && count > 0) {
            MemorySegment element = found.asSlice(0, type.bytes());
            bench.read(Side.OUTPUT, 0, element);
            element.set(JAVA_BYTE, 0, (byte) (element.get(JAVA_BYTE, 0) ^ 0x11));
            bench.write(Side.OUTPUT, 0, element);
        }
    }

    private long eachChunk(long count, DataType type, Step step) {
        long sum = 0;
        for (long chunk = 0; chunk * Pattern.CHUNK < count; chunk++) {
            int elements = (int) Math.min(Pattern.CHUNK, count - chunk * Pattern.CHUNK);
            sum += step.apply(chunk, elements, chunk * Pattern.CHUNK * type.bytes(), (long) elements * type.bytes());
        }
        return sum;
    }

    @Override
    public void close() {
        arena.close();
    }

    /** Work on a part of the buffers that fits in a cache. */
    private interface Step {
        long apply(long chunk, int elements, long offset, long length);
    }
}
