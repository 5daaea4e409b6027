package dev.mininccl.cli.peer;

import java.util.Optional;

/** Another library that {@code perf --compare} can measure. Found with {@link java.util.ServiceLoader}. */
public interface PeerProvider {

    /**
     * What {@code --compare} calls it.
     *
     * @return one word in lower case
     */
    String name();

    /**
     * Why it cannot be measured in this process. Asked before anything is started, so it must be quick and touch no device.
     *
     * @param memory where the buffers will lie: {@code host} or {@code cuda}
     * @return the reason and what to do about it, or empty if it can
     */
    Optional<String> obstacle(String memory);

    /**
     * Joins the ranks. All ranks call it at the same time; for {@code cuda} the device's primary context is current.
     *
     * @param group the ranks
     * @return the joined library, to be closed by the same thread
     * @throws IllegalStateException if the library refuses
     */
    Peer join(PeerGroup group);
}
