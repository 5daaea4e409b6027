package dev.mininccl.cli.perf;

import picocli.CommandLine.Option;

/** Which message sizes. */
final class SizeOptions {

    private static final long MANY = 100_000;

    @Option(
            names = {"-b", "--minbytes"},
            paramLabel = "BYTES",
            defaultValue = "8",
            converter = ByteSize.class,
            description = "smallest size; K, M and G may follow (default 8)")
    private long first;

    @Option(
            names = {"-e", "--maxbytes"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "greatest size (default 128M, or the smallest where that is more)")
    private Long last;

    @Option(
            names = {"-f", "--stepfactor"},
            paramLabel = "N",
            description = "factor from one size to the next (default 2)")
    private Long factor;

    @Option(
            names = {"-i", "--stepbytes"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "bytes from one size to the next, in place of -f")
    private Long step;

    /** The sizes asked for. */
    long[] sizes() {
        long most = last == null ? Math.max(first, 128L << 20) : last;
        Usage.refuse(most < first, "-e " + most + ": must be at least -b " + first);
        Usage.refuse(factor != null && step != null, "-f " + factor + " and -i " + step + ": must be only one of them");
        if (step != null) {
            Usage.range("-i", step, 1, Long.MAX_VALUE);
            Usage.refuse(
                    (most - first) / step >= MANY,
                    "-i " + step + ": must be so large that there are at most " + MANY + " sizes from -b " + first
                            + " to -e " + most);
            return Sizes.stepping(first, most, step);
        }
        long by = factor == null ? 2 : factor;
        Usage.range("-f", by, 2, Integer.MAX_VALUE);
        return Sizes.growing(first, most, by);
    }
}
