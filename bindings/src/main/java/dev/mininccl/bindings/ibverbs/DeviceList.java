package dev.mininccl.bindings.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ErrnoCapture;
import dev.mininccl.bindings.posix.NativeMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The RDMA devices of this machine, possibly none, and then why. Listed devices may be opened until the list is closed; contexts
 * stay valid beyond that.
 */
public final class DeviceList implements AutoCloseable {
    private static final Path SYSFS = Path.of("/sys/class/infiniband");

    private final long list;
    private final List<Device> devices;
    private final Optional<String> reason;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DeviceList(long list, List<Device> devices, Optional<String> reason) {
        this.list = list;
        this.devices = List.copyOf(devices);
        this.reason = reason;
    }

    /**
     * Looks for devices. Never fails: an absent library, a kernel without RDMA and a machine without devices are empty lists.
     *
     * @return the list; the caller closes it
     */
    public static DeviceList open() {
        NativeLibrary library = NativeLibraries.ibverbs();
        if (!library.present()) {
            return empty(library.toString());
        }
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            long list = VerbsCalls.getDeviceList(errno, count.address());
            if (list == 0) {
                return empty(refusal(errno.value()));
            }
            List<Device> devices = new ArrayList<>();
            for (int index = 0; index < count.get(JAVA_INT, 0); index++) {
                devices.add(new Device(NativeMemory.getLong(list + (long) index * Long.BYTES)));
            }
            return new DeviceList(list, devices, devices.isEmpty() ? Optional.of(emptiness()) : Optional.empty());
        }
    }

    private static DeviceList empty(String reason) {
        return new DeviceList(0, List.of(), Optional.of(reason));
    }

    private static String refusal(int errno) {
        return errno == Errno.ENOSYS
                ? "no RDMA device: the kernel's RDMA modules are not loaded (modprobe ib_uverbs; for RDMA over any Ethernet"
                        + " modprobe rdma_rxe, then rdma link add rxe0 type rxe netdev INTERFACE)"
                : "ibv_get_device_list: " + Errno.describe(errno);
    }

    private static String emptiness() {
        List<String> known = kernelDevices();
        return known.isEmpty()
                ? "no RDMA device; for RDMA over any Ethernet: rdma link add rxe0 type rxe netdev INTERFACE"
                : "the kernel has " + known + " but libibverbs offers none: install the providers (Debian, Ubuntu:"
                        + " ibverbs-providers), and in a container pass --device=/dev/infiniband";
    }

    /** The devices the kernel knows, whether or not libibverbs can use them. */
    private static List<String> kernelDevices() {
        try (Stream<Path> entries = Files.list(SYSFS)) {
            return entries.map(Path::getFileName).map(Path::toString).sorted().toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    /**
     * The devices in the library's order.
     *
     * @return possibly empty
     */
    public List<Device> devices() {
        return devices;
    }

    /**
     * The device of a name.
     *
     * @param name for example {@code mlx5_0} or {@code rxe0}
     * @return the device, or empty
     */
    public Optional<Device> find(String name) {
        return devices.stream().filter(device -> device.name().equals(name)).findFirst();
    }

    /**
     * Why there are no devices, and what to do.
     *
     * @return empty if there are some
     */
    public Optional<String> reason() {
        return reason;
    }

    /** Frees the list. Later calls do nothing. */
    @Override
    public void close() {
        if (list != 0 && closed.compareAndSet(false, true)) {
            Ibv.ibv_free_device_list(MemorySegment.ofAddress(list));
        }
    }
}
