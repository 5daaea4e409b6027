package dev.mininccl.hera.worker;

import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends a rank's messages and heartbeats, so that no caller waits for the network. The protocol bounds what can queue
 * here: a part of one exchange, and a few small messages.
 */
final class Outbox implements Runnable {

    /** No frame is empty. */
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final MasterLink link;
    private final long heartbeatNanos;
    private final BlockingQueue<ByteBuffer> queue = new LinkedBlockingQueue<>();

    Outbox(MasterLink link, int heartbeatMillis) {
        this.link = link;
        this.heartbeatNanos = TimeUnit.MILLISECONDS.toNanos(heartbeatMillis);
    }

    void send(Message message) {
        queue.add(MessageCodec.encode(message));
    }

    /** Nothing follows what was sent. */
    void end() {
        queue.add(END);
    }

    @Override
    public void run() {
        long beatNanos = System.nanoTime();
        try {
            for (; ; ) {
                long untilBeat = beatNanos + heartbeatNanos - System.nanoTime();
                ByteBuffer frame = queue.poll(untilBeat, TimeUnit.NANOSECONDS);
                if (frame != null && !frame.hasRemaining()) {
                    link.endOutput();
                    return;
                }
                if (frame != null) {
                    link.send(frame);
                }
                if (System.nanoTime() - beatNanos >= heartbeatNanos) {
                    link.send(new Message.Heartbeat());
                    beatNanos = System.nanoTime();
                }
            }
        } catch (IOException | InterruptedException e) {
            // The receiving thread sees the end of the stream and says so.
            link.close();
        }
    }
}
