package dev.mininccl.core.gpu;

import java.time.Duration;

/**
 * How a GPU engine is set up.
 *
 * @param lane the only lane to use, or {@code null} for the best that works
 * @param timeout of connecting, and of each operation from its start on the device; zero is none
 * @param checkPointers whether buffers are looked up before each call
 * @param stepwise a kernel or copy a step, in place of one kernel that does all
 * @param reproducible whether results depend only on inputs, type, operation and rank order, to the bit
 * @param residentIdle how long a kernel that serves small blocking calls stays after the last one; zero: every call is launched
 */
public record GpuOptions(
        GpuLane lane,
        Duration timeout,
        boolean checkPointers,
        boolean stepwise,
        boolean reproducible,
        Duration residentIdle) {

    /** The best lane, half a minute, checks on, 200 microseconds. */
    public static GpuOptions defaults() {
        return new GpuOptions(null, Duration.ofSeconds(30), true, false, false, Duration.ofNanos(200_000));
    }

    /** The same with one lane. */
    public GpuOptions on(GpuLane only) {
        return new GpuOptions(only, timeout, checkPointers, stepwise, reproducible, residentIdle);
    }

    /** The same with another deadline. */
    public GpuOptions within(Duration limit) {
        return new GpuOptions(lane, limit, checkPointers, stepwise, reproducible, residentIdle);
    }

    /** The same in steps. */
    public GpuOptions inSteps(boolean steps) {
        return new GpuOptions(lane, timeout, checkPointers, steps, reproducible, residentIdle);
    }

    /** The same with a kernel that stays for another time, or does not. */
    public GpuOptions staying(Duration idle) {
        return new GpuOptions(lane, timeout, checkPointers, stepwise, reproducible, idle);
    }

    /** The same with results that depend on nothing else. */
    public GpuOptions reproducibly(boolean only) {
        return new GpuOptions(lane, timeout, checkPointers, stepwise, only, residentIdle);
    }

    /** Whether to go in steps: not if the result must not depend on how a ring cuts the buffer. */
    boolean inSteps(int ranks) {
        return stepwise && (!reproducible || ranks == 2);
    }
}
