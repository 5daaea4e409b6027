package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaDevice;
import java.nio.ByteBuffer;

/**
 * What the shipped tables must know of a device. Their rows were measured on H200s; on others the sizes at which bandwidth decides
 * move with the link's bandwidth, and grids shrink to what certainly runs at the same time.
 *
 * @param capability 10 times the major plus the minor compute capability
 * @param multiprocessors how many
 * @param threads what a multiprocessor holds at a time
 */
record GpuClass(int capability, int multiprocessors, int threads) {

    /** What was measured. */
    static final GpuClass H200 = new GpuClass(90, 132, 2048);

    static final int BYTES = 12;

    /** Kernels use up to so many of the registers that a thread of a full block may have. */
    private static final int THREADS_BY_REGISTERS = 1024;

    /** Of the device itself. */
    static GpuClass of(CudaDevice device) {
        int capability = device.computeCapability();
        return new GpuClass(capability, device.multiprocessors(), threads(capability));
    }

    /** As the CUDA programming guide lists them. */
    private static int threads(int capability) {
        return switch (capability) {
            case 75 -> 1024;
            case 86, 87, 89, 110, 120, 121 -> 1536;
            default -> 2048;
        };
    }

    byte[] encoded() {
        return ByteBuffer.allocate(BYTES)
                .putInt(capability)
                .putInt(multiprocessors)
                .putInt(threads)
                .array();
    }

    static GpuClass decoded(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new GpuClass(buffer.getInt(), buffer.getInt(), buffer.getInt());
    }

    /** What both can do. */
    GpuClass weaker(GpuClass other) {
        return new GpuClass(
                Math.min(capability, other.capability),
                Math.min(multiprocessors, other.multiprocessors),
                Math.min(threads, other.threads));
    }

    /**
     * How many threads a kernel may have that comes onto a device before the last one has left it. Two such take half of the device, so
     * that another communicator's kernels find room beside them and none waits for ever for a peer that has none.
     */
    long overlapping() {
        return (long) multiprocessors * Math.min(threads, THREADS_BY_REGISTERS) / 4;
    }

    /** How many blocks of so many threads certainly run at the same time. */
    int blocks(int blockThreads) {
        return multiprocessors * Math.max(1, Math.min(threads, THREADS_BY_REGISTERS) / blockThreads);
    }

    /** The bandwidth of NVLink between a pair, as a part of an H200's 450 GB/s each way. */
    double nvlinkShare() {
        return switch (capability / 10 * 10) {
            case 70 -> capability == 70 ? 150.0 / 450 : 50.0 / 450; // V100; sm_75: bridges of the RTX 20 series
            case 80 -> capability == 80 ? 300.0 / 450 : 56.0 / 450; // A100; sm_86: bridges of the RTX 30 series
            case 100 -> 2; // B200
            default -> 1;
        };
    }

    /** The bandwidth of PCIe and so of host memory, as a part of the fifth generation's. */
    double pcieShare() {
        return capability < 80 ? 0.25 : capability < 90 ? 0.5 : 1;
    }
}
