package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceBuffer;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.local.LocalJob;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class OperationCodeTest {
    @Test
    void codesDifferAndCanBeReadBack() {
        Set<Long> codes = new HashSet<>();
        long[] counts = {1, 2, 1L << 32, OperationCode.MAX_COUNT};
        for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                for (long count : counts) {
                    long code = OperationCode.allReduce(type, op, count);
                    assertThat(codes.add(code)).isTrue();
                    assertThat(OperationCode.describe(code))
                            .isEqualTo("all_reduce of " + count + " " + type.label() + ", " + op.label());
                    long scatter = OperationCode.reduceScatter(type, op, count);
                    assertThat(codes.add(scatter)).isTrue();
                    assertThat(OperationCode.describe(scatter))
                            .isEqualTo("reduce_scatter of " + count + " " + type.label() + ", " + op.label());
                }
            }
            assertThat(codes.add(OperationCode.allGather(type, 5))).isTrue();
            assertThat(OperationCode.describe(OperationCode.allGather(type, 5)))
                    .isEqualTo("all_gather of 5 " + type.label());
        }
    }

    @Test
    void symmetricCodesTellPlacesApart() {
        long first = OperationCode.symmetricAllReduce(DataType.FLOAT16, ReduceOp.MAX, 1000, 1);
        long second = OperationCode.symmetricAllReduce(DataType.FLOAT16, ReduceOp.MAX, 1000, 2);
        assertThat(first).isNotEqualTo(second);
        assertThat(OperationCode.describe(first))
                .startsWith("all_reduce of 1000 half, max in symmetric memory, place ");
        assertThat(OperationCode.describe(OperationCode.symmetricAllReduce(
                        DataType.BFLOAT16, ReduceOp.AVG, OperationCode.MAX_SYMMETRIC_COUNT, -1)))
                .startsWith("all_reduce of " + OperationCode.MAX_SYMMETRIC_COUNT + " bfloat16, avg");
    }

    @Test
    void foreignCodesAreShownAsNumbers() {
        assertThat(OperationCode.describe(-1)).contains("ffffffffffffffff");
    }

    @Test
    void badArgumentsNameThemselves() {
        refused(8, 8, -1, DataType.FLOAT32, "count -1");
        refused(8, 8, OperationCode.MAX_COUNT + 1, DataType.FLOAT32, "count " + (OperationCode.MAX_COUNT + 1));
        refused(0x102, 0x200, 4, DataType.FLOAT32, "0x102");
        refused(0x100, 0x108, 4, DataType.FLOAT32, "overlap");
        BufferCheck.arguments(0x100, 0x100, 4, DataType.FLOAT32);
        BufferCheck.arguments(0x100, 0x110, 4, DataType.FLOAT32);
        BufferCheck.arguments(0x101, 0x203, 4, DataType.INT8);
    }

    private static void refused(long input, long output, long count, DataType type, String part) {
        assertThatThrownBy(() -> BufferCheck.arguments(input, output, count, type))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(part);
    }

    @Test
    void noGpuIsAClearError() {
        Assumptions.assumeTrue(dev.mininccl.bindings.cuda.CudaDriver.start().isPresent(), "a GPU is present here");
        assertThatThrownBy(() -> GpuEngine.open(new LocalJob(2).bootstrap(0), 0, GpuOptions.defaults(), reason -> {}))
                .isInstanceOf(CommunicatorException.class)
                .hasMessageContaining("libcuda");
        assertThatThrownBy(() -> DeviceBuffer.allocate(0, 16))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("libcuda");
    }
}
