package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hot-path calls allocate nothing once they are compiled. */
@Timeout(120)
class NoAllocationTest {
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 2_000;
    /** Compilation is in the background, and only its last tier removes what interpreted calls allocate. */
    private static final long COMPILED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private long sum;

    @Test
    void sendAndReceive() {
        Socket[] ends = Socket.pair();
        try (GuardedMemory memory = new GuardedMemory(64)) {
            long address = memory.address();
            assertAllocatesNothing(() -> ends[0].send(address, 64) + ends[1].receive(address, 64));
            assertAllocatesNothing(() -> ends[1].receive(address, 64));
            IoVector pieces = new IoVector(2);
            assertAllocatesNothing(() -> {
                pieces.set(0, address, 16).set(1, address + 16, 48);
                return ends[0].send(pieces) + ends[1].receive(pieces);
            });
        } finally {
            List.of(ends).forEach(Socket::close);
        }
    }

    @Test
    void poll() {
        Socket[] ends = Socket.pair();
        try {
            PollSet set = new PollSet(1);
            set.set(0, ends[0], PollSet.POLLIN);
            assertAllocatesNothing(() -> set.poll(0));
        } finally {
            List.of(ends).forEach(Socket::close);
        }
    }

    @Test
    void copyBetweenProcesses() {
        ProcessVm vm = new ProcessVm();
        int pid = (int) ProcessHandle.current().pid();
        try (GuardedMemory memory = new GuardedMemory(128)) {
            long address = memory.address();
            assertAllocatesNothing(() -> vm.read(pid, address, address + 64, 64));
        }
    }

    @Test
    void memoryAccess() {
        try (GuardedMemory memory = new GuardedMemory(128)) {
            long address = memory.address();
            assertAllocatesNothing(() -> {
                NativeMemory.putLongRelease(address, sum);
                NativeMemory.copy(address, address + 64, 64);
                return NativeMemory.getLongAcquire(address + 64) + NativeMemory.getInt(address);
            });
        }
    }

    private void assertAllocatesNothing(LongSupplier call) {
        repeat(call, WARM_UP);
        long allocated = Long.MAX_VALUE;
        long deadline = System.nanoTime() + COMPILED_AFTER_NANOS;
        while (allocated > 0 && System.nanoTime() < deadline) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(call, MEASURED);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated).as("bytes for %d calls, sum %d", MEASURED, sum).isZero();
    }

    private void repeat(LongSupplier call, int times) {
        for (int turn = 0; turn < times; turn++) {
            sum += call.getAsLong();
        }
    }
}
