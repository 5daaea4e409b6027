package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.posix.Fd;
import dev.mininccl.bindings.posix.Mman;
import dev.mininccl.core.settings.Settings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a real device does with memory that stands for a GPU's: host memory, which its driver registers as peermem lets it do with a GPU's. */
@Timeout(120)
class GpuDirectTest {

    private static final long BYTES = 64 << 10;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(BYTES, 4096);
    private DeviceList devices;

    @BeforeEach
    void open() {
        Pair.assumeDevice();
        devices = DeviceList.open();
    }

    @AfterEach
    void close() {
        if (devices != null) {
            devices.close();
        }
        arena.close();
    }

    private GpuDirect.Pair pair(DirectMemory gpu) {
        return GpuDirect.pair("gpu 0", gpu, devices.devices().getFirst(), devices, Settings.fromEnvironment());
    }

    @Test
    void everyDeviceSaysWhetherItTakesDmaBufs() {
        GpuDirect direct = GpuDirect.look(Settings.fromEnvironment());
        assertThat(direct.devices()).hasSameSizeAs(devices.devices());
        assertThat(direct.pairs())
                .hasSize(direct.gpus().size() * direct.devices().size());
        Device device = devices.devices().getFirst();
        assumeTrue(device.name().startsWith("rxe"), () -> device + " may be hardware");
        assertThat(direct.devices().getFirst().refusal()).contains("ibv_reg_dmabuf_mr", "EOPNOTSUPP");
    }

    @Test
    void refusedDmaBufFallsBackAndBothWaysAreProven() {
        GpuDirect.Pair pair = pair(new Fake(memory, memory, false));
        assumeTrue(pair.software(), "hardware may take the descriptor");
        assertThat(pair.way()).as(pair.words()).isEqualTo(GpuDirect.Way.PEERMEM);
        assertThat(pair.refusals())
                .singleElement()
                .asString()
                .startsWith("DMA-BUF: ")
                .contains("EOPNOTSUPP");
        assertThat(pair.proof()).isEqualTo("proven by 65536 bytes each way, settled");
    }

    @Test
    void whatCannotBeFlushedIsReadBack() {
        assertThat(pair(new Fake(memory, memory, true)).way()).isEqualTo(GpuDirect.Way.PEERMEM);
    }

    @Test
    void wrongMappingIsCaught() {
        MemorySegment other = arena.allocate(BYTES, 4096);
        GpuDirect.Pair pair = pair(new Fake(memory, other, false));
        assertThat(pair.way()).isEqualTo(GpuDirect.Way.HOST_SLOTS);
        assertThat(pair.refusals().getLast())
                .startsWith("peermem: registered, but byte ")
                .contains("maps other memory");
    }

    @Test
    void mappingThatIsWrongForWritesAloneIsCaught() {
        // What the device reads is right, what it writes is not what the GPU reads.
        MemorySegment other = arena.allocate(BYTES, 4096);
        GpuDirect.Pair pair = pair(new Fake(memory, memory, false) {
            @Override
            public void read(MemorySegment to) {
                to.copyFrom(other);
            }
        });
        assertThat(pair.way()).isEqualTo(GpuDirect.Way.HOST_SLOTS);
        assertThat(pair.refusals().getLast()).contains("written to it");
    }

    @Test
    void memoryThatGoesUnderwayIsARefusalToo() {
        GpuDirect.Pair pair = pair(new Fake(memory, memory, false) {
            @Override
            public void write(MemorySegment from) {
                throw new IllegalStateException("the GPU fell off the bus");
            }
        });
        assertThat(pair.words()).contains("pinned host memory", "peermem: the GPU fell off the bus");
    }

    /** Host memory in a GPU's part: the device is given one address, the GPU's own copies use another, as a rule the same. */
    private static class Fake implements DirectMemory {
        private final MemorySegment mapped;
        private final MemorySegment own;
        private final boolean flushedByReading;

        Fake(MemorySegment mapped, MemorySegment own, boolean flushedByReading) {
            this.mapped = mapped;
            this.own = own;
            this.flushedByReading = flushedByReading;
        }

        @Override
        public long address() {
            return mapped.address();
        }

        @Override
        public long bytes() {
            return mapped.byteSize();
        }

        @Override
        public String obstacle(GpuDirect.Way way) {
            return "";
        }

        /** No DMA-BUF can be made without a driver that exports one; a file in memory is something else. */
        @Override
        public int exportDmaBuf() {
            int fd = Mman.memoryFile("no-dma-buf");
            Fd.truncate(fd, mapped.byteSize());
            return fd;
        }

        @Override
        public void write(MemorySegment from) {
            own.copyFrom(from);
        }

        @Override
        public void read(MemorySegment to) {
            to.copyFrom(own);
        }

        @Override
        public boolean flushedByReading() {
            return flushedByReading;
        }

        @Override
        public String settle() {
            return "settled";
        }

        @Override
        public void close() {}
    }
}
