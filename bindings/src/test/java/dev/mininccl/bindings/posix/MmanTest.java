package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class MmanTest {
    private static final long BYTES = 1 << 16;

    @Test
    void twoMappingsOfOneFileShareTheirBytes(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("shared");
        int fd = Fd.createExclusive(file);
        int again = Fd.open(file);
        try {
            assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
            Fd.truncate(fd, BYTES / 2);
            Fd.allocate(fd, BYTES);
            assertThat(Files.size(file)).isEqualTo(BYTES);
            long one = Mman.mapShared(fd, BYTES);
            long two = Mman.mapShared(again, BYTES);
            Fd.unlink(file);
            NativeMemory.putLongRelease(one + BYTES - 8, 42);
            assertThat(NativeMemory.getLongAcquire(two + BYTES - 8)).isEqualTo(42);
            Mman.unmap(one, BYTES);
            Mman.unmap(two, BYTES);
        } finally {
            Fd.close(again);
            Fd.close(fd);
        }
    }

    @Test
    void exclusiveCreationRefusesWhatExists(@TempDir Path folder) throws Exception {
        Path dangling = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nothing"));
        assertThatThrownBy(() -> Fd.createExclusive(dangling))
                .isInstanceOfSatisfying(
                        PosixException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST))
                .hasMessage("open " + dangling + ": EEXIST (17): File exists");
        assertThatThrownBy(() -> Fd.open(folder.resolve("nothing"))).hasMessageContaining("ENOENT (2)");
        assertThatThrownBy(() -> Fd.unlink(folder.resolve("nothing"))).hasMessageContaining("ENOENT (2)");
    }

    @Test
    void memoryFileIsMappedAndTooMuchSpaceIsRefusedEarly() {
        int fd = Mman.memoryFile("mini-nccl-test");
        try {
            Fd.allocate(fd, BYTES);
            long address = Mman.map(BYTES, Mman.PROT_READ | Mman.PROT_WRITE, Mman.MAP_SHARED, fd, 0);
            NativeMemory.putByte(address + BYTES - 1, (byte) 1);
            assertThat(Mman.advise(address, BYTES, Mman.MADV_DONTFORK)).isZero();
            assertThat(Mman.advise(address, BYTES, -1)).isEqualTo(-Errno.EINVAL);
            Mman.unmap(address, BYTES);
            assertThatThrownBy(() -> Fd.allocate(fd, -1)).hasMessageContaining("EINVAL");
        } finally {
            Fd.close(fd);
        }
    }

    @Test
    void errorsNameCallAndSize() {
        assertThatThrownBy(() -> Mman.mapAnonymous(0)).hasMessage("mmap of 0 bytes: EINVAL (22): Invalid argument");
        assertThatThrownBy(() -> Mman.mapShared(-1, 4096)).hasMessageContaining("EBADF (9)");
        assertThatThrownBy(() -> Mman.unmap(1, 4096)).hasMessageContaining("munmap of 4096 bytes: EINVAL");
        assertThatThrownBy(() -> Mman.protect(1, 4096, Mman.PROT_NONE)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> Fd.truncate(-1, 1)).hasMessageContaining("EBADF");
    }
}
