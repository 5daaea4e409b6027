package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * How good a port is: hardware before software, then the fastest. Ports that are as good and on the same NUMA node share
 * the work.
 *
 * @param software whether no hardware is behind it
 * @param gigabits per second
 * @param node its NUMA node, if that is known
 */
record PortRank(boolean software, double gigabits, OptionalInt node) {

    private static final Comparator<PortRank> WORST_FIRST =
            Comparator.comparing(PortRank::software).reversed().thenComparingDouble(PortRank::gigabits);

    static PortRank of(Device device, PortAttributes port) {
        return new PortRank(device.software(), port.gigabits(), device.numaNode());
    }

    /** The best, and those that are as good and as near; in their order. */
    static <T> List<T> best(List<T> ports, Function<T, PortRank> rank) {
        // The first of equals.
        return ports.stream()
                .map(rank)
                .reduce((a, b) -> WORST_FIRST.compare(b, a) > 0 ? b : a)
                .map(best -> ports.stream()
                        .filter(port -> rank.apply(port).equals(best))
                        .toList())
                .orElse(List.of());
    }
}
