package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.RemotePath;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Chooses the entry of a port's GID table by which peers reach it. */
final class GidChoice {

    private static final String AUTO = "auto";

    private GidChoice() {}

    static boolean automatic(Settings settings) {
        return settings.text(Setting.GID_INDEX).equalsIgnoreCase(AUTO);
    }

    /** The entry with the index that is set, else the best. */
    static Optional<GidEntry> of(Settings settings, List<GidEntry> entries) {
        if (!automatic(settings)) {
            String index = settings.text(Setting.GID_INDEX);
            return usable(entries)
                    .filter(entry -> Integer.toString(entry.index()).equals(index))
                    .findFirst();
        }
        return best(entries, GidChoice::onInterface);
    }

    /** RoCE v2 with the IPv4 address of an interface, else RoCE v2 with another address, else what comes first. */
    static Optional<GidEntry> best(List<GidEntry> entries, Predicate<GidEntry> onInterface) {
        return usable(entries)
                .max(Comparator.comparingInt((GidEntry entry) -> rank(entry, onInterface))
                        .thenComparing(Comparator.comparingInt(GidEntry::index).reversed()));
    }

    private static Stream<GidEntry> usable(List<GidEntry> entries) {
        return entries.stream().filter(entry -> !entry.gid().isZero() && entry.index() <= RemotePath.LARGEST_GID_INDEX);
    }

    private static int rank(GidEntry entry, Predicate<GidEntry> onInterface) {
        if (entry.type() != GidEntry.Type.ROCE_V2) {
            return 0;
        }
        if (entry.gid().isIpv4Mapped()) {
            return onInterface.test(entry) ? 4 : 3;
        }
        return entry.gid().address().isLinkLocalAddress() ? 1 : 2;
    }

    private static boolean onInterface(GidEntry entry) {
        try {
            return NetworkInterface.getByInetAddress(entry.gid().address()) != null;
        } catch (SocketException _) {
            return false;
        }
    }
}
