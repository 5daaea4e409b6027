package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_device;
import dev.mininccl.bindings.posix.ErrnoCapture;
import dev.mininccl.bindings.posix.NativeMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** A device of a {@link DeviceList}. */
public final class Device {
    private final long address;
    private final String name;
    private final long guid;
    private final int transport;

    Device(long address) {
        this.address = address;
        MemorySegment device = MemorySegment.ofAddress(address);
        this.name = Ibv.ibv_get_device_name(device).getString(0);
        this.guid = Long.reverseBytes(Ibv.ibv_get_device_guid(device));
        this.transport = NativeMemory.getInt(address + ibv_device.transport_type$offset());
    }

    /**
     * The kernel's name.
     *
     * @return for example {@code mlx5_0} or {@code rxe0}
     */
    public String name() {
        return name;
    }

    /**
     * The globally unique identifier.
     *
     * @return 64 bits, the first byte being the most significant
     */
    public long guid() {
        return guid;
    }

    /**
     * Where the kernel describes the device.
     *
     * @return its folder under {@code /sys/class/infiniband}
     */
    public Path sysfs() {
        return Path.of("/sys/class/infiniband", name);
    }

    /**
     * Whether its queue pairs can be connected by {@link QueuePair}'s transitions, as those of InfiniBand and RoCE.
     *
     * @return false for iWARP, which connects through rdma_cm alone, and for vendors' own transports
     */
    public boolean connectable() {
        return transport == IbvConstants.IBV_TRANSPORT_IB();
    }

    /**
     * Whether the device is software on top of an ordinary interface, such as Soft-RoCE or Soft-iWARP.
     *
     * @return true if no hardware is behind it
     */
    public boolean software() {
        return !Files.exists(sysfs().resolve("device"));
    }

    /**
     * The NUMA node the device is attached to.
     *
     * @return the node, or empty if there is only one or it is not known
     */
    public OptionalInt numaNode() {
        try {
            int node = Integer.parseInt(
                    Files.readString(sysfs().resolve("device/numa_node")).strip());
            return node < 0 ? OptionalInt.empty() : OptionalInt.of(node);
        } catch (IOException | NumberFormatException _) {
            return OptionalInt.empty();
        }
    }

    /**
     * Opens the device.
     *
     * @return the context; the caller closes it
     * @throws VerbsException for example with {@code EACCES} if the process may not use {@code /dev/infiniband}
     */
    public Context open() {
        return open(false);
    }

    /**
     * Opens the device and chooses how posting and polling are linked.
     *
     * @param critical true for calls without a change of the thread's state, some 8 ns cheaper. A call that enters the kernel then
     *     holds up every safepoint, so it is for hardware whose provider posts with stores alone
     * @return the context; the caller closes it
     * @throws IllegalArgumentException if critical calls are asked of a software device: its provider enters the kernel
     * @throws VerbsException if the device cannot be opened
     */
    public Context open(boolean critical) {
        if (critical && software()) {
            throw new IllegalArgumentException(
                    "critical calls on " + name + ": its provider enters the kernel to post");
        }
        ErrnoCapture errno = ErrnoCapture.ofThread();
        long context = VerbsCalls.openDevice(errno, address);
        return new Context(Dialects.nullable(context, errno, "ibv_open_device " + name), this, critical);
    }

    @Override
    public String toString() {
        return name;
    }
}
