package dev.mininccl.transport.ipc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * Which process this is, told apart from all others that ever ran on this or another kernel.
 *
 * @param boot the running kernel
 * @param pidNamespace the namespace in which {@code pid} is meant
 * @param pid the process
 * @param start when it began, in clock ticks since the kernel's start: numbers of processes are used again
 * @param user its effective user
 */
record ProcessIdentity(UUID boot, long pidNamespace, long pid, long start, int user) {

    /** Where the times begin in {@code /proc/PID/stat}, counted from the field after the command's name. */
    private static final int START_FIELD = 19;

    static ProcessIdentity current() throws IOException {
        long pid = ProcessHandle.current().pid();
        return new ProcessIdentity(
                UUID.fromString(Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                        .strip()),
                pidNamespaceOfThisProcess(),
                pid,
                startOf(pid).orElseThrow(() -> new IOException("/proc/" + pid + "/stat: missing")),
                userOfThisProcess());
    }

    /** When a process of this namespace began; empty if there is none of that number. */
    static Optional<Long> startOf(long pid) throws IOException {
        Path stat = Path.of("/proc/" + pid + "/stat");
        if (!Files.exists(stat)) {
            return Optional.empty();
        }
        String text = Files.readString(stat);
        // The command's name stands in parentheses and may contain any character.
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        return Optional.of(Long.parseLong(fields[START_FIELD]));
    }

    private static long pidNamespaceOfThisProcess() throws IOException {
        // pid:[4026531836]
        String link = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        return Long.parseLong(link.substring(link.indexOf('[') + 1, link.indexOf(']')));
    }

    private static int userOfThisProcess() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                // real, effective, saved, file system
                return Integer.parseUnsignedInt(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException("/proc/self/status: no line Uid");
    }
}
