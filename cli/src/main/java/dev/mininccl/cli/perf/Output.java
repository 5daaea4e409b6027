package dev.mininccl.cli.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a report goes: a file, or standard output for {@code -}. */
final class Output {

    private final String flag;
    private final Path file;
    private final PrintStream out;

    private Output(String flag, Path file, PrintStream out) {
        this.flag = flag;
        this.file = file;
        this.out = out;
    }

    /**
     * Opens an output before the run, so that a mistyped folder does not cost the results.
     *
     * @throws IllegalArgumentException if the file cannot be written
     */
    static Output open(String flag, String name, PrintStream out) {
        if (name.equals("-")) {
            return new Output(flag, null, out);
        }
        Path file = Path.of(name);
        try {
            Files.writeString(file, "");
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    flag + " " + name + ": must be a file that can be written (" + e + ")", e);
        }
        return new Output(flag, file, out);
    }

    void write(String text) {
        if (file == null) {
            out.print(text);
            requireWritten(out);
            return;
        }
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(flag + " " + file + ": cannot be written (" + e + ")", e);
        }
    }

    /** A print stream keeps its failures to itself. */
    static void requireWritten(PrintStream out) {
        if (out.checkError()) {
            String message = "the results cannot be written: their reader is gone, or the disk is full";
            throw new UncheckedIOException(message, new IOException(message));
        }
    }
}
