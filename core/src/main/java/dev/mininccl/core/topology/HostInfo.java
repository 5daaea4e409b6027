package dev.mininccl.core.topology;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Where a rank runs.
 *
 * @param host the machine's name
 * @param boot what tells one booted machine from another, even where names repeat
 * @param pid the process
 * @param cores processors that the process may use
 */
public record HostInfo(String host, String boot, long pid, int cores) {

    private static final String UNKNOWN = "unknown";

    /** This process. */
    public static HostInfo local() {
        return new HostInfo(hostName(), bootId(), ProcessHandle.current().pid(), Cores.usable());
    }

    /** Whether two ranks run on one machine: containers of one have names of their own. */
    public boolean sameMachine(HostInfo other) {
        return boot.equals(other.boot) && (!boot.equals(UNKNOWN) || host.equals(other.host));
    }

    /** The machine's own name as the kernel has it: asking the resolver takes seconds where name servers do not answer. */
    private static String hostName() {
        return line("/proc/sys/kernel/hostname", Objects.requireNonNullElse(System.getenv("HOSTNAME"), UNKNOWN));
    }

    private static String bootId() {
        return line("/proc/sys/kernel/random/boot_id", UNKNOWN);
    }

    private static String line(String file, String otherwise) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return otherwise;
        }
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(host);
            out.writeUTF(boot);
            out.writeLong(pid);
            out.writeInt(cores);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static HostInfo decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return new HostInfo(in.readUTF(), in.readUTF(), in.readLong(), in.readInt());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
