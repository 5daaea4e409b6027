package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.WorkStatus;
import dev.mininccl.bindings.posix.Errno;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Why a link no longer works; the first reason stays, since later ones are its echo. The event thread may set it too. */
final class LinkFailure {

    private static final VarHandle TEXT;

    static {
        try {
            TEXT = MethodHandles.lookup().findVarHandle(LinkFailure.class, "text", String.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile String link;

    private volatile String text;

    /** The link's name begins every reason. */
    LinkFailure(String link) {
        this.link = link;
    }

    /** Once the peer's GID is known. */
    void rename(String name) {
        link = name;
    }

    boolean failed() {
        return text != null;
    }

    /** The reason, or null. */
    String text() {
        return text;
    }

    void set(String reason) {
        TEXT.compareAndSet(this, null, link + ": " + reason);
    }

    void completion(int code, int vendorError) {
        WorkStatus status = WorkStatus.of(code);
        set("a request ended with status " + code + ", " + status.text() + " (vendor error 0x"
                + Integer.toHexString(vendorError) + "); " + status.hint());
    }

    void posting(int errno) {
        set("ibv_post_send failed with " + Errno.describe(errno));
    }

    void polling(int negative) {
        set("ibv_poll_cq failed with " + negative + ": the completion queue is broken");
    }
}
