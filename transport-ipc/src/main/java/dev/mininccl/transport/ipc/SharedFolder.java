package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.Fd;
import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder in memory where ranks of one machine meet. A file's name tells which process made it, so that files of
 * processes which died at an ill moment can be told and removed, and ends with 128 bits that nobody can guess.
 */
final class SharedFolder {

    static final Path DEFAULT = Path.of("/dev/shm");

    private static final System.Logger LOG = System.getLogger("mininccl.shm");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String PREFIX = "mini-nccl-";
    private static final int SECRET_BYTES = 16;

    /** Process namespace, process, its start, secret. */
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-(\\d+)-(\\d+)-[0-9a-f]{32}");

    private final Path path;
    private final ProcessIdentity self;
    private final long device;
    private final long inode;

    private SharedFolder(Path path, ProcessIdentity self, long device, long inode) {
        this.path = path;
        this.self = self;
        this.device = device;
        this.inode = inode;
    }

    /**
     * Opens the folder, proves that files can be made there, and removes what dead processes of this user left.
     *
     * @throws TransportUnavailableException if it is missing or closed to this process
     */
    static SharedFolder open(Path path) throws TransportUnavailableException {
        try {
            SharedFolder folder = new SharedFolder(
                    path, ProcessIdentity.current(), (long) Files.getAttribute(path, "unix:dev"), (long)
                            Files.getAttribute(path, "unix:ino"));
            folder.prove();
            folder.removeStale();
            return folder;
        } catch (IOException | UncheckedIOException | UnsupportedOperationException e) {
            throw new TransportUnavailableException(path + " cannot be used: " + e, e);
        }
    }

    Path path() {
        return path;
    }

    ProcessIdentity self() {
        return self;
    }

    /** The file system, told apart from other folders of the same path in other containers. */
    long device() {
        return device;
    }

    long inode() {
        return inode;
    }

    /** A file of this process under a name of its own. */
    Path freshFile() {
        byte[] secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        return file(self, secret);
    }

    /** The file that a process names with given random bytes. */
    Path file(ProcessIdentity owner, byte[] secret) {
        return path.resolve(PREFIX + owner.pidNamespace() + "-" + owner.pid() + "-" + owner.start() + "-"
                + HexFormat.of().formatHex(secret, 0, SECRET_BYTES));
    }

    /** The file of a name that came from a peer; empty if it is not one of ours, for example leads elsewhere. */
    Optional<Path> file(String name) {
        return NAME.matcher(name).matches() ? Optional.of(path.resolve(name)) : Optional.empty();
    }

    private void prove() throws TransportUnavailableException {
        Path file = freshFile();
        try {
            Fd.close(Fd.createExclusive(file));
            Fd.unlink(file);
        } catch (PosixException e) {
            throw new TransportUnavailableException(
                    path + " cannot be used: " + e.getMessage()
                            + (e.errno() == Errno.ENOSPC ? "; " + SharedFile.enlarge(path, SharedFile.PAGE_BYTES) : ""),
                    e);
        }
    }

    private void removeStale() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, PREFIX + "*")) {
            for (Path file : files) {
                if (stale(file)) {
                    LOG.log(Level.INFO, "removing {0}: the process that made it is gone", file);
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Only files of this user whose maker would be visible here if it lived. */
    private boolean stale(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        try {
            return name.matches()
                    && Long.parseLong(name.group(1)) == self.pidNamespace()
                    && (int) Files.getAttribute(file, "unix:uid") == self.user()
                    && !ProcessIdentity.startOf(Long.parseLong(name.group(2)))
                            .equals(Optional.of(Long.parseLong(name.group(3))));
        } catch (IOException | NumberFormatException e) {
            // Another process removed it meanwhile, or it is none of ours.
            return false;
        }
    }
}
