package dev.mininccl.bindings;

import java.util.List;

/**
 * The three libraries these bindings call. Each is looked for once, when first asked for; none has to be there, and no class of
 * this module fails to load where one is absent: constants, layouts and error texts work without any.
 */
public final class NativeLibraries {
    private NativeLibraries() {}

    /**
     * The C library.
     *
     * @return present on Linux x86-64 and aarch64
     */
    public static NativeLibrary libc() {
        return Libc.LIBRARY;
    }

    /**
     * {@code libibverbs.so.1}, of rdma-core. That it is present says nothing about devices.
     *
     * @return present or absent with a reason
     */
    public static NativeLibrary ibverbs() {
        return Ibverbs.LIBRARY;
    }

    /**
     * {@code libcuda.so.1}, which comes with NVIDIA's driver. It is not initialised here, and says nothing about GPUs.
     *
     * @return present or absent with a reason
     */
    public static NativeLibrary cuda() {
        return Cuda.LIBRARY;
    }

    /**
     * Another library, looked for at each call: one to be measured beside, for example.
     *
     * @param file its file name or path
     * @param remedy what to do where it is absent
     * @return present or absent with a reason
     */
    public static NativeLibrary other(String file, String remedy) {
        return NativeLibrary.open(file, List.of(file), remedy);
    }

    private static final class Libc {
        static final NativeLibrary LIBRARY = NativeLibrary.libc();
    }

    private static final class Ibverbs {
        static final NativeLibrary LIBRARY = NativeLibrary.open(
                "libibverbs.so.1",
                List.of("libibverbs.so.1"),
                "install rdma-core (Debian, Ubuntu: libibverbs1 and ibverbs-providers; Fedora, RHEL: libibverbs)");
    }

    private static final class Cuda {
        static final NativeLibrary LIBRARY = NativeLibrary.open(
                "libcuda.so.1",
                List.of("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"),
                "install NVIDIA's driver (Debian: libcuda1; Ubuntu: nvidia-driver-NNN; in a container: run it with --gpus all)");
    }
}
