package dev.mininccl.hera.master;

import dev.mininccl.core.ResultCode;
import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import dev.mininccl.hera.wire.Proofs;
import dev.mininccl.hera.wire.ProtocolException;

/** What a connection may say, from its first message on: a state machine without sockets. */
final class Session {

    private enum Stage {
        HELLO,
        PROOF,
        REQUEST,
        MEMBER,
        OVER
    }

    private static final byte[] NOTHING = {};

    private final Job job;
    private final byte[] secret;
    private final Outlet outlet;

    private Stage stage = Stage.HELLO;
    private byte[] clientNonce;
    private byte[] masterNonce;
    private Member member;

    /** {@code secret} is {@code null} where none is demanded. */
    Session(Job job, byte[] secret, Outlet outlet) {
        this.job = job;
        this.secret = secret;
        this.outlet = outlet;
    }

    /** Whether this is a rank; others must hurry. */
    boolean registered() {
        return stage == Stage.MEMBER;
    }

    /** The largest payload that the next message may have. */
    int limit() {
        return switch (stage) {
            case HELLO, PROOF, OVER -> Frame.HANDSHAKE_LIMIT;
            case REQUEST -> Frame.REGISTRATION_LIMIT;
            case MEMBER -> Frame.RANK_LIMIT;
        };
    }

    void received(Message message, long now) throws ProtocolException {
        switch (stage) {
            case HELLO -> hello(message);
            case PROOF -> proof(message);
            case REQUEST -> request(message, now);
            case MEMBER -> job.received(member, message, now);
            case OVER -> {
                // What a refused peer had already sent.
            }
        }
    }

    /** The connection is gone or did what the protocol does not allow. {@code how} is a predicate. */
    void failed(String how, long now) {
        if (stage == Stage.MEMBER) {
            job.lost(member, how, now);
        } else if (stage != Stage.OVER) {
            refuse("the master refuses this connection: it " + how);
        }
        stage = Stage.OVER;
    }

    private void hello(Message message) throws ProtocolException {
        if (!(message instanceof Message.Hello hello)) {
            throw unexpected(message);
        }
        if (secret == null) {
            outlet.send(MessageCodec.encode(new Message.Challenge(false, NOTHING)));
            stage = Stage.REQUEST;
            return;
        }
        if (hello.nonce().length != Proofs.NONCE_BYTES) {
            refuse("this master demands the job's secret: give all ranks the one it was started with");
            return;
        }
        clientNonce = hello.nonce();
        masterNonce = Proofs.nonce();
        outlet.send(MessageCodec.encode(new Message.Challenge(true, masterNonce)));
        stage = Stage.PROOF;
    }

    private void proof(Message message) throws ProtocolException {
        if (!(message instanceof Message.Proof proof)) {
            throw unexpected(message);
        }
        if (!Proofs.equal(Proofs.ofClient(secret, clientNonce, masterNonce), proof.mac())) {
            refuse("the secret differs from the master's: give all ranks the one it was started with");
            return;
        }
        outlet.send(MessageCodec.encode(new Message.Welcome(Proofs.ofMaster(secret, clientNonce, masterNonce))));
        stage = Stage.REQUEST;
    }

    private void request(Message message, long now) throws ProtocolException {
        switch (message) {
            case Message.Register register -> {
                member = job.register(register, outlet, now);
                stage = member == null ? Stage.OVER : Stage.MEMBER;
            }
            case Message.StatusQuery _ -> {
                outlet.send(MessageCodec.encode(StatusReport.of(job, now)));
                over();
            }
            default -> throw unexpected(message);
        }
    }

    private void refuse(String why) {
        outlet.send(MessageCodec.encode(new Message.Refused(ResultCode.INVALID_USAGE, why)));
        over();
    }

    private void over() {
        stage = Stage.OVER;
        outlet.finish();
    }

    private ProtocolException unexpected(Message message) {
        return new ProtocolException("sent a " + message.getClass().getSimpleName() + " where " + stage + " was due");
    }
}
