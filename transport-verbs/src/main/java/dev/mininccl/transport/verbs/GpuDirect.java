package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.ibverbs.Context;
import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/**
 * RDMA to and from the memory of GPUs, as this machine's GPUs and RDMA devices have shown that they can do it. For reports: slots are
 * pinned host memory, which works with every device.
 *
 * @param gpus whether each GPU's memory can be exported as a DMA-BUF
 * @param devices whether each RDMA device takes a DMA-BUF
 * @param pairs what was tried for each GPU and RDMA device, and proven
 */
public record GpuDirect(List<Answer> gpus, List<Answer> devices, List<Pair> pairs) {

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    /** How a device reaches a GPU's memory, in the order in which they are tried. */
    public enum Way {
        /** The driver exports the memory, and the device's driver maps it. */
        DMA_BUF("DMA-BUF"),
        /** The module nvidia_peermem lets device memory be registered as host memory is. */
        PEERMEM("peermem"),
        /** It does not: data passes through host memory. */
        HOST_SLOTS("pinned host memory");

        private final String words;

        Way(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * What a GPU or a device says about DMA-BUFs.
     *
     * @param name of the GPU or device
     * @param refusal why not; empty if it can
     */
    public record Answer(String name, String refusal) {}

    /**
     * One GPU and one RDMA device.
     *
     * @param gpu the GPU's name
     * @param device the device's name
     * @param software whether no hardware is behind the device
     * @param way the first that was proven
     * @param refusals why each way before it was not taken, in order
     * @param proof what was proven; empty for host memory
     */
    public record Pair(String gpu, String device, boolean software, Way way, List<String> refusals, String proof) {

        /** Copies the list. */
        public Pair {
            refusals = List.copyOf(refusals);
        }

        /**
         * The verdict and its reasons.
         *
         * @return one line
         */
        public String words() {
            return way
                    + (proof.isEmpty() ? "" : ", " + proof)
                    + (refusals.isEmpty() ? "" : "; refused: " + String.join("; ", refusals));
        }
    }

    /** Copies the lists. */
    public GpuDirect {
        gpus = List.copyOf(gpus);
        devices = List.copyOf(devices);
        pairs = List.copyOf(pairs);
    }

    /**
     * Asks every GPU and every RDMA device, and proves each pair by data sent both ways. Logs each verdict. Leaves nothing behind.
     *
     * @param settings which GIDs are wanted
     * @return the answers; empty lists where there are no GPUs or no devices
     */
    public static GpuDirect look(Settings settings) {
        List<Answer> gpus = new ArrayList<>();
        List<Answer> takers = new ArrayList<>();
        List<Pair> pairs = new ArrayList<>();
        try (DeviceList devices = DeviceList.open()) {
            for (Device device : devices.devices()) {
                takers.add(new Answer(device.name(), taking(device)));
            }
            int count = CudaDriver.start().isPresent() ? 0 : CudaDriver.deviceCount();
            for (int ordinal = 0; ordinal < count; ordinal++) {
                CudaDevice gpu = new CudaDevice(ordinal);
                try (CudaContext context = CudaContext.retain(gpu)) {
                    lookAt(context, devices, settings, gpus, pairs);
                } catch (RuntimeException e) {
                    gpus.add(new Answer(name(gpu), e.getMessage()));
                }
            }
        }
        return new GpuDirect(gpus, takers, pairs);
    }

    private static void lookAt(
            CudaContext context, DeviceList devices, Settings settings, List<Answer> gpus, List<Pair> pairs) {
        context.enter();
        try (CudaDirectMemory memory = new CudaDirectMemory(context)) {
            String gpu = name(context.device());
            gpus.add(new Answer(gpu, DirectRegistration.exporting(memory)));
            for (Device device : devices.devices()) {
                Pair pair = pair(gpu, memory, device, devices, settings);
                LOG.log(Level.INFO, "gpu direct, {0} and {1}: {2}", gpu, device, pair.words());
                pairs.add(pair);
            }
        } finally {
            context.leave();
        }
    }

    private static String name(CudaDevice gpu) {
        return "gpu " + gpu.ordinal();
    }

    private static String taking(Device device) {
        try (Context context = device.open();
                ProtectionDomain domain = context.allocateDomain()) {
            return DirectRegistration.taking(domain);
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }

    /** What a device does with memory that stands for a GPU's. */
    static Pair pair(String gpu, DirectMemory memory, Device device, DeviceList devices, Settings settings) {
        Settings only = settings.with(Setting.NET_DEVICE, device.name());
        try (Port port = PortChoice.open(devices, only, 1).getFirst();
                ProtectionDomain domain = port.context().allocateDomain()) {
            return DirectProbe.run(
                    gpu,
                    device.name(),
                    device.software(),
                    DirectRegistration.ways(memory, domain),
                    region -> new LoopbackProof(port, domain, memory).of(region));
        } catch (TransportUnavailableException | RuntimeException e) {
            return new Pair(gpu, device.name(), device.software(), Way.HOST_SLOTS, List.of(e.getMessage()), "");
        }
    }
}
