package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What concerns this process, its threads and its limits. */
@Timeout(20)
class ProcessTest {
    private static final int OWN_PID = (int) ProcessHandle.current().pid();

    @Test
    void ownMemoryIsCopied() {
        ProcessVm vm = new ProcessVm();
        try (GuardedMemory source = new GuardedMemory(100);
                GuardedMemory target = new GuardedMemory(100)) {
            NativeMemory.fill(source.address(), 100, (byte) 7);
            assertThat(vm.read(OWN_PID, source.address(), target.address(), 100))
                    .isEqualTo(100);
            assertThat(NativeMemory.getByte(target.address() + 99)).isEqualTo((byte) 7);
        }
    }

    @Test
    void copyStopsAtMemoryThatIsNotThere() {
        ProcessVm vm = new ProcessVm();
        try (GuardedMemory source = new GuardedMemory(4096);
                GuardedMemory target = new GuardedMemory(8192)) {
            assertThat(vm.read(OWN_PID, source.address(), target.address(), 8192))
                    .isEqualTo(4096);
            assertThat(vm.read(OWN_PID, source.address() + 4096, target.address(), 8))
                    .isEqualTo(-Errno.EFAULT);
            assertThat(vm.read(Integer.MAX_VALUE, source.address(), target.address(), 8))
                    .isEqualTo(-Errno.ESRCH);
        }
    }

    @Test
    void siblingsMayBeLetIn() {
        boolean yama = Files.exists(Path.of("/proc/sys/kernel/yama/ptrace_scope"));
        assertThat(ProcessVm.allowReaders()).isEqualTo(yama ? 0 : -Errno.EINVAL);
    }

    @Test
    void threadIsBoundAndOthersAreNot() throws InterruptedException {
        BitSet before = Sched.affinity();
        assertThat(before.cardinality()).isPositive();
        int last = before.length() - 1;
        AtomicReference<BitSet> bound = new AtomicReference<>();
        AtomicReference<Integer> processor = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            BitSet one = new BitSet();
            one.set(last);
            Sched.setAffinity(one);
            bound.set(Sched.affinity());
            processor.set(Sched.currentProcessor());
        });
        thread.join();
        assertThat(bound.get().stream().toArray()).containsExactly(last);
        assertThat(processor.get()).isEqualTo(last);
        assertThat(Sched.affinity()).isEqualTo(before);
    }

    @Test
    void impossibleBindingIsRefused() {
        BitSet none = new BitSet();
        assertThatThrownBy(() -> Sched.setAffinity(none)).hasMessageContaining("sched_setaffinity to {}: EINVAL");
        none.set(8192);
        assertThatThrownBy(() -> Sched.setAffinity(none))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("processor 8192 is not in 0..8191");
    }

    @Test
    void threadIdIsOneOfTheKernels() {
        assertThat(Path.of("/proc/self/task/" + Sched.threadId())).exists();
    }

    @Test
    void limitsAreReadAndRaised() {
        Limits.Value raised = Limits.OPEN_FILES.raise();
        assertThat(raised.soft()).isEqualTo(raised.hard());
        Limits.OPEN_FILES.set(new Limits.Value(1000, raised.hard()));
        assertThat(Limits.OPEN_FILES.get()).isEqualTo(new Limits.Value(1000, raised.hard()));
        Limits.OPEN_FILES.set(raised);
        assertThatThrownBy(() -> Limits.OPEN_FILES.set(new Limits.Value(2, 1)))
                .hasMessageContaining("RLIMIT_NOFILE to 2 (hard 1): EINVAL");
        assertThat(Limits.LOCKED_MEMORY.get().hard()).isNotZero();
    }

    @Test
    void errorsHaveNamesAndTexts() {
        assertThat(Errno.describe(Errno.ENOMEM)).isEqualTo("ENOMEM (12): Cannot allocate memory");
        assertThat(Errno.name(4095)).isEqualTo("errno 4095");
        assertThat(Errno.text(4095)).contains("4095");
    }
}
