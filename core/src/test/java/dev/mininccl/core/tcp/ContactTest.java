package dev.mininccl.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.bindings.posix.SockAddr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ContactTest {

    private static final Contact CONTACT = new Contact(
            new Token(1, -2),
            "boot net:[4026531840] name",
            new Contact.Shape(2, 4, 524288),
            List.of(inet("127.0.0.1", 4711), SockAddr.abstractUnix("mini-nccl-x")),
            List.of(inet("10.0.0.3", 65535), inet("fd00::1", 1)));

    private static SockAddr inet(String literal, int port) {
        return SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral(literal), port));
    }

    @Test
    void survivesTheWire() {
        assertThat(Contact.decode(CONTACT.encode())).isEqualTo(CONTACT);
    }

    @Test
    void everyCutIsRefused() {
        byte[] whole = CONTACT.encode();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> Contact.decode(cut)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void changedBytesAreRefusedOrRead() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 5000; i++) {
            byte[] changed = CONTACT.encode();
            for (int n = 0; n <= random.nextInt(4); n++) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                Contact.decode(changed);
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void otherVersionIsNamed() {
        byte[] other = CONTACT.encode();
        other[3] = 9;
        assertThatThrownBy(() -> Contact.decode(other)).hasMessage("contact of version 9, this rank speaks 1");
    }

    @Test
    void tokensAreNotPrinted() {
        assertThat(CONTACT.toString()).contains("token=token,");
    }
}
