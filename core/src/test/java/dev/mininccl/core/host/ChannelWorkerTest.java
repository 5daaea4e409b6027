package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.Sched;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChannelWorkerTest {

    private static final String NAME = "pinned-worker";
    private static final String ALLOWED = "Cpus_allowed_list:";

    @Test
    @Timeout(30)
    void threadStaysOnTheProcessorsNearTheDevice() throws Exception {
        int last = Sched.affinity().length() - 1;
        BitSet near = new BitSet();
        near.set(last, last + 2);
        try (ChannelWorker worker = new ChannelWorker(null, NAME, near)) {
            worker.launch();
            assertThat(worker.finished()).isTrue();
            while (!Integer.toString(last).equals(processors())) {
                Thread.sleep(1);
            }
        }
    }

    /** Of the thread with the name, as the kernel lists them. */
    private static String processors() throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("comm")).strip().equals(NAME)) {
                    return Files.readAllLines(task.resolve("status")).stream()
                            .filter(line -> line.startsWith(ALLOWED))
                            .map(line -> line.substring(ALLOWED.length()).strip())
                            .findFirst()
                            .orElseThrow();
                }
            }
        }
        return "";
    }
}
