package dev.mininccl.core.gpu;

import java.time.Duration;

/**
 * How a GPU engine is set up.
 *
 * @param lane the only lane to use, or {@code null} for the best that works
 * @param timeout of connecting, and of each operation from its start on the device; zero is none
 * @param checkPointers whether buffers are looked up before each call
 * @param stepwise a kernel or copy a step, in place of one kernel that does all
 */
public record GpuOptions(GpuLane lane, Duration timeout, boolean checkPointers, boolean stepwise) {

    /** The best lane, half a minute, checks on. */
    public static GpuOptions defaults() {
        return new GpuOptions(null, Duration.ofSeconds(30), true, false);
    }

    /** The same with one lane. */
    public GpuOptions on(GpuLane only) {
        return new GpuOptions(only, timeout, checkPointers, stepwise);
    }

    /** The same with another deadline. */
    public GpuOptions within(Duration limit) {
        return new GpuOptions(lane, limit, checkPointers, stepwise);
    }

    /** The same in steps. */
    public GpuOptions inSteps(boolean steps) {
        return new GpuOptions(lane, timeout, checkPointers, steps);
    }
}
