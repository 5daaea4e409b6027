package dev.mininccl.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The JVM's permission to call native code, which it gives by module.
 *
 * <p>On JDK 25 a missing permission is a warning unless the JVM runs with {@code --illegal-native-access=deny}, which later
 * releases make the default.
 */
@SuppressWarnings("restricted")
public final class NativeAccess {
    private NativeAccess() {}

    /**
     * Whether this module was named in {@code --enable-native-access} or in a launcher's manifest.
     *
     * @return true if native calls come without warning
     */
    public static boolean granted() {
        return NativeAccess.class.getModule().isNativeAccessEnabled();
    }

    /**
     * The command-line flag that grants access to this code where it was loaded.
     *
     * @return the flag in full, for the module or, on the class path, for all unnamed modules
     */
    public static String flag() {
        Module module = NativeAccess.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    /**
     * Whether native calls fail: access was not granted and the JVM does not merely warn.
     *
     * @return true if nothing native works
     */
    public static boolean denied() {
        if (granted()) {
            return false;
        }
        try {
            MemorySegment.NULL.reinterpret(1);
            return false;
        } catch (IllegalCallerException _) {
            return true;
        }
    }

    /**
     * What to do where access was not granted.
     *
     * @return the advice, or empty if access is granted
     */
    public static Optional<String> advice() {
        return granted() ? Optional.empty() : Optional.of("native access is not enabled; add the JVM flag " + flag());
    }
}
