package dev.mininccl.bindings.ibverbs;

/**
 * How a work request ended ({@code enum ibv_wc_status}). After the first that is not a success the queue pair is in error, and what
 * follows is {@link #FLUSHED}: report the first.
 */
public enum WorkStatus {
    /** It did what it should. */
    SUCCESS("success", ""),
    /** The message is longer than a receive's room or the device's limit. */
    LOCAL_LENGTH(
            "local length error", "the message is longer than the receive posted for it or than the port's largest"),
    /** The request does not fit the queue pair. */
    LOCAL_QUEUE_PAIR("local QP operation error", "the request is malformed for its queue pair or for this device"),
    /** Not for reliable connections. */
    LOCAL_CONTEXT("local EE context operation error", ""),
    /** A local key does not cover the bytes. */
    LOCAL_PROTECTION(
            "local protection error",
            "the local key, address or length is outside a registered region, or the region was closed too early"),
    /** The queue pair was in error before this request's turn. */
    FLUSHED(
            "Work Request Flushed Error",
            "an earlier request failed or the connection was closed; look at the first failure"),
    /** Not used here. */
    MEMORY_WINDOW("memory management operation error", ""),
    /** The peer's answer made no sense. */
    BAD_RESPONSE(
            "bad response error",
            "the peer's answer did not fit; both ends may disagree on the connection's parameters"),
    /** The own region does not allow it. */
    LOCAL_ACCESS("local access error", "the peer's write with immediate met a region without remote write access here"),
    /** The peer cannot do this. */
    REMOTE_INVALID_REQUEST(
            "remote invalid request error",
            "the peer refused the request: too long, or an operation it does not allow"),
    /** A remote key does not cover the bytes. */
    REMOTE_ACCESS(
            "remote access error",
            "the remote key or address is outside the peer's region, the region lacks remote access, or was closed too early"),
    /** The peer failed. */
    REMOTE_OPERATION("remote operation error", "the peer could not finish it; its own first failure says why"),
    /** The peer does not answer. */
    RETRY_EXCEEDED(
            "transport retry counter exceeded",
            "the peer does not answer: it has ended, the link is down, or its GID or queue pair number is wrong; for RoCE check that"
                    + " UDP port 4791 passes and that both ends use GIDs of the same type"),
    /** The peer posts no receives. */
    RECEIVER_NOT_READY("RNR retry counter exceeded", "the peer has posted no receive for it in time"),
    /** Not for reliable connections. */
    LOCAL_DOMAIN("local RDD violation error", ""),
    /** Not for reliable connections. */
    REMOTE_INVALID_READ("remote invalid RD request", ""),
    /** The peer aborted. */
    REMOTE_ABORTED("aborted error", "the peer aborted the request"),
    /** Not for reliable connections. */
    INVALID_CONTEXT_NUMBER("invalid EE context number", ""),
    /** Not for reliable connections. */
    INVALID_CONTEXT_STATE("invalid EE context state", ""),
    /** The device failed. */
    FATAL("fatal error", "the device or its driver failed; see the kernel's log"),
    /** An answer did not come in time. */
    RESPONSE_TIMEOUT("response timeout error", "an answer did not come in time; the link or the peer is gone"),
    /** Something else. */
    GENERAL("general error", "the device gives no reason; its vendor's error code and the kernel's log may"),
    /** Not used here. */
    TAG_MATCHING("TM error", ""),
    /** Not used here. */
    TAG_MATCHING_RENDEZVOUS("TM software rendezvous", ""),
    /** A status newer than this library. */
    UNKNOWN("unknown", "");

    private static final WorkStatus[] VALUES = values();

    private final String text;
    private final String hint;

    WorkStatus(String text, String hint) {
        this.text = text;
        this.hint = hint;
    }

    /**
     * The constant of a number of the C enumeration.
     *
     * @param code as {@link WorkCompletions#status} gives it
     * @return the constant, {@link #UNKNOWN} for numbers without one
     */
    public static WorkStatus of(int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : UNKNOWN;
    }

    /**
     * The text of {@code ibv_wc_status_str}, known without the library.
     *
     * @return a few words
     */
    public String text() {
        return text;
    }

    /**
     * What a person may look at.
     *
     * @return a hint, or an empty text
     */
    public String hint() {
        return hint;
    }
}
