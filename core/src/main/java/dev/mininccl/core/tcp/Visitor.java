package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.PollSet;
import dev.mininccl.bindings.posix.Socket;

/** Someone who has connected to a door and must show to be a wanted peer; until then it costs a descriptor, for a while. */
final class Visitor {

    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final Exchange exchange;
    private final long until;
    /** What it said first; null while that has not come. */
    private Greeting said;

    private boolean gone;

    Visitor(Socket socket, long now) {
        exchange = new Exchange(socket);
        until = now + PATIENCE_NANOS;
    }

    /** Whether it was let in or sent away. */
    boolean gone() {
        return gone;
    }

    void watch(PollSet set, int place) {
        set.set(place, exchange.socket(), PollSet.POLLIN);
    }

    void step(int ready, long now, Guests guests) {
        if (ready != 0) {
            hear(guests);
        }
        if (exchange.problem() != null || (now - until >= 0 && !gone)) {
            close();
        }
    }

    private void hear(Guests guests) {
        Greeting came = exchange.receive();
        if (came == null) {
            return;
        }
        if (said == null) {
            said = came;
            Greeting answer = guests.answer(came);
            if (answer == null) {
                exchange.refuse("not wanted");
            } else {
                exchange.send(answer);
            }
        } else if (came.same(said) && guests.let(came, exchange.socket())) {
            gone = true;
        } else {
            exchange.refuse("not wanted");
        }
    }

    /** Sends it away, unless it was let in. */
    void close() {
        if (!gone) {
            gone = true;
            exchange.socket().close();
        }
    }

    /** Who is let in. */
    interface Guests {

        /** What to answer to a first greeting; null to send the visitor away. */
        Greeting answer(Greeting hello);

        /** Hands a connection over for good; false where one of that number is there already. */
        boolean let(Greeting hello, Socket socket);
    }
}
