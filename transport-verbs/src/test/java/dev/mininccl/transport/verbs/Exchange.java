package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** One rank of two that send as far ahead as the lane takes and receive what has come. Both know all sizes from the seed. */
final class Exchange {

    private static final long FINGERPRINT = 0x77_0000_0001L;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(100);

    private final Link link;
    private final int rank;
    private final int slices;
    private final Random sentSizes;
    private final Random receivedSizes;
    private final Random choices;
    private final long deadline = System.nanoTime() + LIMIT_NANOS;
    private int sent;
    private int sentSize;

    Exchange(Link link, int slices, long seed, int rank) {
        this.link = link;
        this.rank = rank;
        this.slices = slices;
        sentSizes = new Random(seed + rank);
        receivedSizes = new Random(seed + 1 - rank);
        choices = new Random(seed + 2 + rank);
        sentSize = size(sentSizes);
    }

    void run() {
        try (Arena arena = Arena.ofConfined()) {
            long from = arena.allocate(link.send().slotBytes(), 8).address();
            long to = arena.allocate(link.send().slotBytes(), 8).address();
            for (int received = 0; received < slices; received++) {
                int bytes = size(receivedSizes);
                long destination = choices.nextBoolean() ? to : 0;
                link.receive().expect(destination, bytes, FINGERPRINT + received);
                long address = link.receive().poll();
                while (address == ReceiveLane.NOTHING) {
                    send(from);
                    pause();
                    address = link.receive().poll();
                }
                check(address, bytes, 2 * received + 1 - rank);
                link.receive().release();
            }
            while (sent < slices) {
                send(from);
                pause();
            }
        }
    }

    private void pause() {
        link.send().progress();
        Thread.onSpinWait();
        if (System.nanoTime() > deadline) {
            throw new AssertionError("rank " + rank + " still waits, " + sent + " slices sent");
        }
    }

    private void send(long from) {
        if (sent == slices) {
            return;
        }
        fill(from, sentSize, 2 * sent + rank);
        if (link.send().offer(from, sentSize, FINGERPRINT + sent)) {
            sent++;
            sentSize = size(sentSizes);
        }
    }

    private int size(Random sizes) {
        return sizes.nextBoolean()
                ? sizes.nextInt(100)
                : sizes.nextInt(link.send().slotBytes() + 1);
    }

    static void fill(long address, int bytes, int salt) {
        for (int i = 0; i < bytes; i++) {
            NativeMemory.putByte(address + i, (byte) (i * 31 + salt));
        }
    }

    private void check(long address, int bytes, int salt) {
        if (address < 0) {
            throw new AssertionError("poll: " + address + ", " + link.receive().failure());
        }
        for (int i = 0; i < bytes; i++) {
            if (NativeMemory.getByte(address + i) != (byte) (i * 31 + salt)) {
                throw new AssertionError("byte " + i + " of " + bytes + ", salt " + salt);
            }
        }
    }
}
