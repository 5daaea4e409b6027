package dev.mininccl.core;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.host.WindowTable;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.spi.Windows;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Memory handed out by a communicator: mapped by all ranks where they share a machine, the rank's own otherwise. */
final class WindowMemory implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("mininccl.windows");
    private static final long PAGE = 4096;

    private final Bootstrap bootstrap;
    private final Optional<Windows> windows;
    private final WindowTable table;
    private final Deque<Windows.Window> open = new ArrayDeque<>();
    private final Arena arena = Arena.ofShared();

    WindowMemory(Bootstrap bootstrap, Optional<Windows> windows, WindowTable table) {
        this.bootstrap = bootstrap;
        this.windows = windows;
        this.table = table;
    }

    /** Collective. */
    synchronized MemorySegment allocate(long bytes, Deadline deadline) {
        Windows.Window window = create(bytes);
        byte[] handle = window == null ? new byte[0] : window.handle();
        List<byte[]> handles = bootstrap.allGather(handle, deadline);
        long[] mapped = handles.stream().anyMatch(h -> h.length == 0) ? null : map(window, handles);
        byte[] verdict = {(byte) (mapped == null ? 0 : 1)};
        boolean all = bootstrap.allGather(verdict, deadline).stream().allMatch(v -> v[0] == 1);
        if (window != null) {
            window.settled();
        }
        if (!all) {
            if (window != null) {
                window.close();
            }
            return arena.allocate(bytes, PAGE);
        }
        open.push(window);
        table.add(window.address(), bytes, mapped);
        // The arena's scope: use after close is an exception, not a fault.
        return NativeMemory.segment(window.address(), bytes, arena);
    }

    private Windows.Window create(long bytes) {
        if (windows.isEmpty()) {
            return null;
        }
        try {
            return windows.get().create(bytes);
        } catch (TransportUnavailableException e) {
            LOG.log(Level.WARNING, "allocated {0} bytes that peers cannot map: {1}", bytes, e.getMessage());
            return null;
        }
    }

    private long[] map(Windows.Window window, List<byte[]> handles) {
        long[] mapped = new long[handles.size()];
        try {
            for (int peer = 0; peer < mapped.length; peer++) {
                mapped[peer] = peer == bootstrap.rank() ? window.address() : window.map(peer, handles.get(peer));
            }
            return mapped;
        } catch (TransportUnavailableException e) {
            LOG.log(Level.WARNING, "cannot map a peer''s memory: {0}", e.getMessage());
            return null;
        }
    }

    @Override
    public synchronized void close() {
        if (arena.scope().isAlive()) {
            arena.close();
            while (!open.isEmpty()) {
                open.pop().close();
            }
        }
    }
}
