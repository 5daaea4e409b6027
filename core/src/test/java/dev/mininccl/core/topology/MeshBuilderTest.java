package dev.mininccl.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeshBuilderTest {

    @Test
    void settingListsTransportsOfHosts() {
        assertThat(MeshBuilder.wanted("auto")).isEmpty();
        assertThat(MeshBuilder.wanted("SHM , tcp")).containsExactly("shm", "tcp");
        // For GPUs only: hosts take all they have.
        assertThat(MeshBuilder.wanted("p2p")).isEmpty();
        assertThat(MeshBuilder.wanted("p2p,shm")).containsExactly("shm");
    }
}
