package dev.mininccl.bindings.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A non-blocking stream socket over IPv4, IPv6 or the Unix domain, closed on exec.
 *
 * <p>{@link #send} and {@link #receive} take absolute addresses, return a count or a negative {@link Errno}, and allocate
 * nothing. One thread may send while another receives; two threads must not send, or receive, at the same time. Who closes the
 * socket makes sure that no other thread is in a call: {@link #shutdown} first ends those that poll.
 */
public final class Socket implements AutoCloseable {

    /** {@code TCP_CA_NAME_MAX} of the kernel's headers. */
    private static final int CONGESTION_NAME_BYTES = 16;

    private final int fd;
    private final String name;
    private final ErrnoCapture sendErrno = new ErrnoCapture();
    private final ErrnoCapture receiveErrno = new ErrnoCapture();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Socket(int fd, String name) {
        this.fd = fd;
        this.name = name;
    }

    /**
     * Opens a socket that can be bound or connected to addresses of a family.
     *
     * @param family an {@code AF_} constant of {@link SockAddr}
     * @return the socket; the caller closes it
     * @throws PosixException if none can be had
     */
    public static Socket open(int family) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        int fd = SocketCalls.socket(errno, family);
        return new Socket(Calls.check(fd, errno, "socket of family " + family), "socket " + fd);
    }

    /**
     * Opens two sockets that are connected to each other in the Unix domain.
     *
     * @return the two ends; the caller closes both
     * @throws PosixException if none can be had
     */
    public static Socket[] pair() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fds = arena.allocate(ValueLayout.JAVA_INT, 2);
            Calls.check(SocketCalls.socketpair(errno, SockAddr.AF_UNIX, fds), errno, "socketpair");
            int first = fds.getAtIndex(ValueLayout.JAVA_INT, 0);
            int second = fds.getAtIndex(ValueLayout.JAVA_INT, 1);
            return new Socket[] {new Socket(first, "socket " + first), new Socket(second, "socket " + second)};
        }
    }

    /**
     * Gives the socket an address.
     *
     * @param address where; port 0 lets the kernel choose
     * @throws PosixException for example with {@code EADDRINUSE}
     */
    public void bind(SockAddr address) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(SockAddr.MOST_BYTES, Long.BYTES);
            int result = SocketCalls.bind(errno, fd, encoded, address.encode(encoded));
            Calls.check(result, errno, "bind to " + address);
        }
    }

    /**
     * Waits for connections from now on.
     *
     * @param backlog how many may wait to be accepted
     * @throws PosixException if the socket is not bound
     */
    public void listen(int backlog) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        Calls.check(SocketCalls.listen(errno, fd, backlog), errno, "listen on " + name);
    }

    /**
     * Takes a connection that has come.
     *
     * @return the socket of this end, non-blocking, which the caller closes; empty if none has come or it went again
     * @throws PosixException for other errors, for example {@code EMFILE}
     */
    public Optional<Socket> accept() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        int accepted = SocketCalls.accept(errno, fd);
        if (accepted >= 0) {
            return Optional.of(new Socket(accepted, "socket " + accepted));
        }
        return switch (errno.value()) {
            case Errno.EAGAIN, Errno.EINTR, Errno.ECONNABORTED -> Optional.empty();
            default -> throw new PosixException("accept on " + name, errno.value());
        };
    }

    /**
     * Starts to connect. After {@code -EINPROGRESS} wait with {@link #await} for {@link PollSet#POLLOUT} and read
     * {@link #pendingError}.
     *
     * @param address the listener
     * @return 0 if connected, or a negative {@link Errno}; {@code -EAGAIN} from a Unix-domain listener with a full backlog
     */
    public int connect(SockAddr address) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(SockAddr.MOST_BYTES, Long.BYTES);
            int result = SocketCalls.connect(errno, fd, encoded, address.encode(encoded));
            return result < 0 ? -errno.value() : 0;
        }
    }

    /**
     * Waits until the socket is ready for something, has failed, or the time is over.
     *
     * @param events {@code POLL} flags of {@link PollSet}
     * @param timeoutMillis how long, 0 for not at all
     * @return what it is ready for, 0 after the time
     * @throws PosixException if the call fails
     */
    public int await(int events, int timeoutMillis) {
        PollSet one = new PollSet(1);
        one.set(0, this, events);
        int count = one.poll(timeoutMillis);
        if (count < 0 && count != -Errno.EINTR) {
            throw new PosixException("poll of " + name, -count);
        }
        return count > 0 ? one.ready(0) : 0;
    }

    /**
     * Reads and clears the socket's error, such as that of a connect in progress.
     *
     * @return 0 or an {@link Errno}, not negated
     */
    public int pendingError() {
        return option(SocketCalls.SOL_SOCKET, SocketCalls.SO_ERROR);
    }

    /**
     * Whether small sends leave at once (TCP only); set it for everything latency matters to.
     *
     * @param on true to send at once
     */
    public void tcpNoDelay(boolean on) {
        option(SocketCalls.IPPROTO_TCP, SocketCalls.TCP_NODELAY, on ? 1 : 0);
    }

    /**
     * Whether small sends leave at once (TCP only).
     *
     * @return false for a new socket
     */
    public boolean tcpNoDelay() {
        return option(SocketCalls.IPPROTO_TCP, SocketCalls.TCP_NODELAY) != 0;
    }

    /**
     * Asks for a size of the kernel's send buffer; it doubles the value and bounds it by {@code net.core.wmem_max}.
     *
     * @param bytes the size; asking turns automatic sizing off
     */
    public void sendBuffer(int bytes) {
        option(SocketCalls.SOL_SOCKET, SocketCalls.SO_SNDBUF, bytes);
    }

    /**
     * Chooses how sending adapts to the network (TCP only).
     *
     * @param algorithm a name of {@code net.ipv4.tcp_allowed_congestion_control}, such as {@code reno}, which is always allowed
     * @throws PosixException if the kernel does not have it
     */
    public void congestionControl(String algorithm) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(algorithm);
            int result = SocketCalls.setsockopt(errno, fd, SocketCalls.IPPROTO_TCP, SocketCalls.TCP_CONGESTION, name);
            Calls.check(result, errno, "setsockopt TCP_CONGESTION of " + this.name + " to " + algorithm);
        }
    }

    /**
     * How sending adapts to the network (TCP only).
     *
     * @return the algorithm's name
     */
    public String congestionControl() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(CONGESTION_NAME_BYTES);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, CONGESTION_NAME_BYTES);
            int result =
                    SocketCalls.getsockopt(errno, fd, SocketCalls.IPPROTO_TCP, SocketCalls.TCP_CONGESTION, name, size);
            Calls.check(result, errno, "getsockopt TCP_CONGESTION of " + this.name);
            return name.getString(0);
        }
    }

    private void option(int level, int option, int value) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocateFrom(ValueLayout.JAVA_INT, value);
            int result = SocketCalls.setsockopt(errno, fd, level, option, cell);
            Calls.check(result, errno, "setsockopt " + level + "/" + option + " of " + name + " to " + value);
        }
    }

    private int option(int level, int option) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, Integer.BYTES);
            int result = SocketCalls.getsockopt(errno, fd, level, option, cell, size);
            Calls.check(result, errno, "getsockopt " + level + "/" + option + " of " + name);
            return cell.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /**
     * The address of this end.
     *
     * @return the address, with the port the kernel chose
     * @throws PosixException if it cannot be read
     */
    public SockAddr localAddress() {
        return address(false);
    }

    /**
     * The address of the other end.
     *
     * @return the address
     * @throws PosixException with {@code ENOTCONN} if the socket is not connected
     */
    public SockAddr peerAddress() {
        return address(true);
    }

    private SockAddr address(boolean peer) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(SockAddr.MOST_BYTES, Long.BYTES);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, SockAddr.MOST_BYTES);
            int result = peer
                    ? SocketCalls.getpeername(errno, fd, encoded, size)
                    : SocketCalls.getsockname(errno, fd, encoded, size);
            Calls.check(result, errno, (peer ? "getpeername of " : "getsockname of ") + name);
            return SockAddr.decode(encoded, size.get(ValueLayout.JAVA_INT, 0));
        }
    }

    /**
     * Sends what the kernel takes at once. A peer that is gone is {@code -EPIPE} or {@code -ECONNRESET}, never a signal.
     *
     * @param address absolute address of the first byte
     * @param bytes how many
     * @return how many were taken, or a negative {@link Errno}: {@code -EAGAIN} if none
     */
    public long send(long address, long bytes) {
        if (closed.getPlain()) {
            return -Errno.EBADF;
        }
        return SocketCalls.send(sendErrno, fd, address, bytes, SocketCalls.MSG_NOSIGNAL);
    }

    /**
     * Sends what the kernel takes at once of several pieces, in order.
     *
     * @param pieces what to send, set anew after a send that took a part
     * @return how many bytes were taken, or a negative {@link Errno}
     */
    public long send(IoVector pieces) {
        if (closed.getPlain()) {
            return -Errno.EBADF;
        }
        return SocketCalls.sendmsg(sendErrno, fd, pieces.message(), SocketCalls.MSG_NOSIGNAL);
    }

    /**
     * Receives what is there into several pieces, in order.
     *
     * @param pieces where to put it
     * @return how many bytes came, 0 if the peer has ended its side, or a negative {@link Errno}
     */
    public long receive(IoVector pieces) {
        if (closed.getPlain()) {
            return -Errno.EBADF;
        }
        return SocketCalls.recvmsg(receiveErrno, fd, pieces.message(), 0);
    }

    /**
     * Receives what is there.
     *
     * @param address absolute address of the first byte
     * @param bytes how many at most, 1 or more
     * @return how many came, 0 if the peer has ended its side, or a negative {@link Errno}: {@code -EAGAIN} if nothing is there
     */
    public long receive(long address, long bytes) {
        if (closed.getPlain()) {
            return -Errno.EBADF;
        }
        return SocketCalls.recv(receiveErrno, fd, address, bytes, 0);
    }

    /** Ends both directions; the peer reads the end of the stream, and calls here fail or return 0. Allowed in any state. */
    public void shutdown() {
        if (!closed.get()) {
            SocketCalls.shutdown(ErrnoCapture.ofThread(), fd);
        }
    }

    /**
     * The descriptor, for {@link PollSet} and messages. It stays with this object.
     *
     * @return the number
     */
    public int fd() {
        return fd;
    }

    /** Closes the socket once; later calls do nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Fd.close(fd);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
