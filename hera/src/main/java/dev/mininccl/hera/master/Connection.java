package dev.mininccl.hera.master;

import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.FrameDecoder;
import dev.mininccl.hera.wire.MessageCodec;
import dev.mininccl.hera.wire.ProtocolException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/** One accepted socket, never waited for: what cannot be written yet waits in a bounded queue. */
final class Connection implements Outlet {

    private final SocketChannel channel;
    private final Consumer<Connection> wantsFlush;
    private final long queueLimit;
    private final Queue<ByteBuffer> queue = new ArrayDeque<>();
    private final FrameDecoder decoder = new FrameDecoder(Frame.HANDSHAKE_LIMIT);

    /** When it is ended, unless it has registered until then, or has ended by itself. */
    long deadlineNanos;

    private SelectionKey key;
    private Session session;
    private long queuedBytes;
    private boolean finishing;
    private boolean outputOver;
    private boolean awaitsFlush;

    Connection(SocketChannel channel, long queueLimit, Consumer<Connection> wantsFlush) {
        this.channel = channel;
        this.queueLimit = queueLimit;
        this.wantsFlush = wantsFlush;
    }

    void open(Selector selector, Session with) throws IOException {
        session = with;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    Session session() {
        return session;
    }

    /** Whether it only waits for the peer to go. */
    boolean finishing() {
        return finishing && channel.isOpen();
    }

    @Override
    public void send(ByteBuffer frame) {
        if (!finishing) {
            queue.add(frame.duplicate());
            queuedBytes += frame.remaining();
            askForFlush();
        }
    }

    @Override
    public void finish() {
        finishing = true;
        askForFlush();
    }

    private void askForFlush() {
        if (!awaitsFlush) {
            awaitsFlush = true;
            wantsFlush.accept(this);
        }
    }

    /**
     * Reads and handles what has arrived, at most one buffer full, so that all get their turn.
     *
     * @return false at the end of the stream
     */
    boolean read(ByteBuffer scratch, long now) throws IOException, ProtocolException {
        scratch.clear();
        if (channel.read(scratch) < 0) {
            return false;
        }
        scratch.flip();
        while (!finishing && scratch.hasRemaining()) {
            Frame frame = decoder.next(scratch);
            if (frame != null) {
                session.received(MessageCodec.decode(frame), now);
                decoder.limit(session.limit());
            }
        }
        return true;
    }

    /** Writes what can be written without waiting. */
    void flush() throws IOException, ProtocolException {
        awaitsFlush = false;
        if (!channel.isOpen()) {
            return;
        }
        while (!queue.isEmpty()) {
            queuedBytes -= channel.write(queue.peek());
            if (queue.peek().hasRemaining()) {
                break;
            }
            queue.remove();
        }
        if (queuedBytes > queueLimit) {
            throw new ProtocolException("does not read: " + queuedBytes + " bytes wait for it");
        }
        if (finishing && queue.isEmpty() && !outputOver) {
            outputOver = true;
            channel.shutdownOutput();
        }
        key.interestOps(queue.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }

    void close() {
        queue.clear();
        finishing = true;
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing is left to be saved.
        }
    }
}
