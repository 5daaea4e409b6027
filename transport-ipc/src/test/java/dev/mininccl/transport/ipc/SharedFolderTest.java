package dev.mininccl.transport.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SharedFolderTest {

    private static final byte[] SECRET = new byte[16];

    @TempDir
    private Path path;

    @Test
    void filesOfDeadProcessesGo() throws Exception {
        Process process = new ProcessBuilder("true").start();
        assertThat(process.waitFor()).isZero();
        SharedFolder folder = SharedFolder.open(path);
        Path dead = make(folder, self().pidNamespace(), process.pid(), self().start());
        Path numberUsedAgain = make(folder, self().pidNamespace(), self().pid(), self().start() - 1);
        SharedFolder.open(path);
        assertThat(dead).doesNotExist();
        assertThat(numberUsedAgain).doesNotExist();
    }

    @Test
    void otherFilesStay() throws Exception {
        SharedFolder folder = SharedFolder.open(path);
        Path own = make(folder, self().pidNamespace(), self().pid(), self().start());
        // There, the number may well be that of a live process.
        Path ofAnotherNamespace = make(folder, self().pidNamespace() + 1, self().pid(), 1);
        Path foreign = Files.createFile(path.resolve("mini-nccl-notes"));
        SharedFolder.open(path);
        assertThat(own).exists();
        assertThat(ofAnotherNamespace).exists();
        assertThat(foreign).exists();
    }

    @Test
    void openingLeavesNothingAndNamesDiffer() throws Exception {
        SharedFolder folder = SharedFolder.open(path);
        assertThat(path).isEmptyDirectory();
        assertThat(folder.freshFile()).isNotEqualTo(folder.freshFile());
        assertThat(folder.file(folder.freshFile().getFileName().toString())).isPresent();
        assertThat(folder.file("../x")).isEmpty();
    }

    private static ProcessIdentity self() throws Exception {
        return ProcessIdentity.current();
    }

    private static Path make(SharedFolder folder, long namespace, long pid, long start) throws Exception {
        ProcessIdentity owner = new ProcessIdentity(new UUID(0, 0), namespace, pid, start, self().user());
        return Files.createFile(folder.file(owner, SECRET));
    }
}
