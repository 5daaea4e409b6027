package dev.mininccl.hera.wire;

/**
 * The unit of the protocol: a header of 12 bytes, big-endian, and a payload.
 *
 * <pre>
 *   0  int   magic, "HERA"
 *   4  byte  protocol version
 *   5  byte  type of message
 *   6  short 0
 *   8  int   length of the payload
 * </pre>
 *
 * @param type the type of message, 0 to 255
 * @param payload what follows the header
 */
public record Frame(int type, byte[] payload) {

    static final int MAGIC = 0x48455241;

    /** Raised when a frame or message changes its form. */
    static final int VERSION = 1;

    static final int HEADER_BYTES = 12;

    /** The most that one rank may give to an all-gather. */
    public static final int CONTRIBUTION_LIMIT = 1 << 20;

    /** Payload limit for a peer that has not yet proven that it knows the secret. */
    public static final int HANDSHAKE_LIMIT = 4 << 10;

    /** Payload limit for a peer that has not registered yet. */
    public static final int REGISTRATION_LIMIT = 64 << 10;

    /** Payload limit for a registered rank. */
    public static final int RANK_LIMIT = CONTRIBUTION_LIMIT + (4 << 10);

    /** Payload limit for what a master sends to those it accepted: tables of all ranks. */
    public static final int MASTER_LIMIT = 64 << 20;
}
