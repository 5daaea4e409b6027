package dev.mininccl.matrix;

import dev.mininccl.core.Communicator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Ranks that are threads of this process, joined by a transport of choice. */
final class Ranks implements AutoCloseable {

    /** What a rank does. */
    interface Action<T> {
        T run(Communicator comm) throws Exception;
    }

    private final List<Communicator> comms;
    private final ExecutorService threads;

    Ranks(int size, Map<String, String> settings) {
        comms = Communicator.local(size, settings);
        threads = Executors.newFixedThreadPool(size);
    }

    static Map<String, String> over(String transport) {
        return Map.of("MINI_NCCL_TRANSPORT", transport, "MINI_NCCL_TIMEOUT", "20000");
    }

    List<Communicator> comms() {
        return comms;
    }

    /** Runs an action on all ranks at once; what one throws is thrown. */
    <T> List<T> onAll(Action<T> action) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> future : start(action)) {
            try {
                results.add(future.get(60, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                throw new AssertionError(e.getCause());
            } catch (TimeoutException e) {
                throw new AssertionError(
                        "a rank is still running; " + comms.getFirst().explain(), e);
            }
        }
        return results;
    }

    /** Starts an action on all ranks. */
    <T> List<Future<T>> start(Action<T> action) {
        List<Future<T>> futures = new ArrayList<>();
        for (Communicator comm : comms) {
            Callable<T> call = () -> action.run(comm);
            futures.add(threads.submit(call));
        }
        return futures;
    }

    @Override
    public void close() {
        comms.forEach(Communicator::close);
        threads.shutdownNow();
    }
}
