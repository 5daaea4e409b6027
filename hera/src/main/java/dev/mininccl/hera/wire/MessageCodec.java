package dev.mininccl.hera.wire;

import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Messages to frames and back. Pure. The type codes are part of the protocol: append only. */
public final class MessageCodec {

    private static final int HELLO = 1;
    private static final int CHALLENGE = 2;
    private static final int PROOF = 3;
    private static final int WELCOME = 4;
    private static final int REFUSED = 5;
    private static final int REGISTER = 6;
    private static final int START = 7;
    private static final int HEARTBEAT = 8;
    private static final int GATHER = 9;
    private static final int GATHERED = 10;
    private static final int ABORT = 11;
    private static final int MISMATCH = 12;
    private static final int DESCRIBE = 13;
    private static final int DESCRIBED = 14;
    private static final int LEAVE = 15;
    private static final int LEFT = 16;
    private static final int STATUS_QUERY = 17;
    private static final int STATUS = 18;

    private MessageCodec() {}

    /** The frame of a message, header included, ready to be sent. */
    public static ByteBuffer encode(Message message) {
        PayloadWriter out = new PayloadWriter();
        return switch (message) {
            case Message.Hello m -> out.bytes(m.nonce()).frame(HELLO);
            case Message.Challenge m -> out.flag(m.secret()).bytes(m.nonce()).frame(CHALLENGE);
            case Message.Proof m -> out.bytes(m.mac()).frame(PROOF);
            case Message.Welcome m -> out.bytes(m.mac()).frame(WELCOME);
            case Message.Refused m -> out.text(m.code().name()).text(m.why()).frame(REFUSED);
            case Message.Register m -> register(out, m);
            case Message.Start m -> start(out, m);
            case Message.Heartbeat _ -> out.frame(HEARTBEAT);
            case Message.Gather m ->
                out.int64(m.round()).int32(m.timeoutMillis()).bytes(m.bytes()).frame(GATHER);
            case Message.Gathered m -> gathered(out, m);
            case Message.Abort m -> abort(out, m.reason());
            case Message.Mismatch m -> out.int64(m.sequence()).frame(MISMATCH);
            case Message.Describe m -> out.int64(m.sequence()).frame(DESCRIBE);
            case Message.Described m -> out.int64(m.sequence()).text(m.call()).frame(DESCRIBED);
            case Message.Leave _ -> out.frame(LEAVE);
            case Message.Left m -> out.int32(m.rank()).frame(LEFT);
            case Message.StatusQuery _ -> out.frame(STATUS_QUERY);
            case Message.Status m -> out.text(m.text()).text(m.json()).frame(STATUS);
        };
    }

    /** The message in a frame. */
    public static Message decode(Frame frame) throws ProtocolException {
        PayloadReader in = new PayloadReader(frame.payload());
        Message message = switch (frame.type()) {
            case HELLO -> new Message.Hello(in.bytes());
            case CHALLENGE -> new Message.Challenge(in.flag(), in.bytes());
            case PROOF -> new Message.Proof(in.bytes());
            case WELCOME -> new Message.Welcome(in.bytes());
            case REFUSED -> new Message.Refused(in.choice(ResultCode.class), in.text());
            case REGISTER ->
                new Message.Register(
                        in.int32(), in.int32(), in.line(), in.text(), in.identity(), in.int32(), in.int32());
            case START -> new Message.Start(in.int32(), identities(in), in.identity());
            case HEARTBEAT -> new Message.Heartbeat();
            case GATHER -> new Message.Gather(in.int64(), in.int32(), in.bytes());
            case GATHERED -> new Message.Gathered(in.int64(), in.int32(), parts(in));
            case ABORT ->
                new Message.Abort(
                        new AbortReason(in.choice(AbortReason.Kind.class), in.int32(), in.int64(), in.text()));
            case MISMATCH -> new Message.Mismatch(in.int64());
            case DESCRIBE -> new Message.Describe(in.int64());
            case DESCRIBED -> new Message.Described(in.int64(), in.line());
            case LEAVE -> new Message.Leave();
            case LEFT -> new Message.Left(in.int32());
            case STATUS_QUERY -> new Message.StatusQuery();
            case STATUS -> new Message.Status(in.text(), in.text());
            default -> throw new ProtocolException("sent a frame of unknown type " + frame.type());
        };
        in.end();
        return message;
    }

    private static ByteBuffer register(PayloadWriter out, Message.Register m) {
        return out.int32(m.rank())
                .int32(m.size())
                .text(m.version())
                .text(m.configuration())
                .identity(m.identity())
                .int32(m.heartbeatMillis())
                .int32(m.timeoutMillis())
                .frame(REGISTER);
    }

    private static ByteBuffer start(PayloadWriter out, Message.Start m) {
        out.int32(m.rank()).int32(m.ranks().size());
        m.ranks().forEach(out::identity);
        return out.identity(m.master()).frame(START);
    }

    private static ByteBuffer gathered(PayloadWriter out, Message.Gathered m) {
        out.int64(m.round()).int32(m.firstRank()).int32(m.parts().size());
        m.parts().forEach(out::bytes);
        return out.frame(GATHERED);
    }

    private static ByteBuffer abort(PayloadWriter out, AbortReason reason) {
        return out.text(reason.kind().name())
                .int32(reason.rank())
                .int64(reason.sequence())
                .text(reason.message())
                .frame(ABORT);
    }

    /** This list and the next grow with what arrives, whatever number was announced. */
    private static List<Identity> identities(PayloadReader in) throws ProtocolException {
        int count = in.int32();
        List<Identity> identities = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            identities.add(in.identity());
        }
        return List.copyOf(identities);
    }

    private static List<byte[]> parts(PayloadReader in) throws ProtocolException {
        int count = in.int32();
        List<byte[]> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(in.bytes());
        }
        return List.copyOf(parts);
    }
}
