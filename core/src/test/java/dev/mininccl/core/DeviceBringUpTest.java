package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.cuda.CudaDriver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks decide together which way GPUs take; here as far as that goes without one. */
@Timeout(60)
class DeviceBringUpTest {

    @Test
    void nobodyNeedsToHaveAGpu() {
        List<Communicator> comms = Communicator.local(3);
        CompletableFuture<?>[] all = comms.stream().map(comm -> declining(comm)).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(all).join();
        assertThat(all).allMatch(CompletableFuture::isDone);
        comms.forEach(Communicator::close);
    }

    @Test
    void aMissingGpuIsToldToAll() {
        assumeTrue(CudaDriver.start().isPresent(), "this machine has a CUDA driver");
        List<Communicator> comms = Communicator.local(2);
        CompletableFuture<Void> other = declining(comms.get(1));
        assertThatThrownBy(() -> comms.get(0).device(0)).isInstanceOf(CommunicatorException.class);
        assertThatThrownBy(other::join)
                .hasCauseInstanceOf(CommunicatorException.class)
                .hasMessageContaining("gpu: rank 0: ");
        comms.forEach(Communicator::close);
    }

    /** On a thread of its own: ranks wait for each other. */
    private static CompletableFuture<Void> declining(Communicator comm) {
        return CompletableFuture.runAsync(
                comm::withoutDevice, task -> Thread.ofPlatform().daemon().start(task));
    }
}
