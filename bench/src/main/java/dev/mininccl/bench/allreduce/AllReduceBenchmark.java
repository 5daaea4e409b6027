package dev.mininccl.bench.allreduce;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A blocking all-reduce of two ranks that are threads of this process; with {@code -prof gc} the proof that it allocates nothing.
 * The measured thread is rank 0; rank 1 calls for ever on a thread of its own, until the communicator is aborted.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector"})
@State(Scope.Benchmark)
public class AllReduceBenchmark {

    /** Which lanes. */
    @Param({"local", "shm", "tcp"})
    private String transport;

    /** The size of the message. */
    @Param({"8", "2048", "65536", "1048576"})
    private int bytes;

    private Arena arena;
    private MemorySegment in;
    private MemorySegment out;
    private List<Communicator> ranks;
    private Thread partner;

    /** Joins the ranks and starts the partner. */
    @Setup
    public void join() {
        arena = Arena.ofShared();
        in = arena.allocate(bytes, 4096);
        out = arena.allocate(bytes, 4096);
        ranks = Communicator.local(2, Map.of("MINI_NCCL_TRANSPORT", transport));
        MemorySegment partnerIn = arena.allocate(bytes, 4096);
        MemorySegment partnerOut = arena.allocate(bytes, 4096);
        partner = Thread.ofPlatform().daemon().name("rank-1").start(() -> reduceForEver(partnerIn, partnerOut));
    }

    private void reduceForEver(MemorySegment partnerIn, MemorySegment partnerOut) {
        try {
            while (true) {
                ranks.get(1).allReduce(partnerIn, partnerOut, bytes / Float.BYTES, DataType.FLOAT32, ReduceOp.SUM);
            }
        } catch (NcclException e) {
            // The abort: the measurement is over.
        }
    }

    /** One all-reduce. */
    @Benchmark
    public void allReduce() {
        ranks.get(0).allReduce(in, out, bytes / Float.BYTES, DataType.FLOAT32, ReduceOp.SUM);
    }

    /** Ends the partner and leaves. */
    @TearDown
    public void leave() throws InterruptedException {
        ranks.get(0).abort("the measurement is over");
        partner.join(TimeUnit.SECONDS.toMillis(10));
        ranks.forEach(Communicator::close);
        arena.close();
    }
}
