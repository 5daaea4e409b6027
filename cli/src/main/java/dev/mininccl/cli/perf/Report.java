package dev.mininccl.cli.perf;

/** Shows or stores results. The methods are called in this order; a run that fails never comes to {@link #end}. */
interface Report {

    /** Before the first size. */
    default void begin(Run run) {}

    /** As soon as a size was measured. */
    default void row(Run run, Row row) {}

    /** After the last size. */
    void end(Run run, Summary summary);
}
