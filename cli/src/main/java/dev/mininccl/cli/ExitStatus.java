package dev.mininccl.cli;

/** What {@code mini-nccl} ends with. */
public final class ExitStatus {

    /** All went well and every checked result was right. */
    public static final int RIGHT = 0;

    /** A result was wrong, or a check of the machine failed. */
    public static final int WRONG = 1;

    /** The command line or a setting cannot be used as given. */
    public static final int USAGE = 2;

    /** A rank failed. */
    public static final int FAILED = 3;

    private ExitStatus() {}
}
