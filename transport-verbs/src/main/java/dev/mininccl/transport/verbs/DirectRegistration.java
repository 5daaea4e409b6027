package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Access;
import dev.mininccl.bindings.ibverbs.MemoryRegion;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.Fd;
import java.util.List;

/** Registers GPU memory with a device: as a DMA-BUF, and by its address. */
final class DirectRegistration {

    private static final int ACCESS = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
    private static final int NO_FD = -1;
    private static final long PAGE = 4096;

    private DirectRegistration() {}

    /** Why a device takes no DMA-BUF; empty if it does. Asked with a descriptor that is none, which such a device alone looks at. */
    static String taking(ProtectionDomain domain) {
        try {
            domain.registerDmabuf(NO_FD, 0, PAGE, 0, ACCESS).close();
            return "";
        } catch (VerbsException e) {
            return e.errno() == Errno.EBADF ? "" : e.getMessage();
        }
    }

    /** Why memory cannot be exported; empty if it can, which is tried. */
    static String exporting(DirectMemory memory) {
        String obstacle = memory.obstacle(GpuDirect.Way.DMA_BUF);
        if (obstacle.isEmpty()) {
            try {
                Fd.close(memory.exportDmaBuf());
            } catch (RuntimeException e) {
                return e.getMessage();
            }
        }
        return obstacle;
    }

    /** The ways, in the order in which they are tried. */
    static List<Attempt> ways(DirectMemory memory, ProtectionDomain domain) {
        return List.of(
                new Attempt(GpuDirect.Way.DMA_BUF, memory, domain), new Attempt(GpuDirect.Way.PEERMEM, memory, domain));
    }

    /** One way. */
    record Attempt(GpuDirect.Way way, DirectMemory memory, ProtectionDomain domain)
            implements DirectProbe.Attempt<MemoryRegion> {

        @Override
        public MemoryRegion register() {
            String obstacle = memory.obstacle(way);
            if (!obstacle.isEmpty()) {
                throw new IllegalStateException(obstacle);
            }
            return way == GpuDirect.Way.DMA_BUF
                    ? registerDmaBuf()
                    : domain.register(memory.address(), memory.bytes(), ACCESS);
        }

        @Override
        public void deregister(MemoryRegion region) {
            region.close();
        }

        private MemoryRegion registerDmaBuf() {
            String refusal = taking(domain);
            if (!refusal.isEmpty()) {
                throw new IllegalStateException(refusal);
            }
            int fd = memory.exportDmaBuf();
            try {
                return domain.registerDmabuf(fd, 0, memory.bytes(), memory.address(), ACCESS);
            } finally {
                Fd.close(fd);
            }
        }
    }
}
