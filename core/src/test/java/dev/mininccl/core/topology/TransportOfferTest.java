package dev.mininccl.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TransportOfferTest {

    @Test
    void reasonsTravelWithWhatIsMissing() {
        List<TransportOffer> offers = TransportOffer.decode(TransportOffer.encode(List.of(
                new TransportOffer("shm", 20, new byte[0], "/dev/shm cannot be used"),
                new TransportOffer("tcp", 50, new byte[] {1, 2}, ""))));
        assertThat(TransportOffer.reason(offers, "shm")).isEqualTo("/dev/shm cannot be used");
        assertThat(TransportOffer.address(offers, "shm")).isEmpty();
        assertThat(TransportOffer.reason(offers, "tcp")).isEmpty();
        assertThat(TransportOffer.address(offers, "tcp")).containsExactly(1, 2);
        assertThat(TransportOffer.reason(offers, "another")).isEmpty();
    }
}
