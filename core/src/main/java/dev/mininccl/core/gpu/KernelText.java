package dev.mininccl.core.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The PTX of kernels, as the driver gets it. */
final class KernelText {
    private static final String ENTRY = ".visible .entry ";
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

    /** The text without its other entry points, since compiling is what takes the time; all of it where kernels share functions. */
    static String only(String entry, String ptx) {
        if (ptx.contains(".func")) {
            return ptx;
        }
        String[] parts = ptx.split(ENTRY, -1);
        for (int i = 1; i < parts.length; i++) {
            if (parts[i].startsWith(entry + "(")) {
                return parts[0] + ENTRY + parts[i];
            }
        }
        throw new IllegalStateException("no entry point " + entry);
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
