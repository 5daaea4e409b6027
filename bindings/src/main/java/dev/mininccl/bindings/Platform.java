package dev.mininccl.bindings;

import java.util.Locale;

/** The machines whose C structures and constants these bindings know: 64-bit little-endian Linux. */
final class Platform {
    private static final String SYSTEM = System.getProperty("os.name", "");
    private static final String MACHINE = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);

    private Platform() {}

    static boolean supported() {
        return SYSTEM.equals("Linux") && (aarch64() || MACHINE.equals("amd64") || MACHINE.equals("x86_64"));
    }

    static boolean aarch64() {
        return MACHINE.equals("aarch64");
    }

    static String reason() {
        return "native calls are supported on Linux x86-64 and aarch64, not on " + SYSTEM + " " + MACHINE;
    }
}
