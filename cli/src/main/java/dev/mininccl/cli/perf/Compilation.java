package dev.mininccl.cli.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** How busy this JVM's compilers were. */
final class Compilation {

    private static final CompilationMXBean BEAN = ManagementFactory.getCompilationMXBean();

    private Compilation() {}

    /** Time spent compiling since the start, in ms; 0 where the JVM does not tell. */
    static long millis() {
        return BEAN != null && BEAN.isCompilationTimeMonitoringSupported() ? BEAN.getTotalCompilationTime() : 0;
    }
}
