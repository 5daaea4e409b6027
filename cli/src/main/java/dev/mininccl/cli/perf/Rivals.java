package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.cli.peer.PeerGroup;
import dev.mininccl.cli.peer.PeerProvider;
import java.util.ArrayList;
import java.util.List;

/** The other libraries of a run, joined by all ranks. */
final class Rivals implements AutoCloseable {

    /** One of them. */
    record Rival(String name, Peer peer) {}

    private final List<Rival> all = new ArrayList<>();

    /** Joins them one after the other. All ranks call it together. */
    static Rivals join(List<PeerProvider> providers, Team team) {
        Rivals rivals = new Rivals();
        try {
            for (PeerProvider provider : providers) {
                rivals.all.add(new Rival(provider.name(), provider.join(group(team))));
            }
            return rivals;
        } catch (RuntimeException | Error e) {
            rivals.close();
            throw e;
        }
    }

    /** In the order asked for. */
    List<Rival> all() {
        return all;
    }

    @Override
    public void close() {
        for (Rival rival : all.reversed()) {
            rival.peer.close();
        }
    }

    private static PeerGroup group(Team team) {
        return new PeerGroup() {
            @Override
            public int rank() {
                return team.rank();
            }

            @Override
            public int size() {
                return team.size();
            }

            @Override
            public byte[] fromFirst(byte[] mine) {
                byte[] first = new byte[mine.length];
                for (int i = 0; i < first.length; i++) {
                    first[i] = (byte) team.sum(team.rank() == 0 ? mine[i] : 0);
                }
                return first;
            }
        };
    }
}
