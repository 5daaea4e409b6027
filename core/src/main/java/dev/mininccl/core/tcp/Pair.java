package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** This rank and one peer while they meet: the connections made so far, and what went wrong on the way. */
final class Pair {

    private final int peer;
    private final Contact contact;
    private final Socket[] sockets;
    private final Map<SockAddr, String> tried = new LinkedHashMap<>();
    private int missing;

    Pair(int peer, Contact contact) {
        this.peer = peer;
        this.contact = contact;
        sockets = new Socket[contact.shape().connections()];
        missing = sockets.length;
    }

    int peer() {
        return peer;
    }

    Contact contact() {
        return contact;
    }

    int connections() {
        return sockets.length;
    }

    boolean complete() {
        return missing == 0;
    }

    boolean lacks(int connection) {
        return connection >= 0 && connection < sockets.length && sockets[connection] == null;
    }

    void connected(int connection, Socket socket) {
        sockets[connection] = socket;
        missing--;
    }

    void failed(SockAddr address, String why) {
        tried.put(address, why);
    }

    /** Why the pair is not complete, from the side that connects. */
    String notReached() {
        String errors = tried.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining("; "));
        return "rank " + peer + " was not reached, " + progress() + ": "
                + (errors.isEmpty() ? "no answer yet" : errors);
    }

    /** Why the pair is not complete, from the side that listens. */
    String notCome(Contact self, boolean nearby) {
        return "rank " + peer + " did not connect to " + (nearby ? self.nearby() : self.distant()) + ", " + progress();
    }

    private String progress() {
        return sockets.length - missing + " of " + sockets.length + " connections made";
    }

    /** Takes the sockets of a link out; the caller owns them. */
    Socket[] take(int channel) {
        int each = contact.shape().sockets();
        Socket[] taken = Arrays.copyOfRange(sockets, channel * each, (channel + 1) * each);
        Arrays.fill(sockets, channel * each, (channel + 1) * each, null);
        return taken;
    }

    /** Closes what was not taken. */
    void close() {
        for (int i = 0; i < sockets.length; i++) {
            if (sockets[i] != null) {
                sockets[i].close();
                sockets[i] = null;
            }
        }
    }
}
