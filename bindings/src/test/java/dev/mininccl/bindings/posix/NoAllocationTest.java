package dev.mininccl.bindings.posix;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hot-path calls allocate nothing once they are compiled. */
@Timeout(120)
class NoAllocationTest {
    @Test
    void sendAndReceive() {
        Socket[] ends = Socket.pair();
        try (GuardedMemory memory = new GuardedMemory(64)) {
            long address = memory.address();
            Allocations.assertNone(() -> ends[0].send(address, 64) + ends[1].receive(address, 64));
            Allocations.assertNone(() -> ends[1].receive(address, 64));
            IoVector pieces = new IoVector(2);
            Allocations.assertNone(() -> {
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
            Allocations.assertNone(() -> set.poll(0));
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
            Allocations.assertNone(() -> vm.read(pid, address, address + 64, 64));
        }
    }

    @Test
    void memoryAccess() {
        try (GuardedMemory memory = new GuardedMemory(128)) {
            long address = memory.address();
            Allocations.assertNone(() -> {
                NativeMemory.putLongRelease(address, address);
                NativeMemory.copy(address, address + 64, 64);
                return NativeMemory.getLongAcquire(address + 64) + NativeMemory.getInt(address);
            });
        }
    }
}
