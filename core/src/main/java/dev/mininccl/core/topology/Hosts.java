package dev.mininccl.core.topology;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.util.List;
import java.util.Locale;

/**
 * Where all ranks run, in rank order.
 *
 * @param all one entry a rank
 * @param rank this rank
 */
public record Hosts(List<HostInfo> all, int rank) {

    private static final int MOST_CHANNELS = 4;

    /** Over sockets and network ports a thread moves less, so that more of them pay. */
    private static final int MOST_NETWORK_CHANNELS = 12;

    /** Bounds slots and sockets, of which every channel has some for every pair. */
    private static final int MOST_CHANNELS_TIMES_RANKS = 48;

    /** Transports through the memory of one machine. */
    private static final List<String> SHARED = List.of("auto", "local", "shm");

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
        boolean network = network(settings);
        int least = network
                ? Math.clamp(MOST_CHANNELS_TIMES_RANKS / all.size(), MOST_CHANNELS, MOST_NETWORK_CHANNELS)
                : MOST_CHANNELS;
        for (HostInfo host : all) {
            int cores = (int) (host.cores() / neighbours(host));
            // Beyond a few, some are left to the program and the system's network threads.
            least = Math.min(least, network && cores > MOST_CHANNELS ? Math.max(MOST_CHANNELS, cores * 3 / 4) : cores);
        }
        return Math.max(1, least);
    }

    /** Whether some ranks cannot reach each other through memory. */
    private boolean network(Settings settings) {
        List<String> wanted = List.of(
                settings.text(Setting.TRANSPORT).toLowerCase(Locale.ROOT).split("\\s*,\\s*"));
        return wanted.stream().noneMatch(SHARED::contains) || !all.stream().allMatch(all.get(0)::sameMachine);
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
