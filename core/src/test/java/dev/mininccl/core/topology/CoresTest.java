package dev.mininccl.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.Sched;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class CoresTest {

    @Test
    void listsOfRangesAreRead() {
        BitSet processors = new BitSet();
        Cores.add(processors, "0-3,8,10-11");
        assertThat(processors.stream().toArray()).containsExactly(0, 1, 2, 3, 8, 10, 11);
    }

    @Test
    void aBoundThreadDoesNotHideTheProcessesCores() {
        int before = Cores.usable();
        CompletableFuture<Integer> bound = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            BitSet one = new BitSet();
            one.set(Sched.affinity().nextSetBit(0));
            Sched.setAffinity(one);
            bound.complete(Cores.usable());
        });
        assertThat(bound.join()).isEqualTo(before);
    }
}
