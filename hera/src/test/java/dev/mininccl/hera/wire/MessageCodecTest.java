package dev.mininccl.hera.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(20)
class MessageCodecTest {

    private static final Identity HOST_A = new Identity("a", 1, 2, "boot", "8 GPUs");
    private static final Identity HOST_B = new Identity("büro", Long.MAX_VALUE, -1, "", "");

    static Stream<Message> all() {
        return Stream.of(
                new Message.Hello(new byte[] {1, 2, 3}),
                new Message.Challenge(true, new byte[] {4}),
                new Message.Proof(new byte[32]),
                new Message.Welcome(new byte[32]),
                new Message.Refused(ResultCode.INVALID_USAGE, "no\nway"),
                new Message.Register(-1, 4, "1.0", "A=1\nB=2", HOST_A, 1000, 30_000),
                new Message.Start(1, List.of(HOST_A, HOST_B), HOST_B),
                new Message.Heartbeat(),
                new Message.Gather(7, 500, new byte[1000]),
                new Message.Gathered(7, 3, List.of(new byte[0], new byte[5])),
                new Message.Abort(new AbortReason(AbortReason.Kind.MISMATCH, -1, 417, "ranks disagree")),
                new Message.Mismatch(417),
                new Message.Describe(417),
                new Message.Described(417, "all_reduce of 8 half, sum"),
                new Message.Leave(),
                new Message.Left(3),
                new Message.StatusQuery(),
                new Message.Status("fine", "{}"));
    }

    private static Frame frame(Message message) throws ProtocolException {
        return new FrameDecoder(1 << 20).next(MessageCodec.encode(message));
    }

    @Test
    void everyMessageIsTestedHere() {
        assertThat(all().map(Message::getClass)).containsExactlyInAnyOrder(messageTypes());
    }

    @SuppressWarnings("unchecked")
    private static Class<? extends Message>[] messageTypes() {
        return (Class<? extends Message>[]) Message.class.getPermittedSubclasses();
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatIsWrittenIsRead(Message message) throws ProtocolException {
        Message read = MessageCodec.decode(frame(message));
        assertThat(read).usingRecursiveComparison().isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aPayloadCutAnywhereIsRefused(Message message) throws ProtocolException {
        Frame whole = frame(message);
        for (int length = 0; length < whole.payload().length; length++) {
            Frame cut = new Frame(whole.type(), Arrays.copyOf(whole.payload(), length));
            assertThatThrownBy(() -> MessageCodec.decode(cut)).isInstanceOf(ProtocolException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void aPayloadThatGoesOnIsRefused(Message message) throws ProtocolException {
        Frame whole = frame(message);
        Frame longer = new Frame(whole.type(), Arrays.copyOf(whole.payload(), whole.payload().length + 1));
        assertThatThrownBy(() -> MessageCodec.decode(longer)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void anUnknownTypeIsRefused() {
        assertThatThrownBy(() -> MessageCodec.decode(new Frame(99, new byte[0])))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("99");
    }

    @Test
    void lengthsInsideAMessageAreNotBelieved() throws ProtocolException {
        for (int length : new int[] {-1, Integer.MAX_VALUE, 5}) {
            byte[] payload = ByteBuffer.allocate(8).putInt(length).array();
            assertThatThrownBy(() -> MessageCodec.decode(new Frame(1, payload))).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void anAnnouncedNumberOfRanksCostsNothingUntilTheyCome() throws ProtocolException {
        byte[] payload =
                ByteBuffer.allocate(8).putInt(0).putInt(Integer.MAX_VALUE).array();
        int start = frame(new Message.Start(0, List.of(), HOST_A)).type();
        assertThatThrownBy(() -> MessageCodec.decode(new Frame(start, payload))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void textsCannotDriveATerminal() throws ProtocolException {
        Message sent = new Message.Described(1, "red \u001b[31m\nand more");
        assertThat(MessageCodec.decode(frame(sent))).isEqualTo(new Message.Described(1, "red ?[31m?and more"));
    }
}
