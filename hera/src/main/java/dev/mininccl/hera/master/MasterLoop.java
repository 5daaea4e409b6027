package dev.mininccl.hera.master;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.ProtocolException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;

/**
 * The master's one thread: accepts, reads, writes and keeps time, and never waits for any single connection. All state
 * of the job belongs to it, so nothing here is locked.
 */
public final class MasterLoop implements Runnable {

    private static final System.Logger LOG = System.getLogger("mininccl.hera");

    /** How long a connection may take to register or to ask for the status. */
    private static final long STRANGER_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How long an ended connection may take to go. */
    private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long the whole may take to end once the owner closes it. */
    private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long not to accept after the system had no file descriptor left for it. */
    private static final long ACCEPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So late a wake-up means that this process was stopped, or starved, and others of the machine may have been too. */
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Connections that have not registered; when there are more, the oldest goes. */
    private static final int LEAST_STRANGERS = 64;

    private final ServerSocketChannel server;
    private final Selector selector;
    private final SelectionKey acceptKey;
    private final Job job;
    private final byte[] secret;
    private final int strangerLimit;
    private final long queueLimit;

    // Sets in order of arrival, so that the first has the earliest deadline.
    private final SequencedSet<Connection> strangers = new LinkedHashSet<>();
    private final SequencedSet<Connection> finishing = new LinkedHashSet<>();
    private final Queue<Connection> unflushed = new ArrayDeque<>();
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(64 << 10);

    private volatile String closeReason;
    private boolean acceptPaused;
    private long acceptAgainNanos;

    /** Serves one job on a listening socket, which it will close. */
    public MasterLoop(ServerSocketChannel server, int world, byte[] secret, Duration linger) throws IOException {
        this.server = server;
        this.secret = secret == null ? null : secret.clone();
        this.job = new Job(world, Identity.ofThisProcess(""), linger, System.nanoTime());
        this.strangerLimit = Math.max(LEAST_STRANGERS, 2 * world);
        // The results of an exchange are the most that can wait for a rank that keeps to the protocol.
        this.queueLimit = (long) Frame.RANK_LIMIT * world + Frame.MASTER_LIMIT;
        this.selector = Selector.open();
        server.configureBlocking(false);
        this.acceptKey = server.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Ends the loop soon; all ranks still there are told {@code why}. The first call counts. */
    public void close(String why) {
        if (closeReason == null) {
            closeReason = why;
        }
        selector.wakeup();
    }

    /** Why the job was aborted, or {@code null}. */
    public AbortReason reason() {
        return job.reason();
    }

    @Override
    public void run() {
        try {
            while (closeReason == null && !job.ended(System.nanoTime())) {
                turn(dueInNanos(System.nanoTime()));
            }
            end();
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.ERROR, "hera master failed, all its ranks will notice", e);
        } finally {
            closeAll();
        }
    }

    /** Accepts no more, tells whoever is still there, and lets what is under way get out. */
    private void end() throws IOException {
        acceptPaused = false;
        server.close();
        if (closeReason != null) {
            job.shutdown(closeReason, System.nanoTime());
        }
        flush();
        long end = System.nanoTime() + CLOSE_NANOS;
        for (long left = CLOSE_NANOS; left > 0 && !finishing.isEmpty(); left = end - System.nanoTime()) {
            turn(left);
        }
    }

    private void turn(long nanos) throws IOException {
        long begin = System.nanoTime();
        if (nanos <= 0) {
            selector.selectNow(this::ready);
        } else {
            // Rounded up, so that what is due is due on waking; 0 waits without limit.
            selector.select(this::ready, nanos == Long.MAX_VALUE ? 0 : nanos / 1_000_000 + 1);
        }
        long now = System.nanoTime();
        // After reading: a master that was stopped itself finds its ranks' heartbeats first.
        if (now - begin - Math.max(0, nanos) > STANDSTILL_NANOS) {
            job.stoodStill(now - begin - STANDSTILL_NANOS, now);
        }
        job.tick(now);
        expire(now);
        flush();
    }

    private long dueInNanos(long now) {
        long due = job.dueInNanos(now);
        if (!strangers.isEmpty()) {
            due = Math.min(due, strangers.getFirst().deadlineNanos - now);
        }
        if (!finishing.isEmpty()) {
            due = Math.min(due, finishing.getFirst().deadlineNanos - now);
        }
        return acceptPaused ? Math.min(due, acceptAgainNanos - now) : due;
    }

    private void expire(long now) {
        while (!strangers.isEmpty() && now - strangers.getFirst().deadlineNanos >= 0) {
            fail(
                    strangers.getFirst(),
                    "took longer than " + TimeUnit.NANOSECONDS.toSeconds(STRANGER_NANOS) + " s to register",
                    now);
        }
        while (!finishing.isEmpty() && now - finishing.getFirst().deadlineNanos >= 0) {
            drop(finishing.getFirst());
        }
        if (acceptPaused && now - acceptAgainNanos >= 0) {
            acceptPaused = false;
            acceptKey.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void ready(SelectionKey key) {
        if (key.equals(acceptKey)) {
            accept(System.nanoTime());
            return;
        }
        Connection connection = (Connection) key.attachment();
        if (key.isValid() && key.isReadable()) {
            read(connection, System.nanoTime());
        }
        if (key.isValid() && key.isWritable()) {
            unflushed.add(connection);
        }
    }

    private void accept(long now) {
        SocketChannel channel;
        try {
            channel = server.accept();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "hera master cannot accept a connection: {0}", e.getMessage());
            acceptPaused = true;
            acceptAgainNanos = now + ACCEPT_PAUSE_NANOS;
            acceptKey.interestOps(0);
            return;
        }
        if (channel != null) {
            welcome(channel, now);
        }
    }

    private void welcome(SocketChannel channel, long now) {
        Connection connection = new Connection(channel, queueLimit, unflushed::add);
        try {
            connection.open(selector, new Session(job, secret, connection));
        } catch (IOException e) {
            // It was gone before it could be greeted.
            connection.close();
            return;
        }
        connection.deadlineNanos = now + STRANGER_NANOS;
        if (strangers.size() >= strangerLimit) {
            drop(strangers.getFirst());
        }
        strangers.add(connection);
    }

    private void read(Connection connection, long now) {
        try {
            if (!connection.read(scratch, now)) {
                gone(connection, "closed its connection without leaving, so it was probably killed or crashed", now);
            } else if (connection.session().registered()) {
                strangers.remove(connection);
            }
        } catch (IOException e) {
            gone(connection, "lost its connection (" + e.getMessage() + ")", now);
        } catch (ProtocolException e) {
            fail(connection, e.getMessage(), now);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "hera master failed on a message, its connection ends", e);
            fail(connection, "made the master fail: " + e, now);
        }
    }

    /** Whatever happens while sending to one connection may give others something to send. */
    private void flush() {
        for (Connection next = unflushed.poll(); next != null; next = unflushed.poll()) {
            long now = System.nanoTime();
            try {
                next.flush();
                if (next.finishing()) {
                    strangers.remove(next);
                    if (finishing.add(next)) {
                        next.deadlineNanos = now + FINISH_NANOS;
                    }
                }
            } catch (IOException e) {
                gone(next, "lost its connection (" + e.getMessage() + ")", now);
            } catch (ProtocolException e) {
                gone(next, e.getMessage(), now);
            }
        }
    }

    private void gone(Connection connection, String how, long now) {
        connection.session().failed(how, now);
        drop(connection);
    }

    /** Its end is told to the peer first. */
    private void fail(Connection connection, String how, long now) {
        LOG.log(Level.DEBUG, "hera master ends a connection: it {0}", how);
        strangers.remove(connection);
        connection.session().failed(how, now);
    }

    private void drop(Connection connection) {
        strangers.remove(connection);
        finishing.remove(connection);
        connection.close();
    }

    private void closeAll() {
        for (SelectionKey key : selector.keys()) {
            if (key.attachment() instanceof Connection connection) {
                connection.close();
            }
        }
        try {
            server.close();
            selector.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "hera master closes", e);
        }
    }
}
