package dev.mininccl.transport.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Tries the ways to GPU memory in their order: the first whose registration is given and proven is it. Keeps why others were not. */
final class DirectProbe {

    /**
     * A way to try.
     *
     * @param <R> a registration
     */
    interface Attempt<R> {

        GpuDirect.Way way();

        /** Registers the memory; throws, with the reason, if it cannot. */
        R register();

        void deregister(R region);
    }

    private DirectProbe() {}

    /** The verdict; {@code proof} says what it has proven of a registration, or throws. Takes back every registration. */
    static <R> GpuDirect.Pair run(
            String gpu,
            String device,
            boolean software,
            List<? extends Attempt<R>> attempts,
            Function<R, String> proof) {
        List<String> refusals = new ArrayList<>();
        for (Attempt<R> attempt : attempts) {
            try {
                String proven = proven(attempt, proof);
                return new GpuDirect.Pair(gpu, device, software, attempt.way(), refusals, proven);
            } catch (RuntimeException e) {
                refusals.add(attempt.way() + ": " + e.getMessage());
            }
        }
        return new GpuDirect.Pair(gpu, device, software, GpuDirect.Way.HOST_SLOTS, refusals, "");
    }

    private static <R> String proven(Attempt<R> attempt, Function<R, String> proof) {
        R region = attempt.register();
        try {
            return proof.apply(region);
        } finally {
            attempt.deregister(region);
        }
    }
}
