package dev.mininccl.jcuda;

/** Kernels that do nothing, so that a launch costs what the call costs. */
final class Ptx {

    static final String EMPTY = "empty";
    static final String ONE_POINTER = "one_pointer";

    static final String TEXT = """
            .version 7.0
            .target sm_70
            .address_size 64
            .visible .entry empty() { ret; }
            .visible .entry one_pointer(.param .u64 address) { ret; }
            """;

    private Ptx() {}
}
