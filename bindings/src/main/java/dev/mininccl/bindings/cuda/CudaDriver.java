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

    private static final class Start {
        static final Optional<String> FAILURE = failure();

        private static Optional<String> failure() {
            Optional<String> absent = NativeLibraries.cuda().reason();
            if (absent.isPresent()) {
                return absent;
            }
            try {
                Calls.check((int) INIT.invokeExact(0), "cuInit");
                return deviceCount() > 0 ? Optional.empty() : Optional.of("the driver has no device");
            } catch (CudaException e) {
                return Optional.of(e.getMessage());
            } catch (Throwable e) {
                throw Calls.unexpected(e);
            }
        }
    }
}
