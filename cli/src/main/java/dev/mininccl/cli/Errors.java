package dev.mininccl.cli;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.NcclException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what goes wrong into one message on standard error and an {@link ExitStatus}. */
public final class Errors {

    /** What every error message begins with, so that a parent can tell it from other output. */
    public static final String PREFIX = "mini-nccl: ";

    private Errors() {}

    /** The command line is wrong. */
    static int usage(ParameterException error, String[] args) {
        CommandLine command = error.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(PREFIX + error.getMessage());
        UnmatchedArgumentException.printSuggestions(error, err);
        CommandSpec spec = command.getCommandSpec();
        err.println("See '" + spec.qualifiedName() + " --help'.");
        err.flush();
        return ExitStatus.USAGE;
    }

    /** A command failed. */
    static int failure(Exception error, CommandLine command, ParseResult parsed) {
        report(error, command.getErr());
        return error instanceof InvalidCallException ? ExitStatus.USAGE : ExitStatus.FAILED;
    }

    /**
     * Prints what went wrong.
     *
     * @param error what was thrown
     * @param err where to
     */
    public static void report(Throwable error, PrintWriter err) {
        err.println(PREFIX + message(error));
        if ("TRACE".equals(String.valueOf(System.getenv("MINI_NCCL_DEBUG")).toUpperCase(Locale.ROOT))) {
            error.printStackTrace(err);
        }
        err.flush();
    }

    /**
     * What to tell of an exception: its message where it was written for people, otherwise also its type.
     *
     * @param error what was thrown
     * @return one line
     */
    public static String message(Throwable error) {
        if (error instanceof UncheckedIOException && error.getMessage() != null) {
            return error.getMessage();
        }
        if (!(error instanceof NcclException failure) || error.getMessage() == null) {
            return error + " (MINI_NCCL_DEBUG=TRACE shows where)";
        }
        return failure.rank() < 0 ? failure.getMessage() : "rank " + failure.rank() + ": " + failure.getMessage();
    }
}
