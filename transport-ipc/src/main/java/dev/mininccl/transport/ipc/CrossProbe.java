package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.ProcessVm;
import dev.mininccl.core.lane.CrossMemory;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.lang.foreign.Arena;
import java.security.SecureRandom;

/** Finds out, on real data, whether this process may read a peer's memory; and offers such data to the peer. */
final class CrossProbe {

    private final boolean off;
    private final long value;

    /**
     * Offers the data.
     *
     * @param settings whether to read at all
     * @param arena owns the data, as long as peers may try to read it
     */
    CrossProbe(Settings settings, Arena arena) {
        off = settings.text(Setting.CROSS_MEMORY).equals("off");
        value = arena.allocate(Long.BYTES, Long.BYTES).address();
        NativeMemory.putLong(value, new SecureRandom().nextLong());
        if (!off) {
            // Yama denies it between siblings otherwise; other kernels do not know the call and need none.
            ProcessVm.allowReaders();
        }
    }

    /** Where the data lies. */
    long address() {
        return value;
    }

    /** Why the peer's memory cannot be read; {@code null} if the attempt gave the right data. */
    String whyNot(ProcessIdentity self, ProcessIdentity peer, PairHeader header) {
        if (off) {
            return Setting.CROSS_MEMORY.variable() + "=off";
        }
        if (self.pidNamespace() != peer.pidNamespace()) {
            return "another process namespace (containers share one with --pid)";
        }
        return CrossMemory.whyNot(header.peerPid(), header.peerProbeAddress(), header.peerProbeValue());
    }
}
