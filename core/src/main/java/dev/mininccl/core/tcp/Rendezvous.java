package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.PollSet;
import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Meets all wanted peers at once, on the calling thread: this rank connects to lower ranks and lets higher ones in.
 * Strangers at a door cost their own connection and nothing else.
 */
final class Rendezvous implements Visitor.Guests {

    private static final System.Logger LOG = System.getLogger("mininccl.tcp");

    private static final int MOST_VISITORS = 512;
    private static final int TURN_MILLIS = 20;
    private static final long REST_NANOS = 50_000_000;

    private final int rank;
    private final Token token;
    private final List<Door> doors;
    private final Map<Integer, Pair> pairs;
    private final List<Dial> dials;
    private final List<Visitor> visitors = new ArrayList<>();
    /** After an accept failed, for want of descriptors, the doors stay shut until then. */
    private long doorsRestUntil = System.nanoTime();

    /** Doors that listen; pairs by peer; dials to all lower ranks among them. */
    Rendezvous(int rank, Token token, List<Door> doors, Map<Integer, Pair> pairs, List<Dial> dials) {
        this.rank = rank;
        this.token = token;
        this.doors = doors;
        this.pairs = pairs;
        this.dials = new ArrayList<>(dials);
    }

    /** Returns when all pairs are complete, the deadline has passed, or the communicator was aborted. */
    void run(Deadline deadline, AbortFlag abort) {
        try {
            // The first turn does not wait: nothing is under way yet.
            for (int most = 0; !complete() && !stopped(deadline, abort); most = TURN_MILLIS) {
                turn((int) Math.min(most, deadline.remainingMillis()));
            }
        } finally {
            dials.forEach(Dial::close);
            visitors.forEach(Visitor::close);
        }
    }

    private static boolean stopped(Deadline deadline, AbortFlag abort) {
        return deadline.expired() || abort.raisedAcquire();
    }

    private boolean complete() {
        return pairs.values().stream().allMatch(Pair::complete);
    }

    private void turn(int timeoutMillis) {
        PollSet set = new PollSet(Math.max(1, doors.size() + dials.size() + visitors.size()));
        int place = 0;
        boolean resting = System.nanoTime() - doorsRestUntil < 0;
        for (Door door : doors) {
            if (!resting) {
                set.set(place, door.socket(), PollSet.POLLIN);
            }
            place++;
        }
        for (Dial dial : dials) {
            dial.watch(set, place++);
        }
        for (Visitor visitor : visitors) {
            visitor.watch(set, place++);
        }
        set.poll(timeoutMillis);
        step(set, System.nanoTime());
    }

    private void step(PollSet set, long now) {
        int place = doors.size();
        for (Dial dial : dials) {
            dial.step(set.ready(place++), now);
        }
        for (Visitor visitor : visitors) {
            visitor.step(set.ready(place++), now, this);
        }
        dials.removeIf(Dial::done);
        visitors.removeIf(Visitor::gone);
        for (int i = 0; i < doors.size(); i++) {
            if (set.ready(i) != 0) {
                accept(doors.get(i), now);
            }
        }
    }

    private void accept(Door door, long now) {
        try {
            for (Optional<Socket> came = door.socket().accept();
                    came.isPresent();
                    came = door.socket().accept()) {
                if (visitors.size() == MOST_VISITORS) {
                    visitors.removeFirst().close();
                }
                visitors.add(new Visitor(came.get(), now));
            }
        } catch (PosixException e) {
            LOG.log(System.Logger.Level.WARNING, "rank {0}: {1}", rank, e.getMessage());
            doorsRestUntil = now + REST_NANOS;
        }
    }

    @Override
    public Greeting answer(Greeting hello) {
        Pair pair = pairs.get(hello.rank());
        boolean wanted =
                hello.token().same(token) && hello.rank() > rank && pair != null && pair.lacks(hello.connection());
        return wanted ? new Greeting(rank, hello.connection(), pair.contact().token()) : null;
    }

    @Override
    public boolean let(Greeting hello, Socket socket) {
        Pair pair = pairs.get(hello.rank());
        if (!pair.lacks(hello.connection())) {
            return false;
        }
        pair.connected(hello.connection(), socket);
        return true;
    }
}
