package dev.mininccl.cli.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The memory that a run's buffers take. */
final class Buffers {

    private static final int PER_RANK = 2;

    private Buffers() {}

    /**
     * Refuses a run whose buffers this machine cannot hold, before the system ends some process for want of memory.
     *
     * @throws IllegalArgumentException naming what is needed and what there is
     */
    static void requireRoom(Plan plan, Placement placement) {
        availableBytes().ifPresent(available -> requireRoom(plan, ranksHere(placement), available));
    }

    static void requireRoom(Plan plan, int ranks, long available) {
        long most = available / PER_RANK / ranks;
        Usage.refuse(
                plan.largest() > most,
                "-e: the largest size, " + plan.largest() + ", must be at most " + most + " here: " + ranks
                        + " rank(s) with two buffers each share the " + available + " bytes of memory available");
    }

    private static int ranksHere(Placement placement) {
        return switch (placement) {
            case Placement.Processes processes -> processes.ranks();
            case Placement.Threads threads -> threads.ranks();
            case Placement.Single single -> 1;
        };
    }

    /** What Linux thinks can be had without swapping; empty elsewhere. */
    private static OptionalLong availableBytes() {
        try {
            return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                    .filter(line -> line.matches("MemAvailable:\\s+\\d+ kB"))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
