package dev.mininccl.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** Checks of this machine. */
final class MachineChecks {

    private static final long MIB = 1 << 20;

    /** What two ranks with a channel each, 4 slots of 128 KiB and some registered buffers want. */
    private static final long ROOMY = 64 * MIB;

    private final SystemFiles files;

    MachineChecks(SystemFiles files) {
        this.files = files;
    }

    Finding cpu() {
        List<String> lines = files.lines("proc/cpuinfo");
        String model = value(lines, "model name", "unknown processor");
        String flags = " " + value(lines, "flags", "") + " ";
        String vectors = flags.contains(" avx512f ") ? "AVX-512" : flags.contains(" avx2 ") ? "AVX2" : "no AVX2";
        int cores = Runtime.getRuntime().availableProcessors();
        String text = model + ", " + cores + " usable core(s), " + vectors;
        return cores >= 2
                ? Finding.ok("cpu", text)
                : Finding.warn("cpu", text, "ranks that wait share one core: give the process or container 2 or more");
    }

    Finding numa() {
        long nodes = files.count("sys/devices/system/node", "node\\d+");
        return Finding.ok("numa", nodes <= 1 ? "1 node" : nodes + " nodes: keep ranks that share buffers on one");
    }

    Finding sharedMemory() {
        String fix = "ranks of one machine fall back to TCP; in Docker start the container with --shm-size=1g";
        try {
            long free = Files.getFileStore(files.path("dev/shm")).getUsableSpace();
            String text = "/dev/shm has " + free / MIB + " MiB free";
            if (!Files.isWritable(files.path("dev/shm"))) {
                return Finding.warn("shared memory", "/dev/shm cannot be written", fix);
            }
            return free >= ROOMY
                    ? Finding.ok("shared memory", text)
                    : Finding.warn("shared memory", text + ", wanted are " + ROOMY / MIB, fix);
        } catch (IOException e) {
            return Finding.warn("shared memory", "there is no /dev/shm", fix);
        }
    }

    /** Single-copy reads need ptrace rights between the ranks. */
    Finding crossMemory() {
        String scope = files.line("proc/sys/kernel/yama/ptrace_scope").orElse("0");
        return scope.equals("0")
                ? Finding.ok("cross memory", "a rank may read a peer's memory (process_vm_readv)")
                : Finding.warn(
                        "cross memory",
                        "kernel.yama.ptrace_scope is " + scope + ": middle-sized messages are copied twice",
                        "sysctl kernel.yama.ptrace_scope=0, or in a container --cap-add=SYS_PTRACE");
    }

    Finding lockedMemory() {
        String limit = files.lines("proc/self/limits").stream()
                .filter(line -> line.startsWith("Max locked memory"))
                .map(line -> line.replaceAll("Max locked memory\\s+(\\S+).*", "$1"))
                .findFirst()
                .orElse("unknown");
        boolean enough = limit.equals("unlimited") || limit.matches("\\d{11,}");
        String text = limit.matches("\\d+") ? Long.parseLong(limit) / MIB + " MiB may be locked" : limit;
        return enough
                ? Finding.ok("locked memory", text)
                : Finding.warn(
                        "locked memory",
                        text + ": RDMA cannot register large buffers",
                        "ulimit -l unlimited, or memlock in /etc/security/limits.conf; in Docker --ulimit memlock=-1");
    }

    private static String value(List<String> lines, String key, String otherwise) {
        return lines.stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(otherwise);
    }
}
