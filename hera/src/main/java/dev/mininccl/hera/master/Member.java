package dev.mininccl.hera.master;

import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.Liveness;
import dev.mininccl.hera.wire.Message;
import java.util.concurrent.TimeUnit;

/** A registered process. */
final class Member {

    /** Where it stands, in the words of the status. */
    enum State {
        REGISTERED,
        RUNNING,
        LEFT,
        LOST
    }

    final Message.Register asked;
    final Outlet outlet;
    final long registeredNanos;
    State state = State.REGISTERED;
    int rank;
    long heardNanos;

    Member(Message.Register asked, Outlet outlet, long now) {
        this.asked = asked;
        this.outlet = outlet;
        this.rank = asked.rank();
        this.registeredNanos = now;
        this.heardNanos = now;
    }

    Identity identity() {
        return asked.identity();
    }

    boolean running() {
        return state == State.RUNNING;
    }

    /** When it gives up waiting for the job to start. */
    long registrationDeadline() {
        return registeredNanos + TimeUnit.MILLISECONDS.toNanos(asked.timeoutMillis());
    }

    /** How long it may be silent. */
    long silenceLimitNanos() {
        return Liveness.limitNanos(asked.heartbeatMillis());
    }

    @Override
    public String toString() {
        return name(rank, identity());
    }

    /** A rank as messages name it. */
    static String name(int rank, Identity identity) {
        return (rank < 0 ? "a rank yet without number" : "rank " + rank) + " (" + identity + ")";
    }
}
