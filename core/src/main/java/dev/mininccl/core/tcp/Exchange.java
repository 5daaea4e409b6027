package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.Socket;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A connection over which greetings go, without ever waiting. Once broken, {@link #problem()} tells why. */
final class Exchange {

    private final Socket socket;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Greeting.BYTES);
    private final long address = MemorySegment.ofBuffer(buffer).address();
    private int received;
    private String problem;

    Exchange(Socket socket) {
        this.socket = socket;
    }

    Socket socket() {
        return socket;
    }

    /** Null while all is well. */
    String problem() {
        return problem;
    }

    /** Says why the other side is not who it should be. */
    void refuse(String why) {
        problem = why;
    }

    /** Sends a greeting; an empty send buffer has room for it. */
    void send(Greeting greeting) {
        buffer.clear();
        greeting.write(buffer);
        long count = socket.send(address, Greeting.BYTES);
        if (count != Greeting.BYTES) {
            problem = count < 0 ? Errno.describe((int) -count) : "sent " + count + " of " + Greeting.BYTES + " bytes";
        }
    }

    /** Receives a greeting, or returns null while it is not whole, or when the exchange broke. */
    Greeting receive() {
        long count = socket.receive(address + received, Greeting.BYTES - received);
        if (count == 0) {
            problem = "closed by the other side";
        } else if (count < 0) {
            problem = count == -Errno.EAGAIN || count == -Errno.EINTR ? null : Errno.describe((int) -count);
        } else {
            received += (int) count;
        }
        return received == Greeting.BYTES ? take() : null;
    }

    private Greeting take() {
        received = 0;
        buffer.clear();
        Greeting greeting = Greeting.read(buffer);
        if (greeting == null) {
            problem = "what answered is no rank of this version";
        }
        return greeting;
    }
}
