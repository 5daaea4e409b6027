package dev.mininccl.core.topology;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.util.List;

/**
 * Where all ranks run, in rank order.
 *
 * @param all one entry a rank
 * @param rank this rank
 */
public record Hosts(List<HostInfo> all, int rank) {

    private static final int MOST_CHANNELS = 4;

    /** Gathers the entries of all ranks. */
    public static Hosts gather(Bootstrap bootstrap, Deadline deadline) {
        List<byte[]> encoded = bootstrap.allGather(HostInfo.local().encode(), deadline);
        return new Hosts(encoded.stream().map(HostInfo::decode).toList(), bootstrap.rank());
    }

    /** Whether this rank's machine has fewer cores than ranks: then waiting must yield soon. */
    public boolean crowded(Settings settings) {
        return switch (settings.text(Setting.IDLE)) {
            case "spin" -> false;
            case "yield" -> true;
            default -> neighbours(all.get(rank)) > all.get(rank).cores();
        };
    }

    /** Whether every rank can have a core of its own; the same on all ranks. */
    public boolean roomForAll() {
        return all.stream().allMatch(host -> neighbours(host) <= host.cores());
    }

    /** Links a pair, the same on all ranks: as set, else as the cores of the fullest machine allow. */
    public int channels(Settings settings) {
        int set = settings.integer(Setting.CHANNELS);
        if (set > 0) {
            return set;
        }
        int least = MOST_CHANNELS;
        for (HostInfo host : all) {
            least = Math.min(least, (int) (host.cores() / neighbours(host)));
        }
        return Math.max(1, least);
    }

    /** For messages: a rank's place. */
    public String place(int peer) {
        HostInfo host = all.get(peer);
        return "rank " + peer + " (" + host.host() + ", pid " + host.pid() + ")";
    }

    private long neighbours(HostInfo host) {
        return all.stream().filter(host::sameMachine).count();
    }
}
