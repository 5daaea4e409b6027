package dev.mininccl.core.topology;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a rank runs.
 *
 * @param host the machine's name
 * @param boot what tells one booted machine from another, even where names repeat
 * @param pid the process
 * @param cores processors that the process may use
 */
public record HostInfo(String host, String boot, long pid, int cores) {

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** This process. */
    public static HostInfo local() {
        return new HostInfo(hostName(), bootId(), ProcessHandle.current().pid(), Cores.usable());
    }

    /** Whether two ranks run on one machine. */
    public boolean sameMachine(HostInfo other) {
        return boot.equals(other.boot) && host.equals(other.host);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // A host without an entry for its own name is common in containers.
            String name = System.getenv("HOSTNAME");
            return name == null ? "unknown" : name;
        }
    }

    private static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            return "unknown";
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
