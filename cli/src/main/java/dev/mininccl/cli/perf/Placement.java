package dev.mininccl.cli.perf;

import dev.mininccl.cli.HostAndPort;

/** Where the ranks of a run are. */
sealed interface Placement {

    /** Processes that this one starts and watches. */
    record Processes(int ranks) implements Placement {}

    /** Threads of this process. */
    record Threads(int ranks) implements Placement {}

    /** This process is one rank; others start the rest. */
    record Single(int rank, int world, HostAndPort master) implements Placement {}
}
