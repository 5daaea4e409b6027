package dev.mininccl.cli.perf;

import dev.mininccl.core.Communicator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/** Ranks that are threads of this process. */
final class ThreadRanks {

    private ThreadRanks() {}

    /**
     * Runs all ranks and waits for them.
     *
     * @param count how many
     * @param settings that differ from the environment's
     * @param rankRun what each does
     * @return the worst exit status
     */
    static int run(int count, Map<String, String> settings, IntFunction<RankRun> rankRun) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger worst = new AtomicInteger();
        List<Communicator> ranks = Communicator.local(count, settings);
        List<Thread> threads = new ArrayList<>();
        for (Communicator communicator : ranks) {
            RankRun run = rankRun.apply(communicator.rank());
            threads.add(Thread.ofPlatform()
                    .name("perf-rank-" + communicator.rank())
                    .start(() -> {
                        try (communicator) {
                            worst.accumulateAndGet(run.on(communicator, List.of()), Math::max);
                        } catch (RuntimeException | Error e) {
                            // The first is the cause, later ones its echo.
                            failure.compareAndSet(null, e);
                        }
                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure.get());
        }
        return worst.get();
    }
}
