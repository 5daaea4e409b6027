package dev.mininccl.core.tcp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which machine and network namespace this process is in. Two processes with the same identity reach each other over
 * loopback and abstract Unix-domain sockets: containers of one machine, whose namespaces differ, do not.
 */
final class HostIdentity {

    private static final int LONGEST = 256;

    private HostIdentity() {}

    /** Boot id, network namespace and host name; any of them may be empty where the kernel does not tell. */
    static String ofThisProcess() {
        String text =
                read("/proc/sys/kernel/random/boot_id") + " " + namespace() + " " + read("/proc/sys/kernel/hostname");
        return text.substring(0, Math.min(text.length(), LONGEST));
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static String namespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
