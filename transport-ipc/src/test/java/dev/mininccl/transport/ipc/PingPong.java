package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import java.lang.foreign.Arena;
import java.util.Arrays;

/** Both ranks send a slice and take the other's, again and again: what a small all-reduce of two ranks does. */
final class PingPong {

    static final int[] SIZES = {8, 16, 24, 32, 88, 128, 512, 2048, 8192, 32_768, 131_072};

    private static final long FINGERPRINT = 77;
    private static final int TURNS_BETWEEN_YIELDS = 1000;

    /** Some tens of seconds. */
    private static final int MOST_TURNS = 500_000_000;

    private PingPong() {}

    /**
     * Exchanges slices that both ends check; both call it with the same arguments.
     *
     * @return microseconds an exchange, one value a sample, ascending
     */
    static double[] run(Link link, Arena arena, int bytes, int samples, int turns) {
        long source = arena.allocate(bytes, 128).address();
        double[] micros = new double[samples];
        for (int sample = 0; sample < samples; sample++) {
            long begin = System.nanoTime();
            for (int turn = 0; turn < turns; turn++) {
                exchange(link, source, bytes, turn);
            }
            micros[sample] = (System.nanoTime() - begin) / 1e3 / turns;
        }
        Arrays.sort(micros);
        return micros;
    }

    private static void exchange(Link link, long source, int bytes, long turn) {
        NativeMemory.putLong(source, turn);
        NativeMemory.putLong(source + bytes - 8, turn);
        while (!link.send().offer(source, bytes, FINGERPRINT)) {
            Thread.onSpinWait();
        }
        long address = await(link.receive(), bytes);
        if (NativeMemory.getLong(address) != turn || NativeMemory.getLong(address + bytes - 8) != turn) {
            throw new IllegalStateException("slice " + turn + " of " + bytes + " B is wrong");
        }
        link.receive().release();
    }

    private static long await(ReceiveLane receive, int bytes) {
        receive.expect(0, bytes, FINGERPRINT);
        long address = receive.poll();
        for (int turn = 1; address == ReceiveLane.NOTHING; turn++) {
            Thread.onSpinWait();
            if (turn % TURNS_BETWEEN_YIELDS == 0) {
                Thread.yield();
                if (turn > MOST_TURNS) {
                    throw new IllegalStateException("the other rank is gone");
                }
            }
            address = receive.poll();
        }
        if (address < 0) {
            throw new IllegalStateException("poll: " + address + ", " + receive.failure());
        }
        return address;
    }
}
