package dev.mininccl.cli.tune;

import dev.mininccl.cli.ExitStatus;
import dev.mininccl.cli.doctor.Gpus;
import dev.mininccl.cli.perf.ByteSize;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.tuning.TuningFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures which algorithm is the quickest at which size on this machine, and writes the table. */
@Command(
        name = "tune",
        description = {
            "Measure which algorithm is the quickest at which size on this machine, and write a table for all ranks.",
            "It has what beats the built-in choice; on GPUs also which kernel. MINI_NCCL_TUNING_FILE names it to the ranks."
        },
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class TuneCommand implements Callable<Integer> {

    private static final int MOST_GPUS = 8;
    private static final List<String> WORK = List.of("-n", "20", "-w", "5", "-c", "1");

    @Option(
            names = "--ranks",
            paramLabel = "N",
            defaultValue = "2",
            description = "processes on this machine (default 2)")
    private int ranks;

    @Option(
            names = "--memory",
            paramLabel = "KIND",
            defaultValue = "auto",
            description = "host, cuda, or auto: both where there are two GPUs (default auto)")
    private String memory;

    @Option(
            names = "--transport",
            paramLabel = "NAMES",
            defaultValue = "auto",
            description = "for host memory, as perf's (default auto)")
    private String transport;

    @Option(
            names = {"-e", "--maxbytes"},
            paramLabel = "BYTES",
            defaultValue = "32M",
            converter = ByteSize.class,
            description = "the largest message (default 32M)")
    private long largest;

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            defaultValue = "300",
            description = "about how long to take at most (default 300)")
    private int limit;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            defaultValue = "mini-nccl.tuning",
            description = "the file to write (default mini-nccl.tuning)")
    private Path output;

    @Spec
    private CommandSpec spec;

    /** Used by picocli. */
    public TuneCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        Path folder = Files.createTempDirectory("mininccl-tune");
        try {
            PrintWriter log = spec.commandLine().getErr();
            Tuning tuning = new Tuning(new Trial(folder), log, limit);
            if (!memory.equals("cuda")) {
                host(tuning);
            }
            if (!memory.equals("host")) {
                gpus(tuning);
            }
            return write(tuning.text());
        } finally {
            delete(folder);
        }
    }

    private void check() {
        refuse(ranks < 2 || ranks > 64, "--ranks " + ranks + ": must be 2 to 64");
        refuse(limit < 10 || limit > 86_400, "--limit " + limit + ": must be 10 to 86400");
        refuse(largest < 1024 || largest > 1L << 40, "-e " + largest + ": must be 1024 to " + (1L << 40));
        refuse(
                !List.of("auto", "host", "cuda").contains(memory),
                "--memory " + memory + ": must be auto, host or cuda");
        refuse(
                memory.equals("cuda") && ranks > MOST_GPUS,
                "--ranks " + ranks + ": must be 2 to " + MOST_GPUS + " with --memory cuda");
        refuse(
                output.toAbsolutePath().getParent() == null
                        || !Files.isWritable(output.toAbsolutePath().getParent()),
                "--output " + output + ": must be in a folder that can be written");
    }

    private void refuse(boolean refused, String message) {
        if (refused) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private void host(Tuning tuning) throws IOException, InterruptedException {
        List<String> perf = new ArrayList<>(WORK);
        perf.addAll(List.of("--memory", "host", "--ranks", Integer.toString(ranks), "--transport", transport));
        Trial.Outcome first = tuning.look(perf);
        if (!first.failure().isEmpty()) {
            throw new IOException("perf on host memory failed: " + first.failure());
        }
        boolean network = !List.of("shm", "local").contains(first.transport());
        tuning.add(Subject.host(TuningFile.hostSection(ranks, network), ranks, network, perf, largest));
    }

    private void gpus(Tuning tuning) throws IOException, InterruptedException {
        Gpus gpus = Gpus.look();
        if (gpus.devices().size() < ranks || ranks > MOST_GPUS) {
            refuse(
                    memory.equals("cuda"),
                    "--memory cuda: must be host here: "
                            + gpus.refusal()
                                    .orElse("there are " + gpus.devices().size()
                                            + " GPUs, and each rank is tuned with one of its own"));
            return;
        }
        if (gpus.devices().getFirst().peers().size() >= ranks - 1) {
            boolean nvlink = gpus.devices().getFirst().atomicPeers().size() >= ranks - 1;
            way(tuning, nvlink ? "nvlink" : "pcie", "p2p");
        }
        way(tuning, "host", "shm");
    }

    private void way(Tuning tuning, String way, String lane) throws IOException, InterruptedException {
        List<String> perf = new ArrayList<>(WORK);
        perf.addAll(List.of("--memory", "cuda", "--ranks", Integer.toString(ranks), "-G", "1", "--transport", lane));
        String section = TuningFile.gpuSection(ranks, way);
        tuning.add(
                ranks == 2
                        ? Subject.gpuPair(section, way, perf, largest)
                        : Subject.manyGpus(section, way, perf, largest));
    }

    private int write(String sections) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (sections.isEmpty()) {
            out.println("the built-in tables are as quick everywhere: nothing written");
            return ExitStatus.RIGHT;
        }
        String text = "# measured by mini-nccl tune, " + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n"
                + TuningFile.HEADER + "\n" + sections;
        Files.writeString(output, text);
        out.print(text);
        out.println(
                "# written; for all ranks: export " + Setting.TUNING_FILE.variable() + "=" + output.toAbsolutePath());
        out.flush();
        return ExitStatus.RIGHT;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
