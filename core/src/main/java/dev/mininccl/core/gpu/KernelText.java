package dev.mininccl.core.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The PTX of kernels, as the driver gets it. */
final class KernelText {
    private static final String ENTRY = ".visible .entry ";
    /** What follows the head: functions and entry points. */
    private static final Pattern SECTION = Pattern.compile("(?m)^(?=\\.func |\\.visible \\.entry )");

    private static final Pattern FUNCTION = Pattern.compile("\\.func +(?:\\([^)]*\\) +)?(\\w+)\\(");
    private static final Pattern HEAD = Pattern.compile("\\.version \\S+\n\\.target \\S+\n");
    private static final Pattern BODY = Pattern.compile("(\\.visible \\.entry [^{]*\\{\n)");

    private KernelText() {}

    /** A resource's. */
    static String of(String resource) {
        try (InputStream ptx = KernelText.class.getResourceAsStream(resource + ".ptx")) {
            if (ptx == null) {
                throw new IllegalStateException("no kernel " + resource + ".ptx in this build");
            }
            return new String(ptx.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }

    /** The text without its other entry points and the functions that only they call, since compiling is what takes the time. */
    static String only(String entry, String ptx) {
        String[] sections = SECTION.split(ptx, -1);
        int at = sections.length - 1;
        while (at > 0 && !sections[at].startsWith(ENTRY + entry + "(")) {
            at--;
        }
        if (at == 0) {
            throw new IllegalStateException("no entry point " + entry);
        }
        String kept = sections[at];
        // A function comes before those that call it.
        for (int i = at - 1; i > 0; i--) {
            Matcher function = FUNCTION.matcher(sections[i]);
            if (function.lookingAt() && kept.contains(function.group(1))) {
                kept = sections[i] + kept;
            }
        }
        return sections[0] + kept;
    }

    /**
     * The same for devices of compute capability 9.0 and more, with kernels that begin by waiting for the end of the one before them
     * and then let the next one come: what {@link dev.mininccl.bindings.cuda.DependentLaunch} needs, and harmless in any other launch.
     */
    static String overlapping(String ptx) {
        String newer = HEAD.matcher(ptx).replaceFirst(".version 7.8\n.target sm_90\n");
        return BODY.matcher(newer).replaceAll("$1griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n");
    }
}
