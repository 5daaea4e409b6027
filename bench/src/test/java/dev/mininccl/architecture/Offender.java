package dev.mininccl.architecture;

import java.lang.foreign.MemorySegment;
import java.util.logging.Logger;

/** Breaks rules, so that the test shows that they bite. Nothing calls it. */
final class Offender {

    private Offender() {}

    @SuppressWarnings("restricted")
    static MemorySegment restricted(long address) {
        return MemorySegment.ofAddress(address).reinterpret(8);
    }

    static void exit() {
        System.exit(1);
    }

    static void log() {
        Logger.getGlobal().info("wrong logger");
    }
}
