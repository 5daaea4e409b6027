package dev.mininccl.cli.topo;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** Counts NVLinks by NVML, which comes with the driver; the driver API does not tell them. */
final class Nvml {

    private static final NativeLibrary LIBRARY = NativeLibraries.other("libnvidia-ml.so.1", "install NVIDIA's driver");
    private static final MethodHandle INIT = handle("nvmlInit_v2");
    private static final MethodHandle DEVICE = handle("nvmlDeviceGetHandleByPciBusId_v2", ADDRESS, ADDRESS);
    private static final MethodHandle STATE = handle("nvmlDeviceGetNvLinkState", JAVA_LONG, JAVA_INT, ADDRESS);
    private static final MethodHandle REMOTE =
            handle("nvmlDeviceGetNvLinkRemotePciInfo_v2", JAVA_LONG, JAVA_INT, ADDRESS);

    /** {@code NVML_NVLINK_MAX_LINKS}. */
    private static final int MOST_LINKS = 18;

    /** {@code nvmlPciInfo_t}: a short bus id of 16 bytes, five ints, the bus id of 32. */
    private static final int PCI_INFO_BYTES = 68;

    private static final int BUS_ID_OFFSET = 36;

    private final boolean started;

    Nvml() {
        started = LIBRARY.present() && start();
    }

    private static MethodHandle handle(String name, MemoryLayout... arguments) {
        return LIBRARY.handle(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static boolean start() {
        try {
            return (int) INIT.invokeExact() == 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * The links between two GPUs: those that lead to the other, or where all lead into a switch as many as the one with fewer has.
     *
     * @return empty where NVML cannot tell
     */
    OptionalInt links(String from, String to) {
        if (!started) {
            return OptionalInt.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            int direct = active(arena, from, to);
            return OptionalInt.of(direct > 0 ? direct : Math.min(switched(arena, from), switched(arena, to)));
        }
    }

    /** Active links that lead to a device. */
    private static int active(Arena arena, String from, String to) {
        return count(arena, from, remote -> remote.equals(to));
    }

    /** Active links that lead to no GPU: to a switch, whose address is none under the GPU's class. */
    private static int switched(Arena arena, String from) {
        return count(arena, from, Nvml::isSwitch);
    }

    /** In virtual machines the remote end of a link into the switch has no address. */
    private static boolean isSwitch(String remote) {
        return remote.isEmpty() || remote.startsWith("ffff") || !Nvml.isGpu(remote);
    }

    private static boolean isGpu(String address) {
        try (Arena arena = Arena.ofConfined()) {
            return device(arena, address) != 0;
        }
    }

    private static int count(Arena arena, String from, Predicate<String> wanted) {
        long device = device(arena, from);
        int count = 0;
        MemorySegment active = arena.allocate(JAVA_INT);
        MemorySegment info = arena.allocate(PCI_INFO_BYTES, 4);
        for (int link = 0; device != 0 && link < MOST_LINKS; link++) {
            try {
                if ((int) STATE.invokeExact(device, link, active) == 0 && active.get(JAVA_INT, 0) != 0) {
                    boolean told = (int) REMOTE.invokeExact(device, link, info) == 0;
                    count += wanted.test(told ? address(info.getString(BUS_ID_OFFSET)) : "") ? 1 : 0;
                }
            } catch (Throwable e) {
                throw unexpected(e);
            }
        }
        return count;
    }

    /** {@code 00000000:1B:00.0} as the kernel writes it. */
    static String address(String busId) {
        String lower = busId.toLowerCase(Locale.ROOT);
        int domain = lower.indexOf(':');
        return domain > 4 ? lower.substring(domain - 4) : lower;
    }

    private static long device(Arena arena, String address) {
        MemorySegment slot = arena.allocate(JAVA_LONG);
        try {
            return (int) DEVICE.invokeExact(arena.allocateFrom(address), slot) == 0 ? slot.get(JAVA_LONG, 0) : 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static IllegalStateException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("NVML: " + e.getMessage(), e);
    }
}
