package dev.mininccl.bindings.denied;

import dev.mininccl.bindings.NativeAccess;
import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeUnavailableException;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.Sched;

/** Run in a JVM that denies native access; prints what this module says there. */
public final class DeniedProbe {
    private DeniedProbe() {}

    /**
     * Prints one line for each thing tried.
     *
     * @param args unused
     */
    public static void main(String[] args) {
        System.out.println("denied " + NativeAccess.denied());
        System.out.println(NativeLibraries.libc());
        System.out.println(NativeLibraries.ibverbs());
        System.out.println(NativeLibraries.cuda());
        System.out.println("all " + NativeMemory.ALL.byteSize());
        try {
            Sched.threadId();
        } catch (NativeUnavailableException e) {
            System.out.println(e.getMessage());
        }
    }
}
