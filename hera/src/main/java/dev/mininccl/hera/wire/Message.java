package dev.mininccl.hera.wire;

import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import java.util.List;

/**
 * All that is said between a worker (W), a status client (S) and the master (M), in the order in which it is first said.
 *
 * <pre>
 *   W,S → M  Hello                        M → W,S  Challenge
 *   W,S → M  Proof      (with a secret)   M → W,S  Welcome or Refused
 *   W → M    Register                     M → W    Start (once all are there) or Refused
 *   W → M    Gather                       M → W    Gathered, once or more
 *   W → M    Mismatch                     M → W    Describe, then Abort
 *   W → M    Described, Abort             M → W    Abort
 *   W → M    Leave                        M → W    Left (to the others), end of stream
 *   W ⇄ M    Heartbeat
 *   S → M    StatusQuery                  M → S    Status
 * </pre>
 */
public sealed interface Message {

    /** Opens every connection. The nonce is empty where the client knows no secret. */
    record Hello(byte[] nonce) implements Message {}

    /** Tells whether a secret is demanded; the nonce is empty otherwise. */
    record Challenge(boolean secret, byte[] nonce) implements Message {}

    /** The client's proof, see {@link Proofs}. */
    record Proof(byte[] mac) implements Message {}

    /** The master's proof. */
    record Welcome(byte[] mac) implements Message {}

    /** The master wants nothing more to do with this connection. */
    record Refused(ResultCode code, String why) implements Message {}

    /** Asks for a place in the job; rank -1 asks for any. */
    record Register(
            int rank,
            int size,
            String version,
            String configuration,
            Identity identity,
            int heartbeatMillis,
            int timeoutMillis)
            implements Message {}

    /** All have registered. */
    record Start(int rank, List<Identity> ranks, Identity master) implements Message {}

    /** Alive; the master echoes it. */
    record Heartbeat() implements Message {}

    /** A rank's part in an all-gather. */
    record Gather(long round, int timeoutMillis, byte[] bytes) implements Message {}

    /** The parts of consecutive ranks, for all. */
    record Gathered(long round, int firstRank, List<byte[]> parts) implements Message {}

    /** The job has failed. */
    record Abort(AbortReason reason) implements Message {}

    /** A neighbour's fingerprint of an operation differs. */
    record Mismatch(long sequence) implements Message {}

    /** What did you call? */
    record Describe(long sequence) implements Message {}

    /** The answer; empty where the rank does not know. */
    record Described(long sequence, String call) implements Message {}

    /** A rank goes in order and sends nothing more. */
    record Leave() implements Message {}

    /** A rank has gone in order. */
    record Left(int rank) implements Message {}

    /** How is the job? */
    record StatusQuery() implements Message {}

    /** The answer, for people and for programs. */
    record Status(String text, String json) implements Message {}
}
