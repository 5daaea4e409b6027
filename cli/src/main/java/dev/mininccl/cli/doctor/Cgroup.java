package dev.mininccl.cli.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a container, or systemd, allows this process: the tightest limit of its control group and those above, version 1 or 2. */
final class Cgroup {

    private static final String MOUNT = "sys/fs/cgroup";
    private static final Pattern QUOTA = Pattern.compile("(\\d+) (\\d+)");

    private final SystemFiles files;

    Cgroup(SystemFiles files) {
        this.files = files;
    }

    /** Processors' worth of time; empty where there is no quota. */
    OptionalDouble processors() {
        return Stream.concat(
                        limits(
                                "",
                                folder -> quota(files.line(folder + "/cpu.max").orElse("max"))),
                        limits(
                                "cpu",
                                folder -> quota(
                                        files.line(folder + "/cpu.cfs_quota_us").orElse("-1") + " "
                                                + files.line(folder + "/cpu.cfs_period_us")
                                                        .orElse("100000"))))
                .mapToDouble(Double::doubleValue)
                .min();
    }

    /** Bytes of memory; empty where there is no limit but the machine's. */
    OptionalLong memory() {
        return Stream.concat(
                        limits("", folder -> bytes(folder + "/memory.max")),
                        limits("memory", folder -> bytes(folder + "/memory.limit_in_bytes")))
                .mapToLong(Long::longValue)
                .min();
    }

    /** {@code 50000 100000}, or {@code max 100000}, or {@code -1 100000}. */
    private static Optional<Double> quota(String line) {
        Matcher quota = QUOTA.matcher(line);
        return quota.matches()
                ? Optional.of(Double.parseDouble(quota.group(1)) / Double.parseDouble(quota.group(2)))
                : Optional.empty();
    }

    /** Version 1 says a number near the largest where version 2 says max. */
    private Optional<Long> bytes(String file) {
        return files.line(file).filter(line -> line.matches("\\d{1,18}")).map(Long::parseLong);
    }

    /** Asks every group from this process's upwards; a container may see its own as the root. */
    private <T> Stream<T> limits(String controller, Function<String, Optional<T>> limit) {
        Path mount = Path.of(MOUNT, controller);
        Path group = mount.resolve(group(controller)).normalize();
        return Stream.iterate(group, each -> each != null && each.startsWith(mount), Path::getParent)
                .flatMap(each -> limit.apply(each.toString()).stream());
    }

    /** Of a line {@code 4:cpu,cpuacct:/docker/1f}, or in version 2 {@code 0::/user.slice}. */
    private String group(String controller) {
        return files.lines("proc/self/cgroup").stream()
                .map(line -> line.split(":", 3))
                .filter(parts ->
                        parts.length == 3 && List.of(parts[1].split(",", -1)).contains(controller))
                .map(parts -> parts[2].replaceFirst("^[/.]+", ""))
                .findFirst()
                .orElse("");
    }
}
