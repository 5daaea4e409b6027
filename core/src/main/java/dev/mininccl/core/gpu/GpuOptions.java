package dev.mininccl.core.gpu;

import java.time.Duration;

/**
 * How a GPU engine is set up.
 *
 * @param lane the only lane to use, or {@code null} for the best that works
 * @param timeout of connecting, and of each operation from its start on the device; zero is none
 * @param checkPointers whether buffers are looked up before each call
 */
public record GpuOptions(GpuLane lane, Duration timeout, boolean checkPointers) {

    /** The best lane, half a minute, checks on. */
    public static GpuOptions defaults() {
        return new GpuOptions(null, Duration.ofSeconds(30), true);
    }

    /** The same with one lane. */
    public GpuOptions on(GpuLane only) {
        return new GpuOptions(only, timeout, checkPointers);
    }

    /** The same with another deadline. */
    public GpuOptions within(Duration limit) {
        return new GpuOptions(lane, limit, checkPointers);
    }
}
