package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.bindings.posix.Sched;
import dev.mininccl.core.spi.Pinning;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * How good a port is: hardware before software, then the fastest, then the nearest. Ports that are as good and on the same NUMA
 * node share the work.
 *
 * @param software whether no hardware is behind it
 * @param gigabits per second
 * @param far whether the process may not run on the port's NUMA node
 * @param node that node, if it is known
 */
record PortRank(boolean software, double gigabits, boolean far, OptionalInt node) {

    private static final Comparator<PortRank> WORST_FIRST = Comparator.comparing(PortRank::software)
            .reversed()
            .thenComparingDouble(PortRank::gigabits)
            .thenComparing(Comparator.comparing(PortRank::far).reversed());

    static PortRank of(Device device, PortAttributes port, Pinning pinning) {
        OptionalInt node = device.numaNode();
        BitSet near = pinning.near(node);
        boolean far = !near.isEmpty() && !near.intersects(Sched.affinity());
        return new PortRank(device.software(), port.gigabits(), far, node);
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
