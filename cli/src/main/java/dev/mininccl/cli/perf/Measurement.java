package dev.mininccl.cli.perf;

/**
 * What one size came to in one mode: the worst rank's times, and wrong elements on all ranks together.
 *
 * @param minUs the fastest iteration's time an operation, in µs
 * @param medianUs the median over the iterations
 * @param p99Us the 99th percentile over the iterations
 * @param wrong wrong elements, or {@link #UNCHECKED}
 */
record Measurement(double minUs, double medianUs, double p99Us, long wrong) {

    /** No result was verified. */
    static final long UNCHECKED = -1;

    /** Bytes over the median time, in 10^9 bytes a second. */
    double algbwGBs(long bytes) {
        return medianUs > 0 ? bytes / medianUs / 1e3 : 0;
    }
}
