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
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
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
        WindowTable.Entry entry = null;
        try {
            entry = share(window, bytes, deadline);
        } finally {
            if (entry == null && window != null) {
                window.close();
            }
        }
        if (entry == null) {
            return arena.allocate(bytes, PAGE);
        }
        open.push(window);
        table.add(entry);
        // The arena's scope: use after close is an exception, not a fault.
        return NativeMemory.segment(window.address(), bytes, arena);
    }

    /** The window of all ranks, {@code null} unless all have it. */
    private WindowTable.Entry share(Windows.Window window, long bytes, Deadline deadline) {
        List<byte[]> handles = bootstrap.allGather(window == null ? new byte[0] : handle(window, bytes), deadline);
        WindowTable.Entry entry = handles.stream().anyMatch(h -> h.length == 0) ? null : map(window, handles);
        byte[] verdict = {(byte) (entry == null ? 0 : 1)};
        boolean all = bootstrap.allGather(verdict, deadline).stream().allMatch(v -> v[0] == 1);
        if (window != null) {
            window.settled();
        }
        return all ? entry : null;
    }

    /** The size in front of what the transport needs. */
    private static byte[] handle(Windows.Window window, long bytes) {
        byte[] handle = window.handle();
        return ByteBuffer.allocate(Long.BYTES + handle.length)
                .putLong(bytes)
                .put(handle)
                .array();
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

    private WindowTable.Entry map(Windows.Window window, List<byte[]> handles) {
        long[] mapped = new long[handles.size()];
        long[] bytes = new long[handles.size()];
        try {
            for (int peer = 0; peer < mapped.length; peer++) {
                byte[] handle = handles.get(peer);
                bytes[peer] = ByteBuffer.wrap(handle).getLong();
                mapped[peer] = peer == bootstrap.rank()
                        ? window.address()
                        : window.map(peer, Arrays.copyOfRange(handle, Long.BYTES, handle.length));
            }
            return new WindowTable.Entry(bootstrap.rank(), mapped, bytes);
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
