package dev.mininccl.core.topology;

import dev.mininccl.bindings.posix.Sched;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** How many processors this process may use. */
final class Cores {

    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cores() {}

    /**
     * The processors that any thread of this process may run on. {@link Runtime#availableProcessors()} speaks of the calling
     * thread, and ranks often bind that one to a core.
     */
    static int usable() {
        int available = Runtime.getRuntime().availableProcessors();
        try {
            if (available < Sched.affinity().cardinality()) {
                // A quota of the container, not a binding.
                return available;
            }
            return Math.max(available, allowedToAny().cardinality());
        } catch (IOException | RuntimeException e) {
            return available;
        }
    }

    private static BitSet allowedToAny() throws IOException {
        BitSet processors = new BitSet();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                for (String line : Files.readAllLines(task.resolve("status"))) {
                    if (line.startsWith(ALLOWED)) {
                        add(processors, line.substring(ALLOWED.length()).strip());
                    }
                }
            }
        }
        return processors;
    }

    /** Adds a list such as {@code 0-3,8}. */
    static void add(BitSet processors, String list) {
        for (String range : list.split(",", -1)) {
            String[] ends = range.split("-", -1);
            int first = Integer.parseInt(ends[0]);
            processors.set(first, Integer.parseInt(ends[ends.length - 1]) + 1);
        }
    }
}
