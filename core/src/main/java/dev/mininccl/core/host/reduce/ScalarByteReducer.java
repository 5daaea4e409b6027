package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Template of the scalar kernels for integers of 8 bits. */
final class ScalarByteReducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final boolean UNSIGNED = KERNEL.isUnsigned();
    private static final int FLIP = UNSIGNED ? Byte.MIN_VALUE : 0;
    private static final int BLOCK = BLOCK_BYTES;

    /** The quotient of each byte: looking up is quicker than dividing. */
    private final byte[] quotients = new byte[256];

    private final byte[] accumulators = new byte[BLOCK];
    private final byte[] operand = new byte[BLOCK];

    ScalarByteReducer(int ranks) {
        super(KERNEL, BLOCK);
        for (int i = 0; i < quotients.length; i++) {
            quotients[i] = (byte) ((UNSIGNED ? i : (byte) i) / ranks);
        }
    }

    @Override
    void combineOne(long a, long b, long out) {
        byte x = ALL.get(JAVA_BYTE, a);
        byte y = ALL.get(JAVA_BYTE, b);
        ALL.set(JAVA_BYTE, out, (byte) Arithmetic.combine(COMBINATION, x, y, FLIP));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_BYTE, address, accumulators, 0, n);
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_BYTE, address, operand, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = (byte) Arithmetic.combine(COMBINATION, accumulators[i], operand[i], FLIP);
        }
    }

    @Override
    void divide(int n) {
        for (int i = 0; i < n; i++) {
            accumulators[i] = quotients[Byte.toUnsignedInt(accumulators[i])];
        }
    }

    @Override
    void store(long address, int n) {
        MemorySegment.copy(accumulators, 0, ALL, JAVA_BYTE, address, n);
    }
}
