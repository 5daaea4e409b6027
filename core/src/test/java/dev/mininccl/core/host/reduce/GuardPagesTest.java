package dev.mininccl.core.host.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.Mman;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels at both ends of memory between pages nobody may touch: one byte too far ends the JVM with SIGSEGV. */
@Timeout(60)
class GuardPagesTest {

    private static final int PAGE = 65536;
    private static final int OPERANDS = 3;

    @ParameterizedTest
    @EnumSource(DataType.class)
    void touchNothingOutside(DataType type) {
        long[] pages = new long[OPERANDS + 2];
        long length = (pages.length * 2L + 1) * PAGE;
        long mapping = Mman.mapAnonymous(length);
        try {
            Mman.protect(mapping, PAGE, Mman.PROT_NONE);
            for (int i = 0; i < pages.length; i++) {
                pages[i] = mapping + (2L * i + 1) * PAGE;
                Mman.protect(pages[i] + PAGE, PAGE, Mman.PROT_NONE);
            }
            for (ReduceOp op : new ReduceOp[] {ReduceOp.SUM, ReduceOp.AVG}) {
                run(new Kernel(type, op), false, pages);
                run(new Kernel(type, op), true, pages);
            }
        } finally {
            Mman.unmap(mapping, length);
        }
    }

    private static void run(Kernel kernel, boolean vectors, long[] pages) {
        Reducer reducer = Reducers.of(kernel, 2, vectors);
        int most = PAGE / kernel.type().bytes();
        for (int count : new int[] {1, 2, 5, 9, 16, 33, 63, 100, 129, 1001, most - 1, most}) {
            long fromEnd = PAGE - (long) count * kernel.type().bytes();
            for (long shift : new long[] {0, fromEnd}) {
                long[] in = {pages[0] + shift, pages[1] + shift, pages[2] + shift};
                long out = pages[3] + shift;
                long copy = pages[4] + shift;
                Elements.put(kernel.type(), out, 1);
                reducer.reduce(in[0], in[1], out, count);
                reducer.reduceLast(in[0], in[1], out, count);
                reducer.reduceLastTwice(in[0], in[1], out, copy, count);
                reducer.reduceAll(in, OPERANDS, out, count);
                assertThat(Elements.get(kernel.type(), out)).as("sum of zeros").isZero();
            }
        }
    }
}
