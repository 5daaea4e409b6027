package dev.mininccl.hera.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Who a process is, as far as people and the other ranks care.
 *
 * @param host the machine's own name
 * @param pid the process id on it
 * @param instance a random number that tells processes apart where containers share host name and pid
 * @param bootId equal for all processes of one running kernel
 * @param about a line of the user's choice, for the status
 */
public record Identity(String host, long pid, long instance, String bootId, String about) {

    private static final long INSTANCE = ThreadLocalRandom.current().nextLong();

    private static final int ABOUT_LIMIT = 256;

    /** This process. */
    public static Identity ofThisProcess(String about) {
        return new Identity(
                line("/proc/sys/kernel/hostname", "unknown"),
                ProcessHandle.current().pid(),
                INSTANCE,
                line("/proc/sys/kernel/random/boot_id", ""),
                cut(about, ABOUT_LIMIT));
    }

    /** Tells whether two identities are of one process. */
    public boolean sameProcess(Identity other) {
        return pid == other.pid && instance == other.instance && host.equals(other.host);
    }

    /** For messages. */
    @Override
    public String toString() {
        return "host " + host + ", pid " + pid;
    }

    /** Shortens a text that travels. */
    public static String cut(String text, int limit) {
        return text.length() <= limit ? text : text.substring(0, limit - 3) + "...";
    }

    private static String line(String path, String otherwise) {
        try {
            return Files.readString(Path.of(path)).strip();
        } catch (IOException e) {
            return otherwise;
        }
    }
}
