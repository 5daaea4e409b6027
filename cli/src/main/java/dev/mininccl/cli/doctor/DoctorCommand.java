package dev.mininccl.cli.doctor;

import dev.mininccl.cli.ExitStatus;
import dev.mininccl.cli.HostAndPort;
import dev.mininccl.cli.Json;
import dev.mininccl.cli.Secret;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.transport.verbs.GpuDirect;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Checks this machine. */
@Command(
        name = "doctor",
        description = {
            "Check what this machine offers: OK, WARN or FAIL for each subject, with what to do.",
            "With --with: what joins this machine and another, proven and measured.",
            "Exit status 0 if ranks can reduce host memory, 1 if something fails."
        },
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class DoctorCommand implements Callable<Integer> {

    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Option(
            names = "--with",
            paramLabel = "HOST:PORT",
            description =
                    "meet the doctor that another machine starts with the same address, one of either machine, and prove"
                            + " the way between both")
    private String with;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "with --with: file with the secret that both share (default: what MINI_NCCL_SECRET_FILE names);"
                            + " needed unless the address is a loopback one")
    private Path tokenFile;

    @Spec
    private CommandSpec spec;

    /** Used by picocli. */
    public DoctorCommand() {}

    @Override
    public Integer call() {
        List<Finding> findings = new ArrayList<>();
        if (with == null) {
            findings.addAll(findings());
        } else {
            findings.addAll(pair());
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(findings));
        } else {
            findings.forEach(finding -> print(out, finding));
        }
        out.flush();
        return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL)
                ? ExitStatus.WRONG
                : ExitStatus.RIGHT;
    }

    private static List<Finding> findings() {
        SystemFiles files = new SystemFiles(Path.of("/"));
        MachineChecks machine = new MachineChecks(files);
        List<Finding> findings = new ArrayList<>(List.of(
                ProcessChecks.java(),
                ProcessChecks.nativeAccess(),
                ProcessChecks.vectors(),
                machine.cpu(),
                machine.memory(),
                machine.numa(),
                machine.sharedMemory(),
                machine.crossMemory(),
                machine.lockedMemory()));
        Gpus gpus = Gpus.look();
        Settings settings = settings();
        Rdma rdma = Rdma.look(settings);
        findings.addAll(new GpuChecks(gpus, files).findings());
        findings.addAll(new RdmaChecks(rdma, files).findings());
        findings.addAll(new DirectChecks(GpuDirect.look(settings), files).findings());
        findings.add(ProcessChecks.network());
        findings.add(ProcessChecks.hostPath(settings));
        return findings;
    }

    private List<Finding> pair() {
        try {
            HostAndPort master = HostAndPort.parse("--with", with, CommunicatorOptions.DEFAULT_PORT);
            return PairCheck.with(master, Secret.read(tokenFile));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** A bad value is no reason to say nothing: the check of the host path meets it too and names it. */
    private static Settings settings() {
        try {
            return Settings.fromEnvironment();
        } catch (InvalidCallException _) {
            return Settings.defaults();
        }
    }

    private static void print(PrintWriter out, Finding finding) {
        out.printf("%-4s  %-13s  %s%n", finding.level(), finding.subject(), finding.text());
        if (!finding.fix().isEmpty()) {
            out.printf("%-4s  %-13s  -> %s%n", "", "", finding.fix());
        }
    }

    private static String json(List<Finding> findings) {
        List<Object> list = new ArrayList<>();
        for (Finding finding : findings) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("level", finding.level().name());
            object.put("subject", finding.subject());
            object.put("text", finding.text());
            object.put("fix", finding.fix());
            list.add(object);
        }
        return Json.text(Map.of("findings", list));
    }
}
