package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@SuppressWarnings("restricted")
class CudaBindingsTest {
    private static final String ADD_ONE = """
            .version 7.0
            .target sm_70
            .address_size 64
            .visible .entry add_one(.param .u64 at) {
              .reg .u64 %a; .reg .u32 %t, %v;
              ld.param.u64 %a, [at];
              mov.u32 %t, %tid.x;
              mad.wide.u32 %a, %t, 4, %a;
              ld.global.u32 %v, [%a];
              add.u32 %v, %v, 1;
              st.global.u32 [%a], %v;
              ret;
            }
            """;

    static Stream<ThrowingCallable> callsOfEveryClass() {
        return Stream.of(
                CudaDriver::version,
                () -> new CudaDevice(0).name(),
                () -> new CudaDevice(0).uuid(),
                () -> CudaContext.retain(new CudaDevice(0)),
                CudaContext::current,
                () -> CudaMemory.allocate(1),
                () -> CudaMemory.exportDmaBuf(0, 4096),
                () -> new CudaDevice(0).needsRdmaFlush(),
                () -> CudaHostMemory.allocate(1),
                () -> CudaIpc.open(new byte[CudaIpc.HANDLE_BYTES]),
                () -> CudaStream.synchronize(0),
                () -> CudaEvent.create(false),
                () -> CudaEvent.milliseconds(0, 0),
                () -> CudaGraph.begin(0),
                () -> CudaPointer.of(0),
                () -> CudaModule.load(ADD_ONE));
    }

    @ParameterizedTest
    @MethodSource("callsOfEveryClass")
    void everyClassLoadsAndSaysWhatIsMissing(ThrowingCallable call) {
        assumeTrue(!NativeLibraries.cuda().present(), "libcuda is present here");
        assertThatThrownBy(call).isInstanceOf(NativeUnavailableException.class).hasMessageContaining("libcuda.so.1");
    }

    @Test
    void absentDriverIsAReasonAndNoFailure() {
        assumeTrue(!NativeLibraries.cuda().present(), "libcuda is present here");
        assertThat(CudaDriver.start())
                .hasValueSatisfying(reason -> assertThat(reason).contains("libcuda.so.1"));
    }

    @Test
    void errorsCarryCallCodeAndDetail() {
        CudaException e = new CudaException("cuMemAlloc", 2, "12 bytes");
        assertThat(e.code()).isEqualTo(2);
        assertThat(e).hasMessageContainingAll("cuMemAlloc", "2", "12 bytes");
    }

    @Test
    void parametersPointToTheBlock() {
        try (Arena arena = Arena.ofConfined()) {
            KernelParameters parameters = new KernelParameters(40, arena);
            long pointer =
                    MemorySegment.ofAddress(parameters.address()).reinterpret(8).get(JAVA_LONG, 0);
            assertThat(pointer).isEqualTo(parameters.block().address());
            assertThat(parameters.block().byteSize()).isEqualTo(40);
        }
    }

    @Test
    void runsAKernelFromText() {
        assumeTrue(
                CudaDriver.start().isEmpty(),
                () -> "no GPU: " + CudaDriver.start().orElse(""));
        Random random = new Random(42);
        try (CudaContext context = CudaContext.retain(new CudaDevice(0));
                Arena arena = Arena.ofConfined()) {
            long before = CudaContext.current();
            context.enter();
            try (CudaModule module = CudaModule.load(ADD_ONE)) {
                MemorySegment host = arena.allocate(256, 16);
                random.ints(64).forEach(i -> host.set(JAVA_BYTE, i & 255, (byte) i));
                int[] given = host.toArray(java.lang.foreign.ValueLayout.JAVA_INT);
                long memory = CudaMemory.allocate(256);
                CudaMemory.toDevice(memory, host);
                KernelParameters parameters = new KernelParameters(8, arena);
                parameters.block().set(JAVA_LONG, 0, memory);
                long stream = CudaStream.create();
                module.kernel("add_one").launch(1, 64, stream, parameters.address());
                CudaStream.synchronize(stream);
                CudaMemory.toHost(host, memory);
                for (int i = 0; i < 64; i++) {
                    assertThat(host.getAtIndex(java.lang.foreign.ValueLayout.JAVA_INT, i))
                            .isEqualTo(given[i] + 1);
                }
                assertThat(CudaPointer.of(memory).memory()).isEqualTo(CudaPointer.Memory.DEVICE);
                assertThat(CudaPointer.of(host.address()).memory()).isEqualTo(CudaPointer.Memory.UNKNOWN);
                CudaStream.destroy(stream);
                CudaMemory.free(memory);
            } finally {
                context.leave();
            }
            assertThat(CudaContext.current()).isEqualTo(before);
        }
    }
}
