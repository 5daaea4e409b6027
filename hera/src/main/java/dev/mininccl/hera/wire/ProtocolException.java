package dev.mininccl.hera.wire;

/** The other side sent what the protocol does not allow. It costs that connection, and nothing else. */
public final class ProtocolException extends Exception {

    private static final long serialVersionUID = 1L;

    /** One line, with the offending value. */
    public ProtocolException(String message) {
        super(message);
    }
}
