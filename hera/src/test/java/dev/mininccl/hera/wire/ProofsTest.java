package dev.mininccl.hera.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProofsTest {

    private static final byte[] SECRET = "correct horse".getBytes(StandardCharsets.UTF_8);
    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2};

    /** printf 'hera client\x01\x02' | openssl dgst -sha256 -hmac 'correct horse'. */
    @Test
    void isHmacSha256() {
        assertThat(HexFormat.of().formatHex(Proofs.ofClient(SECRET, ONE, TWO)))
                .isEqualTo("20666bc67961a8a875061eb8fcf672f176e975eccb765299e82f646dd3f4ea8b");
    }

    @Test
    void dependsOnSecretSideAndNonces() {
        byte[] proof = Proofs.ofClient(SECRET, ONE, TWO);
        assertThat(Proofs.equal(proof, Proofs.ofClient(SECRET, ONE, TWO))).isTrue();
        assertThat(Proofs.equal(proof, Proofs.ofMaster(SECRET, ONE, TWO))).isFalse();
        assertThat(Proofs.equal(proof, Proofs.ofClient(SECRET, TWO, ONE))).isFalse();
        assertThat(Proofs.equal(proof, Proofs.ofClient(ONE, ONE, TWO))).isFalse();
    }

    @Test
    void noncesAreFresh() {
        assertThat(Proofs.nonce()).hasSize(Proofs.NONCE_BYTES).isNotEqualTo(Proofs.nonce());
    }
}
