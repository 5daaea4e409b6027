package dev.mininccl.core.spi;

/** A transport cannot be had on this machine, or not with a given peer. The next one is tried. */
public final class TransportUnavailableException extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what is missing and how to get it, one line
     */
    public TransportUnavailableException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message what is missing and how to get it, one line
     * @param cause what was caught
     */
    public TransportUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
