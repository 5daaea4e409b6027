package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.Communicator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TeamTest {

    private static <T> List<T> onEach(int ranks, Function<Team, T> work) {
        return Communicator.local(ranks).stream()
                .map(rank -> CompletableFuture.supplyAsync(
                        () -> {
                            try (rank;
                                    Team team = new Team(rank)) {
                                return work.apply(team);
                            }
                        },
                        task -> Thread.ofPlatform().start(task)))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
    }

    @Test
    void sums() {
        assertThat(onEach(3, team -> team.sum(1L << team.rank()))).containsExactly(7L, 7L, 7L);
    }

    @Test
    void findsTheGreatestOfEachValue() {
        assertThat(onEach(2, team -> team.max(team.rank(), -team.rank())))
                .allSatisfy(max -> assertThat(max).containsExactly(1, 0));
    }

    @Test
    void seesWhetherAllAgree() {
        assertThat(onEach(3, team -> team.same(5))).containsOnly(true);
        assertThat(onEach(3, team -> team.same(team.rank() == 1 ? -5 : 5))).containsOnly(false);
    }
}
