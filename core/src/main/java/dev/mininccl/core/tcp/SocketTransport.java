package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Slices over stream sockets: everywhere, and without any shared memory. It has no thread of its own. */
final class SocketTransport implements Transport {

    /** A slot holds so many slices: measured on loopback, 1 MiB does best at 2 MiB and as well as less elsewhere. */
    private static final int SLICES_A_SLOT = 8;

    private final Medium medium;
    private final TransportContext context;
    private final int depth;
    private final Interfaces interfaces = Interfaces.ofThisMachine();
    private final List<Door> doors;
    private final Contact self;
    private final Arena arena = Arena.ofShared();
    private final Map<Integer, Pair> pairs = new TreeMap<>();
    private final List<Link> links = new ArrayList<>();
    private boolean closed;

    /** The host as in {@link HostIdentity}. */
    SocketTransport(Medium medium, TransportContext context, String host) throws TransportUnavailableException {
        this.medium = medium;
        this.context = context;
        depth = context.settings().integer(Setting.SLOTS);
        Contact.Shape shape = new Contact.Shape(
                context.channels(),
                context.settings().integer(Setting.SOCKETS),
                SLICES_A_SLOT * context.settings().integer(Setting.SLICE_SIZE));
        doors = medium.doors();
        try {
            doors.stream().filter(Door::nearby).forEach(Door::listen);
        } catch (PosixException e) {
            close();
            throw new TransportUnavailableException(medium.label() + ": " + e.getMessage(), e);
        }
        if (doors.isEmpty()) {
            close();
            throw new TransportUnavailableException(medium.label() + ": no address of this machine can be bound");
        }
        self = new Contact(
                Token.random(),
                host,
                shape,
                doors.stream().filter(Door::nearby).map(Door::address).toList(),
                interfaces.behind(doors.stream().filter(door -> !door.nearby()).toList()));
    }

    @Override
    public String name() {
        return medium.label();
    }

    @Override
    public byte[] address() {
        return self.encode();
    }

    @Override
    public List<String> attach(List<byte[]> addresses, BitSet wanted, Deadline deadline) {
        List<String> reasons = new ArrayList<>(Arrays.asList(new String[addresses.size()]));
        wanted.stream().forEach(peer -> reasons.set(peer, prepare(peer, addresses.get(peer))));
        meet(deadline);
        pairs.forEach((peer, pair) -> reasons.set(peer, pair.complete() ? null : missing(pair)));
        return reasons;
    }

    /** Adds the pair, or says why there can be none. */
    private String prepare(int peer, byte[] address) {
        Contact contact;
        try {
            contact = Contact.decode(address);
        } catch (IllegalArgumentException e) {
            return "rank " + peer + ": " + e.getMessage();
        }
        if (!contact.shape().equals(self.shape())) {
            return "rank " + peer + " has other settings: " + contact.shape() + ", this rank " + self.shape();
        }
        if (medium == Medium.UNIX && !nearby(contact)) {
            return "rank " + peer + " is on another machine or in another network namespace";
        }
        if (addressesOf(contact).isEmpty()) {
            return "rank " + peer + " has no address that this rank could reach";
        }
        pairs.put(peer, new Pair(peer, contact));
        return null;
    }

    private void meet(Deadline deadline) {
        List<Dial> dials = new ArrayList<>();
        boolean distant = false;
        for (Pair pair : pairs.values()) {
            if (pair.peer() < context.rank()) {
                dials.addAll(dials(pair));
            } else {
                distant |= !nearby(pair.contact());
            }
        }
        List<Door> open = new ArrayList<>();
        for (Door door : doors) {
            if (door.nearby()) {
                open.add(door);
            } else if (distant) {
                door.listen();
                open.add(door);
            }
        }
        new Rendezvous(context.rank(), self.token(), open, pairs, dials).run(deadline, context.abort());
    }

    private List<Dial> dials(Pair pair) {
        Contact peer = pair.contact();
        List<SockAddr> addresses = interfaces.nearestFirst(addressesOf(peer));
        List<Dial> dials = new ArrayList<>();
        for (int connection = 0; connection < pair.connections(); connection++) {
            Greeting hello = new Greeting(context.rank(), connection, peer.token());
            Greeting answer = new Greeting(pair.peer(), connection, self.token());
            dials.add(new Dial(pair, addresses, hello, answer));
        }
        return dials;
    }

    private List<SockAddr> addressesOf(Contact contact) {
        return nearby(contact) ? contact.nearby() : contact.distant();
    }

    private boolean nearby(Contact contact) {
        return contact.host().equals(self.host());
    }

    private String missing(Pair pair) {
        return pair.peer() < context.rank() ? pair.notReached() : pair.notCome(self, nearby(pair.contact()));
    }

    @Override
    public Link link(int peer, int channel) {
        Pair pair = pairs.get(peer);
        if (pair == null || !pair.complete()) {
            throw new IllegalStateException(medium.label() + ": rank " + peer + " was not attached");
        }
        Socket[] sockets = pair.take(channel);
        Link link = new SocketLink(medium, peer, sockets, self.shape().slotBytes(), depth, arena);
        links.add(link);
        return link;
    }

    @Override
    public void settled() {
        doors.forEach(door -> door.socket().close());
        pairs.values().forEach(Pair::close);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            links.forEach(Link::close);
            settled();
            arena.close();
        }
    }
}
