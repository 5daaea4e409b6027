package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;

/**
 * One GPU.
 *
 * @param ordinal its number in this process, from 0; {@code CUDA_VISIBLE_DEVICES} hides and reorders devices
 */
public record CudaDevice(int ordinal) {
    private static final MethodHandle NAME = Calls.call("cuDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle UUID = Calls.call("cuDeviceGetUuid_v2", ADDRESS, JAVA_INT);
    private static final MethodHandle UUID_BEFORE_11_4 = Calls.call("cuDeviceGetUuid", ADDRESS, JAVA_INT);
    private static final MethodHandle MEMORY = Calls.call("cuDeviceTotalMem_v2", ADDRESS, JAVA_INT);
    private static final MethodHandle ATTRIBUTE = Calls.call("cuDeviceGetAttribute", ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle BUS_ID = Calls.call("cuDeviceGetPCIBusId", ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle CAN_ACCESS = Calls.call("cuDeviceCanAccessPeer", ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle PEER_ATTRIBUTE =
            Calls.call("cuDeviceGetP2PAttribute", ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final int TEXT_BYTES = 256;
    private static final int ORDERS_RDMA_FROM = 90;

    /**
     * The product's name.
     *
     * @return for example {@code NVIDIA H200}
     * @throws CudaException if the driver refuses
     */
    public String name() {
        return text(NAME, "cuDeviceGetName");
    }

    /**
     * Its place on the PCI bus.
     *
     * @return {@code domain:bus:device.function} in hex, lower case, as under {@code /sys/bus/pci/devices}
     * @throws CudaException if the driver refuses
     */
    public String pciBusId() {
        return text(BUS_ID, "cuDeviceGetPCIBusId").toLowerCase(java.util.Locale.ROOT);
    }

    /**
     * The identity that all processes of a machine see alike.
     *
     * @return 32 hex digits
     * @throws CudaException if the driver refuses
     */
    public String uuid() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment uuid = arena.allocate(16);
            if (Calls.has("cuDeviceGetUuid_v2")) {
                Calls.check((int) UUID.invokeExact(uuid, ordinal), "cuDeviceGetUuid_v2");
            } else {
                Calls.check((int) UUID_BEFORE_11_4.invokeExact(uuid, ordinal), "cuDeviceGetUuid");
            }
            return HexFormat.of().formatHex(uuid.toArray(JAVA_BYTE));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The memory it has.
     *
     * @return bytes
     * @throws CudaException if the driver refuses
     */
    public long totalMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(JAVA_LONG);
            Calls.check((int) MEMORY.invokeExact(bytes, ordinal), "cuDeviceTotalMem_v2");
            return bytes.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * One of its attributes.
     *
     * @param attribute a {@code CU_DEVICE_ATTRIBUTE_…} value
     * @return its value
     * @throws CudaException if the driver does not know it
     */
    public int attribute(int attribute) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            Calls.check((int) ATTRIBUTE.invokeExact(value, attribute, ordinal), "cuDeviceGetAttribute");
            return value.get(JAVA_INT, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The compute capability.
     *
     * @return 10 times the major plus the minor number: 90 is sm_90
     * @throws CudaException if the driver refuses
     */
    public int computeCapability() {
        return 10 * attribute(CudaConstants.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR())
                + attribute(CudaConstants.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR());
    }

    /**
     * The number of multiprocessors.
     *
     * @return how many blocks can certainly run at the same time
     * @throws CudaException if the driver refuses
     */
    public int multiprocessors() {
        return attribute(CudaConstants.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT());
    }

    /**
     * Whether the driver claims that this device can reach another's memory. Some machines claim it and do not deliver.
     *
     * @param peer the other device
     * @return the claim
     * @throws CudaException if the driver refuses
     */
    public boolean claimsAccessTo(CudaDevice peer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            Calls.check((int) CAN_ACCESS.invokeExact(value, ordinal, peer.ordinal), "cuDeviceCanAccessPeer");
            return value.get(JAVA_INT, 0) != 0;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Whether atomic operations on another device's memory work, which they do over NVLink and not over PCIe.
     *
     * @param peer the other device
     * @return the driver's claim
     * @throws CudaException if the driver refuses
     */
    public boolean atomicsReach(CudaDevice peer) {
        int attribute = CudaConstants.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            int result = (int) PEER_ATTRIBUTE.invokeExact(value, attribute, ordinal, peer.ordinal);
            Calls.check(result, "cuDeviceGetP2PAttribute");
            return value.get(JAVA_INT, 0) != 0;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Whether the driver claims that this device's memory can be exported as a DMA-BUF, for a network adapter to map.
     *
     * @return false also where the driver is older than the question (CUDA 11.7)
     */
    public boolean claimsDmaBuf() {
        return CudaMemory.canExportDmaBuf() && known(CudaConstants.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED()) != 0;
    }

    /**
     * Whether the driver claims that network adapters can reach this device's memory (GPUDirect RDMA). Consumer products cannot.
     *
     * @return false also where the driver is older than the question (CUDA 11.3)
     */
    public boolean claimsDirectRdma() {
        return known(CudaConstants.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED()) != 0;
    }

    /**
     * Whether what an adapter wrote to this device's memory must be flushed before the device reads it: before sm_90, and wherever the
     * driver does not claim that the device sees such writes in order.
     *
     * @return true if a completion alone does not say that the bytes are there
     * @throws CudaException if the driver refuses
     */
    public boolean needsRdmaFlush() {
        return computeCapability() < ORDERS_RDMA_FROM
                || known(CudaConstants.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING())
                        < CudaConstants.CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER();
    }

    /**
     * Whether the driver can flush such writes: {@link CudaContext#flushRdmaWrites}.
     *
     * @return false also where the driver is older than the question (CUDA 11.3)
     */
    public boolean canFlushRdma() {
        int host = CudaConstants.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST();
        return (known(CudaConstants.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS()) & host) != 0;
    }

    /** An attribute that older drivers do not know, which is 0 then. */
    private int known(int attribute) {
        try {
            return attribute(attribute);
        } catch (CudaException _) {
            return 0;
        }
    }

    private String text(MethodHandle handle, String call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(TEXT_BYTES);
            Calls.check((int) handle.invokeExact(text, TEXT_BYTES, ordinal), call);
            return text.getString(0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
