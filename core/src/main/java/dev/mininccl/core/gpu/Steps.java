package dev.mininccl.core.gpu;

/** What a stepwise form is made of: steps that run in the order in which they are enqueued. Addresses are the device's. */
interface Steps extends AutoCloseable {

    /** Where the following steps go. */
    void on(long stream);

    void copy(long from, long to, long bytes);

    /** Writes a counter of the host's after all that was before. */
    void publish(long counter, long value);

    /** What follows waits until a counter has reached a value. */
    void await(long counter, long value);

    /** Ends a round of steps; waits itself while too many rounds are under way. */
    void endRound();

    /** Nothing may be under way. */
    @Override
    void close();
}
