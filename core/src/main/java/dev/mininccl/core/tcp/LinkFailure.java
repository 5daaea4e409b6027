package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.Errno;

/** Why a link no longer works; the first reason stays. Shared by the link's two lanes, so used by one thread. */
final class LinkFailure {

    private final String link;
    private String text;

    /** The link's name begins every reason, for example {@code tcp link to rank 3 at 10.0.0.3:4711}. */
    LinkFailure(String link) {
        this.link = link;
    }

    boolean failed() {
        return text != null;
    }

    /** The reason, or null. */
    String text() {
        return text;
    }

    void set(String reason) {
        if (text == null) {
            text = link + ": " + reason;
        }
    }

    /** Takes a negative result of a call; "nothing now" is no failure. */
    void take(long negative, String doing) {
        int errno = (int) -negative;
        if (errno != Errno.EAGAIN && errno != Errno.EINTR) {
            set(doing + " failed with " + Errno.describe(errno));
        }
    }
}
