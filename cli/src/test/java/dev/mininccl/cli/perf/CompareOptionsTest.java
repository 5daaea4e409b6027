package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.cli.peer.PeerGroup;
import dev.mininccl.cli.peer.PeerProvider;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CompareOptionsTest {

    /** A provider that only answers questions. */
    private record Named(String name, Optional<String> why) implements PeerProvider {
        @Override
        public Optional<String> obstacle(String memory) {
            return memory.equals("cuda") ? why : Optional.empty();
        }

        @Override
        public Peer join(PeerGroup group) {
            throw new UnsupportedOperationException();
        }
    }

    private static final List<PeerProvider> AVAILABLE =
            List.of(new Named("nccl", Optional.empty()), new Named("mpi", Optional.of("is not here")));

    private static CompareOptions parsed(String... args) {
        CompareOptions options = new CompareOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("compare", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs(args);
        return options;
    }

    @Test
    void namesAreLookedUpInTheirOrder() {
        assertThat(parsed("--compare", "mpi,nccl,mpi").providers("host", AVAILABLE))
                .extracting(PeerProvider::name)
                .containsExactly("mpi", "nccl");
        assertThat(parsed().providers("host", List.of())).isEmpty();
    }

    @Test
    void whatCannotBeIsRefusedWithItsReason() {
        assertThatThrownBy(() -> parsed("--compare", "mpi").providers("cuda", AVAILABLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--compare mpi: is not here");
        assertThatThrownBy(() -> parsed("--compare", "gloo").providers("host", AVAILABLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--compare gloo: must be one or more of nccl, mpi");
    }
}
