package dev.mininccl.cli.doctor;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the CUDA driver says.
 *
 * @param absent why libcuda cannot be called, or empty
 * @param cudaVersion 1000 times the major plus 10 times the minor release that the driver supports, 0 without it
 * @param refusal why the driver offers no device, or empty
 * @param devices the devices, by ordinal
 */
public record Gpus(Optional<String> absent, int cudaVersion, Optional<String> refusal, List<Gpu> devices) {

    /**
     * One GPU.
     *
     * @param name the product
     * @param capability 10 times the major plus the minor compute capability
     * @param memory bytes
     * @param busId its PCI address
     * @param peers ordinals of the devices whose memory the driver claims it can reach
     * @param atomicPeers those of them that atomic operations reach, as over NVLink
     */
    public record Gpu(
            String name, int capability, long memory, String busId, List<Integer> peers, List<Integer> atomicPeers) {}

    /** Asks the driver. */
    public static Gpus look() {
        Optional<String> absent = NativeLibraries.cuda().reason();
        if (absent.isPresent()) {
            return new Gpus(absent, 0, absent, List.of());
        }
        try {
            Optional<String> refusal = CudaDriver.start();
            return new Gpus(absent, CudaDriver.version(), refusal, refusal.isPresent() ? List.of() : everyDevice());
        } catch (CudaException e) {
            return new Gpus(absent, 0, Optional.of(e.getMessage()), List.of());
        }
    }

    private static List<Gpu> everyDevice() {
        int count = CudaDriver.deviceCount();
        List<Gpu> gpus = new ArrayList<>();
        for (int ordinal = 0; ordinal < count; ordinal++) {
            CudaDevice device = new CudaDevice(ordinal);
            List<Integer> peers = new ArrayList<>();
            List<Integer> atomicPeers = new ArrayList<>();
            for (int other = 0; other < count; other++) {
                CudaDevice peer = new CudaDevice(other);
                if (other != ordinal && device.claimsAccessTo(peer)) {
                    peers.add(other);
                    if (device.atomicsReach(peer)) {
                        atomicPeers.add(other);
                    }
                }
            }
            gpus.add(new Gpu(
                    device.name(),
                    device.computeCapability(),
                    device.totalMemory(),
                    device.pciBusId(),
                    peers,
                    atomicPeers));
        }
        return gpus;
    }
}
