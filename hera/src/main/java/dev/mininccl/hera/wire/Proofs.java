package dev.mininccl.hera.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves knowledge of the shared secret without sending it: HMAC-SHA256 over who proves and both sides' fresh nonces.
 * The client proves first, so that a stranger who connects learns nothing that he could try passwords on.
 */
public final class Proofs {

    /** Bytes of a nonce. */
    public static final int NONCE_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Proofs() {}

    /** Fresh random bytes. */
    public static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** What a client proves itself with. */
    public static byte[] ofClient(byte[] secret, byte[] clientNonce, byte[] masterNonce) {
        return mac("hera client", secret, clientNonce, masterNonce);
    }

    /** What a master proves itself with. */
    public static byte[] ofMaster(byte[] secret, byte[] clientNonce, byte[] masterNonce) {
        return mac("hera master", secret, clientNonce, masterNonce);
    }

    /** Compares in a time that does not depend on where they differ. */
    public static boolean equal(byte[] expected, byte[] actual) {
        return MessageDigest.isEqual(expected, actual);
    }

    private static byte[] mac(String role, byte[] secret, byte[] clientNonce, byte[] masterNonce) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.update(role.getBytes(StandardCharsets.US_ASCII));
            mac.update(clientNonce);
            mac.update(masterNonce);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256, which every Java platform must have, is missing", e);
        }
    }
}
