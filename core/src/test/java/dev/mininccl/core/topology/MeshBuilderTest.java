package dev.mininccl.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.InvalidCallException;
import org.junit.jupiter.api.Test;

class MeshBuilderTest {

    @Test
    void namesThatMeanNothingAreRefused() {
        MeshBuilder.requireKnown("auto");
        MeshBuilder.requireKnown("p2p, SHM,verbs");
        assertThatThrownBy(() -> MeshBuilder.requireKnown("tcp,foo"))
                .isInstanceOf(InvalidCallException.class)
                .hasMessage(
                        "MINI_NCCL_TRANSPORT=tcp,foo: foo is no transport; known are local, p2p, shm, verbs, unix, tcp");
    }

    @Test
    void settingListsTransportsOfHosts() {
        assertThat(MeshBuilder.wanted("auto")).isEmpty();
        assertThat(MeshBuilder.wanted("SHM , tcp")).containsExactly("shm", "tcp");
        // For GPUs only: hosts take all they have.
        assertThat(MeshBuilder.wanted("p2p")).isEmpty();
        assertThat(MeshBuilder.wanted("p2p,shm")).containsExactly("shm");
    }
}
