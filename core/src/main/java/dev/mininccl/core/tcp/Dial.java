package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.PollSet;
import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import java.util.List;

/** One connection to a listening peer: goes over its addresses, again and again, until one answers as it should. */
final class Dial {

    private enum State {
        RESTING,
        CONNECTING,
        GREETED,
        DONE
    }

    private static final long PATIENCE_NANOS = 3_000_000_000L;
    private static final long LEAST_REST_NANOS = 5_000_000;
    private static final long MOST_REST_NANOS = 200_000_000;

    private final Pair pair;
    private final List<SockAddr> addresses;
    private final Greeting hello;
    private final Greeting answer;

    private State state = State.RESTING;
    private Exchange exchange;
    private int next;
    private long rest = LEAST_REST_NANOS;
    /** When to give the address up, or to end the rest. */
    private long until;

    Dial(Pair pair, List<SockAddr> addresses, Greeting hello, Greeting answer) {
        this.pair = pair;
        this.addresses = addresses;
        this.hello = hello;
        this.answer = answer;
        until = System.nanoTime();
    }

    boolean done() {
        return state == State.DONE;
    }

    void watch(PollSet set, int place) {
        if (state == State.RESTING) {
            set.clear(place);
        } else {
            set.set(place, exchange.socket(), state == State.CONNECTING ? PollSet.POLLOUT : PollSet.POLLIN);
        }
    }

    void step(int ready, long now) {
        try {
            if (state == State.RESTING && now - until >= 0) {
                connect(now);
            } else if (ready != 0) {
                advance(now);
            }
        } catch (PosixException e) {
            giveUp(e.getMessage(), now);
        }
        if (state != State.RESTING && state != State.DONE && now - until >= 0) {
            giveUp(state == State.CONNECTING ? "no answer" : "connected, but no greeting came", now);
        }
    }

    private void connect(long now) {
        SockAddr address = addresses.get(next);
        exchange = new Exchange(Socket.open(address.family()));
        state = State.CONNECTING;
        until = now + PATIENCE_NANOS;
        int result = exchange.socket().connect(address);
        if (result == 0) {
            greet();
        } else if (result != -Errno.EINPROGRESS) {
            giveUp(Errno.describe(-result), now);
        }
    }

    private void advance(long now) {
        if (state == State.CONNECTING) {
            int error = exchange.socket().pendingError();
            if (error == 0) {
                greet();
            } else {
                giveUp(Errno.describe(error), now);
            }
            return;
        }
        Greeting came = exchange.receive();
        if (came != null && !came.same(answer)) {
            exchange.refuse("what answered is not rank " + pair.peer());
        } else if (came != null) {
            exchange.send(hello);
        }
        if (exchange.problem() != null) {
            giveUp(exchange.problem(), now);
        } else if (came != null) {
            pair.connected(hello.connection(), exchange.socket());
            state = State.DONE;
        }
    }

    private void greet() {
        exchange.send(hello);
        state = State.GREETED;
    }

    private void giveUp(String why, long now) {
        pair.failed(addresses.get(next), why);
        close();
        state = State.RESTING;
        next++;
        until = now;
        if (next == addresses.size()) {
            next = 0;
            until = now + rest;
            rest = Math.min(2 * rest, MOST_REST_NANOS);
        }
    }

    /** Closes what is under way; what is done belongs to the pair. */
    void close() {
        if (exchange != null && state != State.DONE) {
            exchange.socket().close();
        }
    }
}
