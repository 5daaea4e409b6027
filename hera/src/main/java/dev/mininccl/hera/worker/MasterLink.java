package dev.mininccl.hera.worker;

import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.FrameDecoder;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import dev.mininccl.hera.wire.Proofs;
import dev.mininccl.hera.wire.ProtocolException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** A connection to a master. One thread may send while another receives. */
public final class MasterLink implements AutoCloseable {

    private static final byte[] NOTHING = {};

    /** For one address, so that one behind a silent firewall does not use up the time of the next. */
    private static final int CONNECT_MILLIS = 2_000;

    /** Enough on one machine, so that a last attempt before the deadline still tells what is wrong. */
    private static final int LEAST_CONNECT_MILLIS = 50;

    private final Socket socket;
    private final FrameDecoder decoder = new FrameDecoder(Frame.HANDSHAKE_LIMIT);
    private final ByteBuffer received = ByteBuffer.allocate(64 << 10).flip();

    private MasterLink(Socket socket) {
        this.socket = socket;
    }

    /**
     * Connects to the first address that answers.
     *
     * @param addresses at least one
     */
    public static MasterLink connect(InetAddress[] addresses, int port, Deadline deadline) throws IOException {
        IOException failure = null;
        for (InetAddress address : addresses) {
            try {
                int millis = Math.clamp(deadline.remainingMillis(), LEAST_CONNECT_MILLIS, CONNECT_MILLIS);
                return connect(new InetSocketAddress(address, port), millis);
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static MasterLink connect(InetSocketAddress address, int timeoutMillis) throws IOException {
        // Never by way of a SOCKS proxy that some system property names.
        Socket socket = new Socket(Proxy.NO_PROXY);
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address, timeoutMillis);
            // A loopback port where nobody listens can by chance be given to the very socket that connects to it.
            if (socket.getLocalPort() == socket.getPort()
                    && socket.getLocalAddress().equals(socket.getInetAddress())) {
                throw new ConnectException("Connection refused");
            }
            return new MasterLink(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Says hello; both sides prove that they know the secret, where one is set.
     *
     * @param secret {@code null} for none
     */
    public void greet(byte[] secret, Deadline deadline) throws IOException, ProtocolException, RefusedException {
        byte[] clientNonce = secret == null ? NOTHING : Proofs.nonce();
        send(new Message.Hello(clientNonce));
        Message.Challenge challenge = expect(Message.Challenge.class, deadline);
        if (secret != null) {
            if (!challenge.secret() || challenge.nonce().length != Proofs.NONCE_BYTES) {
                throw new RefusedException(
                        ResultCode.INVALID_USAGE,
                        "this rank has a secret, but the master demands none and so may be anybody's: start it with the same secret");
            }
            send(new Message.Proof(Proofs.ofClient(secret, clientNonce, challenge.nonce())));
            byte[] mac = expect(Message.Welcome.class, deadline).mac();
            if (!Proofs.equal(Proofs.ofMaster(secret, clientNonce, challenge.nonce()), mac)) {
                throw new RefusedException(ResultCode.INVALID_USAGE, "the master does not know the secret");
            }
        }
        decoder.limit(Frame.MASTER_LIMIT);
    }

    /** Sends one message. */
    public void send(Message message) throws IOException {
        send(MessageCodec.encode(message));
    }

    void send(ByteBuffer frame) throws IOException {
        socket.getOutputStream().write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
    }

    /** Says that nothing more will be sent. */
    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /**
     * The next message, which must be of a given type.
     *
     * @throws RefusedException if the master refuses instead
     */
    public <M extends Message> M expect(Class<M> type, Deadline deadline)
            throws IOException, ProtocolException, RefusedException {
        Message message = receive(deadline);
        if (message instanceof Message.Refused refused) {
            throw new RefusedException(refused.code(), refused.why());
        }
        if (!type.isInstance(message)) {
            throw new ProtocolException(
                    "sent a " + message.getClass().getSimpleName() + " where a " + type.getSimpleName() + " was due");
        }
        return type.cast(message);
    }

    /**
     * The next message.
     *
     * @throws SocketTimeoutException if none comes in time
     * @throws EOFException if the master has ended the connection
     */
    Message receive(Deadline deadline) throws IOException, ProtocolException {
        for (boolean late = false; ; ) {
            Frame frame = decoder.next(received);
            if (frame != null) {
                return MessageCodec.decode(frame);
            }
            if (late) {
                throw new SocketTimeoutException("no answer in time");
            }
            // One look more: a process that was stopped itself may find that the answer came in time.
            late = deadline.expired();
            fill(Math.clamp(deadline.remainingMillis(), 1, Integer.MAX_VALUE));
        }
    }

    private void fill(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            int bytes = socket.getInputStream().read(received.array());
            if (bytes < 0) {
                throw new EOFException("the connection was closed by the other side");
            }
            received.position(0).limit(bytes);
        } catch (SocketTimeoutException e) {
            // The caller looks at the deadline.
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing is left to be saved.
        }
    }
}
