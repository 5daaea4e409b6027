package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.cli.HostAndPort;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class OptionsTest {

    private static <T> T parsed(T options, String line) {
        CommandLine commandLine = new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options));
        commandLine.setUnmatchedOptionsArePositionalParams(options instanceof PlaceOptions);
        commandLine.parseArgs(line.isEmpty() ? new String[0] : line.split(" "));
        return options;
    }

    private static Plan plan(String line) {
        return parsed(new WorkOptions(), line).plan(Collective.ALL_REDUCE, new long[] {8});
    }

    private static Placement placement(String line) {
        return parsed(new PlaceOptions(), line).placement(false, Map.of());
    }

    @Test
    void defaultsAreThoseOfTheManual() {
        Plan plan = plan("--seed 7");
        assertThat(plan.types()).containsExactly(DataType.FLOAT32);
        assertThat(plan.operations()).containsExactly(ReduceOp.SUM);
        assertThat(List.of(plan.iterations(), plan.warmup(), plan.checks())).containsExactly(20, 5, 1);
        assertThat(plan.blocking()).isFalse();
        assertThat(plan.modes()).containsExactly(false, true);
        assertThat(plan.registered()).isFalse();
        assertThat(plan.seed()).isEqualTo(7);
        assertThat(parsed(new SizeOptions(), "").sizes())
                .hasSize(25)
                .startsWith(8)
                .endsWith(128L << 20);
        assertThat(placement("")).isEqualTo(new Placement.Processes(2));
    }

    @Test
    void flagsMeanWhatTheyMeanInNcclTests() {
        Plan plan = plan("-n 3 -w 0 -c 2 -z 1 -d bfloat16 -o max --in-place --register");
        assertThat(List.of(plan.iterations(), plan.warmup(), plan.checks())).containsExactly(3, 0, 2);
        assertThat(plan.blocking()).isTrue();
        assertThat(plan.types()).containsExactly(DataType.BFLOAT16);
        assertThat(plan.operations()).containsExactly(ReduceOp.MAX);
        assertThat(plan.modes()).containsExactly(true);
        assertThat(plan.registered()).isTrue();
        assertThat(plan("-d all -o all").types()).containsExactly(DataType.values());
        assertThat(plan("-d all -o all").operations()).containsExactly(ReduceOp.values());
        assertThat(parsed(new SizeOptions(), "-b 1K -e 4K -f 4").sizes()).containsExactly(1024, 4096);
        assertThat(parsed(new SizeOptions(), "-b 1K -e 3K -i 1K").sizes()).containsExactly(1024, 2048, 3072);
        assertThat(parsed(new SizeOptions(), "-b 1G").sizes()).containsExactly(1L << 30);
    }

    @Test
    void everyTypeAndOperationHasItsName() {
        for (DataType type : DataType.values()) {
            assertThat(plan("-d " + type.label()).types()).containsExactly(type);
        }
        for (ReduceOp op : ReduceOp.values()) {
            assertThat(plan("-o " + op.label()).operations()).containsExactly(op);
        }
        assertThat(plan("-d float16").types()).containsExactly(DataType.FLOAT16);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "-n 0           | -n 0: must be 1 to",
                "-w -1          | -w -1: must be 0 to",
                "-c -3          | -c -3: must be 0 to",
                "-z 2           | -z 2: must be 0 to 1",
                "-G -1          | -G -1: must be 0",
                "-r 0           | -r 0: must be left out",
                "-d float33     | 'float33': must be int8, uint8",
                "-o xor         | 'xor': must be sum, prod",
            })
    void badWorkIsRefused(String line, String message) {
        assertThatThrownBy(() -> plan(line)).hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "-b 9 -e 8         | -e 8: must be at least -b 9",
                "-f 1              | -f 1: must be 2 to",
                "-i 0              | -i 0: must be 1 to",
                "-f 2 -i 8         | only one of them",
                "-b 8x             | '8x': must be a number of bytes",
                "-b 0 -e 1G -i 1   | -i 1: must be so large",
            })
    void badSizesAreRefused(String line, String message) {
        assertThatThrownBy(() -> parsed(new SizeOptions(), line).sizes()).hasMessageContaining(message);
    }

    @Test
    void ranksComeFromEveryForm() {
        HostAndPort here = new HostAndPort("127.0.0.1", 9999);
        assertThat(placement("--ranks 4")).isEqualTo(new Placement.Processes(4));
        assertThat(placement("--ranks 4 --threads")).isEqualTo(new Placement.Threads(4));
        assertThat(placement("0 2 127.0.0.1")).isEqualTo(new Placement.Single(0, 2, here));
        assertThat(placement("all_reduce 1 2 127.0.0.1:7"))
                .isEqualTo(new Placement.Single(1, 2, new HostAndPort("127.0.0.1", 7)));
        assertThat(placement("-1 2 127.0.0.1")).isEqualTo(new Placement.Single(-1, 2, here));
        assertThat(placement("all_reduce -1 2 127.0.0.1")).isEqualTo(new Placement.Single(-1, 2, here));
        assertThat(placement("--rank -1 --world 3")).isEqualTo(new Placement.Single(-1, 3, here));
        assertThat(placement("--rank 2 --world 3 --master [::1]:5"))
                .isEqualTo(new Placement.Single(2, 3, new HostAndPort("::1", 5)));
    }

    @Test
    void ranksComeFromALauncherUnlessTheCommandLineSaysSo() {
        Map<String, String> environment =
                Map.of("RANK", "1", "WORLD_SIZE", "4", "MASTER_ADDR", "node", "MASTER_PORT", "8");
        assertThat(parsed(new PlaceOptions(), "").placement(false, environment))
                .isEqualTo(new Placement.Single(1, 4, new HostAndPort("node", 8)));
        assertThat(parsed(new PlaceOptions(), "--ranks 3").placement(false, environment))
                .isEqualTo(new Placement.Processes(3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--ranks 0                   | --ranks 0: must be 1 to 1024",
                "--ranks 2 --rank 0 --world 2| --ranks 2: must not be given with --rank",
                "--world 2                   | --rank: must be given",
                "--rank 0                    | --world: must be given",
                "--rank 2 --world 2          | --rank 2: must be -1 to 1",
                "--threads                   | --threads: must be given with --ranks",
                "0 2                         | '0 2': must be RANK WORLD MASTER",
                "2 2 host                    | RANK 2: must be -1 to 1",
                "0 0 host                    | WORLD 0: must be 1 to",
                "0 2 host:x                  | --master host:x: must be HOST or HOST:PORT",
                "0 2 host --ranks 3          | must not be given with RANK WORLD MASTER",
            })
    void badPlacesAreRefused(String line, String message) {
        assertThatThrownBy(() -> placement(line)).hasMessageContaining(message);
    }

    @Test
    void collectivesAreNamed() {
        assertThat(parsed(new PlaceOptions(), "").collective()).isEqualTo(Collective.ALL_REDUCE);
        assertThat(parsed(new PlaceOptions(), "-1 2 h").collective()).isEqualTo(Collective.ALL_REDUCE);
        assertThatThrownBy(() -> parsed(new PlaceOptions(), "all_gether").collective())
                .hasMessage("collective 'all_gether': must be all_reduce, all_gather, reduce_scatter");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--memory disk    | --memory disk: must be auto, host or cuda",
                "--engine fused   | --engine fused: not with --memory auto",
                "--engine x       | --engine x: must be auto, host, fused or stepwise",
                "--transport shm,x| --transport x: must be auto, local, p2p, shm, verbs, unix or tcp",
            })
    void badPathsAreRefused(String line, String message) {
        assertThatThrownBy(() -> parsed(new PathOptions(), line).check(false)).hasMessageContaining(message);
    }

    @Test
    void graphsNeedAGpu() {
        assertThatThrownBy(() -> parsed(new PathOptions(), "").check(true)).hasMessageContaining("-G");
    }

    @Test
    void cudaMemoryNeedsADriver() {
        assumeTrue(CudaDriver.start().isPresent(), "a GPU is present here");
        assertThatThrownBy(() -> parsed(new PathOptions(), "--memory cuda").check(false))
                .hasMessageContaining("libcuda.so.1");
        assertThatThrownBy(() ->
                        parsed(new PathOptions(), "--memory cuda --engine host").check(false))
                .hasMessageContaining("--engine host: not with --memory cuda");
    }

    @Test
    void transportsBecomeASetting() {
        assertThat(parsed(new PathOptions(), "").settings()).isEmpty();
        assertThat(parsed(new PathOptions(), "--transport shm,tcp").settings())
                .containsEntry("MINI_NCCL_TRANSPORT", "shm,tcp");
        assertThat(parsed(new PathOptions(), "--transport local").withinProcess())
                .isTrue();
    }

    @Test
    void buffersMustFitIntoMemory() {
        Plan plan = parsed(new WorkOptions(), "").plan(Collective.ALL_REDUCE, new long[] {8, 1000});
        Buffers.requireRoom(plan, 3, 6000);
        assertThatThrownBy(() -> Buffers.requireRoom(plan, 3, 5999))
                .hasMessageStartingWith("-e: the largest size, 1000, must be at most 999 here");
    }
}
