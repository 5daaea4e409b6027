package dev.mininccl.jcuda.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import org.junit.jupiter.api.Test;

class JcudaCommunicatorTest {

    private static final long ADDRESS = 0x7f00_1234_5600L;

    /** As JCuda's native code does it. */
    private static <T extends NativePointerObject> T pointing(T object) throws ReflectiveOperationException {
        MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
                .findVarHandle(NativePointerObject.class, "nativePointer", long.class)
                .set(object, ADDRESS);
        return object;
    }

    @Test
    void pointersAndStreamsBecomeTheirValues() throws ReflectiveOperationException {
        CUdeviceptr pointer = pointing(new CUdeviceptr());
        assertThat(JcudaCommunicator.address(pointer)).isEqualTo(ADDRESS);
        assertThat(JcudaCommunicator.address(pointer.withByteOffset(4096).withByteOffset(8)))
                .isEqualTo(ADDRESS + 4104);
        assertThat(JcudaCommunicator.stream(pointing(new CUstream()))).isEqualTo(ADDRESS);
        assertThat(JcudaCommunicator.stream(new CUstream())).isZero();
        assertThat(JcudaCommunicator.address(Pointer.to(new float[1]))).isZero();
        assertThatThrownBy(() -> JcudaCommunicator.address(null)).isInstanceOf(NullPointerException.class);
    }
}
