package dev.mininccl.core.topology;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.tuning.LaneTraits;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Builds a {@link Mesh} in step with all other ranks. Transports are tried in the order of their preference; each pair
 * takes the first that both its ends have and that reaches from both sides.
 */
public final class MeshBuilder {

    private static final System.Logger LOG = System.getLogger("mininccl.topology");

    private static final List<String> NAMES = List.of("local", "p2p", "shm", "verbs", "unix", "tcp");

    private final Bootstrap bootstrap;
    private final TransportContext context;
    private final Hosts hosts;
    private final Deadline deadline;
    private final int rank;
    private final int size;

    private final List<Transport> opened = new ArrayList<>();
    private final Transport[] chosen;
    private final StringBuilder[] refusals;

    /** For one rank. */
    public MeshBuilder(Bootstrap bootstrap, TransportContext context, Hosts hosts, Deadline deadline) {
        this.bootstrap = bootstrap;
        this.context = context;
        this.hosts = hosts;
        this.deadline = deadline;
        this.rank = context.rank();
        this.size = context.size();
        this.chosen = new Transport[size];
        this.refusals = new StringBuilder[size];
        Arrays.setAll(refusals, peer -> new StringBuilder());
    }

    /** Opens, attaches and links; on failure closes what was opened. */
    public Mesh build() {
        try {
            List<TransportOffer> mine = open();
            List<List<TransportOffer>> all = bootstrap.allGather(TransportOffer.encode(mine), deadline).stream()
                    .map(TransportOffer::decode)
                    .toList();
            attach(all);
            requireAll();
            Link[][] links = link();
            LaneTraits traits = agree(links);
            bootstrap.barrier(deadline);
            opened.forEach(Transport::settled);
            warnOfSockets();
            return new Mesh(List.copyOf(opened), links, traits, sharing(), explain(links));
        } catch (RuntimeException | Error e) {
            opened.forEach(Transport::close);
            throw e;
        }
    }

    private List<TransportOffer> open() {
        List<TransportOffer> offers = new ArrayList<>();
        String setting = context.settings().text(Setting.TRANSPORT);
        requireKnown(setting);
        List<String> wanted = wanted(setting);
        for (TransportProvider provider : Services.transports()) {
            if (!wanted.isEmpty() && !wanted.contains(provider.name())) {
                continue;
            }
            try {
                Transport transport = provider.open(context);
                opened.add(transport);
                offers.add(new TransportOffer(provider.name(), provider.preference(), transport.address(), ""));
            } catch (TransportUnavailableException e) {
                LOG.log(Level.DEBUG, "{0} is not available: {1}", provider.name(), e.getMessage());
                offers.add(new TransportOffer(provider.name(), provider.preference(), new byte[0], e.getMessage()));
            }
        }
        if (offers.isEmpty()) {
            throw new InvalidCallException(
                    Setting.TRANSPORT.variable() + "=" + setting + ": names no transport whose module is present");
        }
        return offers;
    }

    /** Refuses a list with a name that is none of ours, whether or not its module is present, nor any provider's. */
    static void requireKnown(String setting) {
        List<String> known = Stream.concat(
                        NAMES.stream(), Services.transports().stream().map(TransportProvider::name))
                .distinct()
                .toList();
        for (String name : wanted(setting)) {
            if (!known.contains(name)) {
                throw new InvalidCallException(Setting.TRANSPORT.variable() + "=" + setting + ": " + name
                        + " is no transport; known are " + String.join(", ", known));
            }
        }
    }

    /** The names that a setting lists, or none for all. GPUs alone can take p2p: hosts then take what they have. */
    static List<String> wanted(String setting) {
        return setting.equals("auto")
                ? List.of()
                : Arrays.stream(setting.toLowerCase(Locale.ROOT).split("\\s*,\\s*"))
                        .filter(name -> !name.equals("p2p"))
                        .toList();
    }

    private void attach(List<List<TransportOffer>> all) {
        TreeSet<TransportOffer> names = new TreeSet<>(TransportOffer.ORDER);
        all.forEach(names::addAll);
        for (TransportOffer name : names) {
            List<byte[]> addresses = all.stream()
                    .map(offers -> TransportOffer.address(offers, name.name()))
                    .toList();
            Transport transport = mine(name.name());
            List<String> reasons = transport == null ? null : tryPeers(transport, addresses);
            noteAbsence(name.name(), all);
            if (settle(transport, reasons, addresses)) {
                return;
            }
        }
    }

    /** Says of each pair without a way which of its ends does not have a transport, and why. */
    private void noteAbsence(String name, List<List<TransportOffer>> all) {
        for (int peer = 0; peer < size; peer++) {
            if (peer != rank && chosen[peer] == null) {
                String here = TransportOffer.reason(all.get(rank), name);
                String there = TransportOffer.reason(all.get(peer), name);
                refusals[peer].append(here.isEmpty() ? "" : "; no " + name + " here: " + here);
                // What both lack, as RDMA on most machines, is said once.
                refusals[peer].append(there.isEmpty() || there.equals(here) ? "" : "; no " + name + " there: " + there);
            }
        }
    }

    private Transport mine(String name) {
        return opened.stream().filter(t -> t.name().equals(name)).findFirst().orElse(null);
    }

    private List<String> tryPeers(Transport transport, List<byte[]> addresses) {
        BitSet peers = new BitSet(size);
        for (int peer = 0; peer < size; peer++) {
            peers.set(peer, peer != rank && chosen[peer] == null && addresses.get(peer).length > 0);
        }
        // Half of the time left, so that the next transport, and the message that says why there is none, have some
        // too.
        return transport.attach(addresses, peers, Deadline.afterNanos(deadline.remainingNanos() / 2));
    }

    /**
     * Exchanges verdicts and takes the pairs that both sides reached.
     *
     * @return true if no rank has a pair left to join
     */
    private boolean settle(Transport transport, List<String> reasons, List<byte[]> addresses) {
        byte[] verdict = new byte[size + 1];
        for (int peer = 0; peer < size; peer++) {
            boolean tried = transport != null && peer != rank && chosen[peer] == null && addresses.get(peer).length > 0;
            verdict[peer] = (byte) (tried && reasons.get(peer) == null ? 1 : 0);
            if (tried && reasons.get(peer) != null) {
                refusals[peer]
                        .append("; not ")
                        .append(transport.name())
                        .append(": ")
                        .append(reasons.get(peer));
            }
        }
        List<byte[]> verdicts = bootstrap.allGather(verdict, deadline);
        boolean complete = true;
        for (int a = 0; a < size; a++) {
            for (int b = a + 1; b < size; b++) {
                boolean both = verdicts.get(a)[b] == 1 && verdicts.get(b)[a] == 1;
                if (both && (a == rank || b == rank)) {
                    chosen[a == rank ? b : a] = transport;
                }
            }
        }
        for (int peer = 0; peer < size; peer++) {
            complete &= peer == rank || chosen[peer] != null;
        }
        byte[] left = {(byte) (complete ? 0 : 1)};
        return bootstrap.allGather(left, deadline).stream().allMatch(b -> b[0] == 0);
    }

    private void requireAll() {
        for (int peer = 0; peer < size; peer++) {
            if (peer != rank && chosen[peer] == null) {
                String message = "no transport joins rank " + rank + " and " + hosts.place(peer) + refusals[peer]
                        + ". See mini-nccl doctor";
                bootstrap.abort(new AbortReason(AbortReason.Kind.TRANSPORT, rank, -1, message));
                throw new CommunicatorException(ResultCode.SYSTEM_ERROR, rank, -1, message, null);
            }
        }
    }

    /** Memory that ranks of one machine cannot share costs a multiple of time, and mostly takes one flag to mend. */
    private void warnOfSockets() {
        if (!wanted(context.settings().text(Setting.TRANSPORT)).isEmpty()) {
            return;
        }
        for (int peer = rank + 1; peer < size; peer++) {
            if (chosen[peer].windows().isEmpty()
                    && hosts.all().get(peer).sameMachine(hosts.all().get(rank))) {
                LOG.log(
                        Level.WARNING,
                        "{0} is on the machine of rank {1}, and reached by {2}, which is several times slower than"
                                + " shared memory{3}",
                        hosts.place(peer),
                        rank,
                        chosen[peer].name(),
                        refusals[peer]);
                return;
            }
        }
    }

    private Link[][] link() {
        Link[][] links = new Link[context.channels()][size];
        for (int channel = 0; channel < links.length; channel++) {
            for (int peer = 0; peer < size; peer++) {
                if (peer != rank) {
                    links[channel][peer] = chosen[peer].link(peer, channel);
                }
            }
        }
        return links;
    }

    /** The least that any lane of any rank can do. */
    private LaneTraits agree(Link[][] links) {
        int slot = Integer.MAX_VALUE;
        int reference = Integer.MAX_VALUE;
        boolean network = false;
        for (int peer = 0; peer < size; peer++) {
            if (peer != rank) {
                slot = Math.min(slot, links[0][peer].send().slotBytes());
                reference = Math.min(reference, links[0][peer].send().referenceBytes());
                network |= chosen[peer].windows().isEmpty();
            }
        }
        byte[] mine = ByteBuffer.allocate(9)
                .putInt(slot)
                .putInt(reference)
                .put((byte) (network ? 1 : 0))
                .array();
        for (byte[] bytes : bootstrap.allGather(mine, deadline)) {
            ByteBuffer one = ByteBuffer.wrap(bytes);
            slot = Math.min(slot, one.getInt());
            reference = Math.min(reference, one.getInt());
            network |= one.get() != 0;
        }
        return new LaneTraits(size, slot, size == 1 ? 0 : reference, network);
    }

    /** The transport that joins this rank to all others, if it is one and lends memory; else {@code null}. */
    private Transport sharing() {
        Transport one = null;
        for (int peer = 0; peer < size; peer++) {
            if (peer != rank) {
                if (one != null && !one.equals(chosen[peer])) {
                    return null;
                }
                one = chosen[peer];
            }
        }
        return one != null && one.windows().isPresent() ? one : null;
    }

    private String explain(Link[][] links) {
        StringBuilder text = new StringBuilder();
        text.append("rank ")
                .append(rank)
                .append(" of ")
                .append(size)
                .append(", ")
                .append(links.length)
                .append(" channel(s)");
        for (int peer = 0; peer < size; peer++) {
            if (peer != rank) {
                text.append("\n  ")
                        .append(hosts.place(peer))
                        .append(": ")
                        .append(chosen[peer].name())
                        .append(", ")
                        .append(links[0][peer].description())
                        .append(refusals[peer]);
            }
        }
        return text.toString();
    }
}
