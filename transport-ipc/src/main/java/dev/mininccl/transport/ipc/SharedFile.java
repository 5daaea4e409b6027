package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.Fd;
import dev.mininccl.bindings.posix.Mman;
import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** One file in memory, mapped whole, all of its pages present. Owns the mapping and the name. */
final class SharedFile implements AutoCloseable {

    static final long PAGE_BYTES = 4096;

    private static final System.Logger LOG = System.getLogger("mininccl.shm");

    /** The size of a file that says: I could not be made. It takes no space. */
    private static final long REFUSED_BYTES = 1;

    private final Path file;
    private final long address;
    private final long bytes;
    private boolean mapped = true;

    private SharedFile(Path file, long address, long bytes) {
        this.file = file;
        this.address = address;
        this.bytes = bytes;
    }

    /**
     * Makes a file of zeros that only this user can open, and takes all of its space at once.
     *
     * @param file where; nothing of that name may exist
     * @param bytes the size
     * @param allBytes what all ranks together will need, for the advice where there is no room
     * @throws TransportUnavailableException if there is no room; nothing is left behind
     */
    static SharedFile create(Path file, long bytes, long allBytes) throws TransportUnavailableException {
        try {
            int fd = Fd.createExclusive(file);
            try {
                Fd.allocate(fd, bytes);
                return new SharedFile(file, map(fd, bytes), bytes);
            } catch (PosixException e) {
                Fd.unlink(file);
                throw e;
            } finally {
                Fd.close(fd);
            }
        } catch (PosixException e) {
            String advice = e.errno() == Errno.ENOSPC ? "; " + enlarge(file.getParent(), allBytes) : "";
            throw new TransportUnavailableException(e.getMessage() + " in " + file.getParent() + advice, e);
        }
    }

    /**
     * Tells a peer that waits for a file that it will not come. The name must be unlinked later.
     */
    static void refuse(Path file) {
        try {
            int fd = Fd.createExclusive(file);
            try {
                Fd.truncate(fd, REFUSED_BYTES);
            } finally {
                Fd.close(fd);
            }
        } catch (PosixException e) {
            LOG.log(Level.DEBUG, "cannot refuse " + file + "; the peer will wait until its deadline", e);
        }
    }

    /**
     * Maps a file that a peer makes.
     *
     * @return {@code null} while it is not there in its full size
     * @throws TransportUnavailableException if the peer refused it, or it cannot be mapped
     */
    static SharedFile open(Path file, long bytes) throws TransportUnavailableException {
        long size = size(file);
        if (size == REFUSED_BYTES) {
            throw new TransportUnavailableException(
                    "the peer could not make the shared file; its own message tells why");
        }
        if (size != bytes) {
            return null;
        }
        try {
            int fd = Fd.open(file);
            try {
                return new SharedFile(file, map(fd, bytes), bytes);
            } finally {
                Fd.close(fd);
            }
        } catch (PosixException e) {
            throw new TransportUnavailableException(e.getMessage(), e);
        }
    }

    private static long size(Path file) throws TransportUnavailableException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return -1;
        } catch (IOException e) {
            throw new TransportUnavailableException(file + ": " + e, e);
        }
    }

    private static long map(int fd, long bytes) {
        return Mman.map(bytes, Mman.PROT_READ | Mman.PROT_WRITE, Mman.MAP_SHARED | Mman.MAP_POPULATE, fd, 0);
    }

    /** What to do where a folder in memory is too small. */
    static String enlarge(Path folder, long bytes) {
        return "enlarge it, " + bytes + " B are needed: docker run --shm-size=" + ((bytes >> 20) + 1)
                + "m (plus what others need) or --ipc=host, elsewhere mount -o remount,size=... " + folder;
    }

    /** Rounds up to whole pages. */
    static long pages(long bytes) {
        return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    long address() {
        return address;
    }

    String name() {
        return file.getFileName().toString();
    }

    /** Whether the name is still there: a peer that cannot map the file takes it away. */
    boolean present() {
        return Files.exists(file);
    }

    /** Removes the name, if it is still there; the memory stays until all have unmapped it. */
    void unlink() {
        unlink(file);
    }

    /** Removes a name that may be gone already. */
    static void unlink(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "cannot remove " + file, e);
        }
    }

    /** Lets go of the memory only: the name is the maker's. */
    void unmap() {
        if (mapped) {
            mapped = false;
            Mman.unmap(address, bytes);
        }
    }

    @Override
    public void close() {
        unlink();
        unmap();
    }
}
