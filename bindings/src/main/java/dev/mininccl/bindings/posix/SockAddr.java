package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Addresses of sockets ({@code struct sockaddr}): IPv4, IPv6, and Unix-domain ones with a path or an abstract name. */
public sealed interface SockAddr {
    /** Unix-domain. */
    int AF_UNIX = 1;
    /** IPv4. */
    int AF_INET = 2;
    /** IPv6. */
    int AF_INET6 = 10;
    /** Room for any address here: {@code sizeof(struct sockaddr_un)}. */
    int MOST_BYTES = 110;

    /**
     * The address family.
     *
     * @return an {@code AF_} constant
     */
    int family();

    /**
     * Writes the C structure.
     *
     * @param target at least {@link #MOST_BYTES} bytes, 4-byte aligned
     * @return the structure's size in bytes
     */
    int encode(MemorySegment target);

    /**
     * An IPv4 or IPv6 address and a port.
     *
     * @param address resolved
     * @return the address
     * @throws IllegalArgumentException if the host name was not resolved
     */
    static SockAddr of(InetSocketAddress address) {
        return new Inet(address);
    }

    /**
     * A Unix-domain address in the file system.
     *
     * @param path at most 107 bytes long
     * @return the address
     * @throws IllegalArgumentException if the path is empty or too long
     */
    static SockAddr unix(Path path) {
        return Unix.named(path.toString(), false);
    }

    /**
     * A Unix-domain address that has no file and vanishes with its socket. It is not visible in other network namespaces.
     *
     * @param name at most 107 bytes long
     * @return the address
     * @throws IllegalArgumentException if the name is empty or too long
     */
    static SockAddr abstractUnix(String name) {
        return Unix.named(name, true);
    }

    /**
     * Reads the C structure.
     *
     * @param source the structure
     * @param bytes its size as the kernel gave it
     * @return the address
     * @throws IllegalArgumentException for a family that is not one of the three
     */
    static SockAddr decode(MemorySegment source, int bytes) {
        int family = Short.toUnsignedInt(source.get(JAVA_SHORT, 0));
        return switch (family) {
            case AF_INET -> Inet.decode(source, 4, 4, 0);
            case AF_INET6 -> Inet.decode(source, 8, 16, source.get(JAVA_INT, 24));
            case AF_UNIX -> Unix.decode(source, bytes);
            default -> throw new IllegalArgumentException("address family " + family + " is none of 1, 2, 10");
        };
    }

    /**
     * An IPv4 or IPv6 address and a port.
     *
     * @param address resolved
     */
    record Inet(InetSocketAddress address) implements SockAddr {
        private static final ValueLayout.OfShort PORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
        private static final int IN_BYTES = 16;
        private static final int IN6_BYTES = 28;

        /** Checks that the name was resolved. */
        public Inet {
            if (address.isUnresolved()) {
                throw new IllegalArgumentException("host name " + address.getHostString() + " is not resolved");
            }
        }

        @Override
        public int family() {
            return address.getAddress() instanceof Inet6Address ? AF_INET6 : AF_INET;
        }

        @Override
        public int encode(MemorySegment target) {
            byte[] bytes = address.getAddress().getAddress();
            boolean six = address.getAddress() instanceof Inet6Address;
            int size = six ? IN6_BYTES : IN_BYTES;
            target.asSlice(0, size).fill((byte) 0);
            target.set(JAVA_SHORT, 0, (short) family());
            target.set(PORT, 2, (short) address.getPort());
            MemorySegment.copy(bytes, 0, target, JAVA_BYTE, six ? 8 : 4, bytes.length);
            if (address.getAddress() instanceof Inet6Address scoped) {
                target.set(JAVA_INT, 24, scoped.getScopeId());
            }
            return size;
        }

        private static SockAddr decode(MemorySegment source, int offset, int length, int scope) {
            byte[] bytes = source.asSlice(offset, length).toArray(JAVA_BYTE);
            try {
                InetAddress host =
                        scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
                return new Inet(new InetSocketAddress(host, Short.toUnsignedInt(source.get(PORT, 2))));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("address of " + length + " bytes", e);
            }
        }

        @Override
        public String toString() {
            String host = address.getAddress().getHostAddress();
            return (family() == AF_INET6 ? "[" + host + "]" : host) + ":" + address.getPort();
        }
    }

    /**
     * A Unix-domain address.
     *
     * @param name path or abstract name; empty only for the unnamed end of a connection
     * @param isAbstract whether it has no file
     */
    record Unix(String name, boolean isAbstract) implements SockAddr {
        private static final int PATH_OFFSET = 2;
        private static final int LONGEST_NAME = 107;

        /** Checks the length. */
        public Unix {
            int length = name.getBytes(StandardCharsets.UTF_8).length;
            if (length > LONGEST_NAME) {
                throw new IllegalArgumentException(
                        "Unix-domain name of " + length + " bytes, at most " + LONGEST_NAME + ": " + name);
            }
        }

        private static Unix named(String name, boolean isAbstract) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("Unix-domain name is empty");
            }
            return new Unix(name, isAbstract);
        }

        @Override
        public int family() {
            return AF_UNIX;
        }

        @Override
        public int encode(MemorySegment target) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            int size = PATH_OFFSET + bytes.length + 1;
            target.asSlice(0, size).fill((byte) 0);
            target.set(JAVA_SHORT, 0, (short) AF_UNIX);
            // An abstract name starts with a zero byte and ends with the size; a path ends with a zero byte.
            MemorySegment.copy(bytes, 0, target, JAVA_BYTE, PATH_OFFSET + (isAbstract ? 1 : 0), bytes.length);
            return size;
        }

        private static SockAddr decode(MemorySegment source, int size) {
            byte[] bytes =
                    source.asSlice(PATH_OFFSET, Math.max(0, size - PATH_OFFSET)).toArray(JAVA_BYTE);
            if (bytes.length == 0) {
                return new Unix("", false);
            }
            boolean isAbstract = bytes[0] == 0;
            int from = isAbstract ? 1 : 0;
            int to = from;
            while (to < bytes.length && (isAbstract || bytes[to] != 0)) {
                to++;
            }
            return new Unix(new String(Arrays.copyOfRange(bytes, from, to), StandardCharsets.UTF_8), isAbstract);
        }

        @Override
        public String toString() {
            return "unix:" + (isAbstract ? "@" : "") + name;
        }
    }
}
