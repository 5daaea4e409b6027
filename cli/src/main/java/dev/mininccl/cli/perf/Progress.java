package dev.mininccl.cli.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** One line that says what is being done. Only on a terminal; a child hands it to its parent. */
final class Progress {

    /** What a child's line of progress begins with (ASCII's start of heading). */
    static final String MARK = "\u0001";

    private static final String ERASE = "\r\u001b[K";

    /** How progress is shown. */
    enum Form {
        /** Not at all. */
        NONE,
        /** On a terminal, each text in place of the last. */
        TERMINAL,
        /** As marked lines for the parent process. */
        MARKED
    }

    private final PrintStream err;
    private final Form form;

    Progress(PrintStream err, Form form) {
        this.err = err;
        this.form = form;
    }

    /** The form for a process that was started by hand. */
    static Form ofThisProcess() {
        // The launcher puts a filter between this process and the terminal, and says so by the property.
        return Boolean.getBoolean("mininccl.terminal") || isTerminal(2) ? Form.TERMINAL : Form.NONE;
    }

    /** Java tells only whether input and output are both a terminal, so Linux is asked. */
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    Form form() {
        return form;
    }

    /** Replaces the line. */
    void show(String text) {
        switch (form) {
            case NONE -> {}
            case TERMINAL -> err.print(ERASE + text);
            case MARKED -> err.println(MARK + text);
        }
        err.flush();
    }

    /** Removes the line. */
    void clear() {
        show("");
    }

    /** What to print before a line of output that may follow progress on the same terminal. */
    String erasing() {
        return form != Form.NONE && isTerminal(1) ? ERASE : "";
    }
}
