package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.NativeLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** The driver as a whole: whether it is there, its version, how many devices it has. */
public final class CudaDriver {
    private static final MethodHandle INIT = Calls.call("cuInit", JAVA_INT);
    private static final MethodHandle VERSION = Calls.call("cuDriverGetVersion", ADDRESS);
    private static final MethodHandle COUNT = Calls.call("cuDeviceGetCount", ADDRESS);

    private CudaDriver() {}

    /**
     * Starts the driver in this process, once; anything but device queries of other classes needs it.
     *
     * @return empty if at least one device may be used, otherwise the reason why none can
     */
    public static Optional<String> start() {
        return Start.FAILURE;
    }

    /**
     * The newest CUDA release this driver supports.
     *
     * @return 1000 times the major plus 10 times the minor release: 13000 is CUDA 13.0
     * @throws CudaException if the driver refuses
     */
    public static int version() {
        return query(VERSION, "cuDriverGetVersion");
    }

    /**
     * The number of devices.
     *
     * @return 0 or more
     * @throws CudaException if the driver refuses, or was not started
     */
    public static int deviceCount() {
        return query(COUNT, "cuDeviceGetCount");
    }

    private static int query(MethodHandle handle, String call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            Calls.check((int) handle.invokeExact(value), call);
            return value.get(JAVA_INT, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** What makes {@code cuInit} fail where a driver's library is there; codes of cuda.h. */
    static String hint(int result) {
        return switch (result) {
            case 34 -> "this is the toolkit's stub of libcuda: take its folder stubs out of LD_LIBRARY_PATH";
            case 100 -> "no GPU is visible: in a container run it with --gpus all; see CUDA_VISIBLE_DEVICES";
            case 803, 804 ->
                "libcuda and the kernel's driver are of different releases: reboot after an update, or in a"
                        + " container leave out the image's own libcuda";
            case 802 -> "NVSwitch is not up: see the service nvidia-fabricmanager";
            case 999 -> "often the module nvidia_uvm is missing or hung: modprobe nvidia_uvm, or reboot";
            default -> "";
        };
    }

    private static final class Start {
        static final Optional<String> FAILURE = failure();

        private static Optional<String> failure() {
            Optional<String> absent = NativeLibraries.cuda().reason();
            if (absent.isPresent()) {
                return absent;
            }
            try {
                int result = (int) INIT.invokeExact(0);
                if (result != 0) {
                    return Optional.of(new CudaException("cuInit", result, hint(result)).getMessage());
                }
                return deviceCount() > 0 ? Optional.empty() : Optional.of("the driver has no device");
            } catch (CudaException e) {
                return Optional.of(e.getMessage());
            } catch (Throwable e) {
                throw Calls.unexpected(e);
            }
        }
    }
}
