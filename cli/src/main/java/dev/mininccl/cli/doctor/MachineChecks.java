package dev.mininccl.cli.doctor;

import dev.mininccl.bindings.NativeUnavailableException;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ProcessVm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/** Checks of this machine. */
final class MachineChecks {

    private static final long MIB = 1 << 20;

    /** What two ranks with a channel each, 4 slots of 128 KiB and some registered buffers want. */
    private static final long ROOMY = 64 * MIB;

    /** Below this a rank's JVM itself hardly fits. */
    private static final long LEAST_MEMORY = 256 * MIB;

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
    private static final int CAP_SYS_PTRACE = 19;

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
        OptionalDouble quota = new Cgroup(files).processors();
        String text = model + ", " + cores + " usable core(s), " + vectors
                + (quota.isPresent() ? ", quota of " + quota.getAsDouble() + " core(s)" : "");
        if (cores < 2) {
            return Finding.warn(
                    "cpu",
                    text,
                    "ranks that wait share one core: give the process or container 2 or more (Docker --cpus,"
                            + " Kubernetes limits.cpu, taskset)");
        }
        if (quota.orElse(cores) < cores) {
            return Finding.warn(
                    "cpu",
                    text,
                    "ranks that wait use their quota up and then stand still, up to 100 ms each time: run at most "
                            + Math.max(1, (int) quota.getAsDouble()) + " ranks here, or give a whole number of cores");
        }
        return Finding.ok("cpu", text);
    }

    /** Heap, slots and buffers of a rank want some hundred MiB; the JVM takes a quarter of what it sees as heap. */
    Finding memory() {
        long limit = new Cgroup(files).memory().orElse(Long.MAX_VALUE);
        long heap = Runtime.getRuntime().maxMemory();
        String text = "heap of at most " + heap / MIB + " MiB"
                + (limit < Long.MAX_VALUE ? ", container limit of " + limit / MIB + " MiB" : "");
        return limit < LEAST_MEMORY
                ? Finding.warn(
                        "memory",
                        text,
                        "a rank may be killed for want of memory: allow 256 MiB for each, and what its buffers take")
                : Finding.ok("memory", text);
    }

    Finding numa() {
        long nodes = files.count("sys/devices/system/node", "node\\d+");
        return Finding.ok("numa", nodes <= 1 ? "1 node" : nodes + " nodes: keep ranks that share buffers on one");
    }

    Finding sharedMemory() {
        String subject = "shared memory";
        String fix = "ranks of one machine then use sockets, several times slower; in Docker start the container with"
                + " --shm-size=1g, in Kubernetes mount an emptyDir of medium Memory at /dev/shm";
        try {
            Path folder = files.path("dev/shm");
            FileStore store = Files.getFileStore(folder);
            long free = store.getUsableSpace();
            String text = "/dev/shm has " + free / MIB + " MiB free";
            if (store.isReadOnly() || !Files.isWritable(folder)) {
                return Finding.warn(subject, "/dev/shm cannot be written", fix);
            }
            if (free < ROOMY) {
                return Finding.warn(subject, text + ", wanted are " + ROOMY / MIB, fix);
            }
            return IN_MEMORY.contains(store.type())
                    ? Finding.ok(subject, text)
                    : Finding.warn(
                            subject,
                            text + ", but is no tmpfs: its file system, " + store.type() + ", writes slots to disk",
                            "mount -t tmpfs tmpfs /dev/shm");
        } catch (IOException e) {
            return Finding.warn(subject, "there is no /dev/shm", fix);
        }
    }

    /** Single-copy reads need ptrace rights between the ranks, and a system call that containers may forbid. */
    Finding crossMemory() {
        String subject = "cross memory";
        String twice = ": large messages are copied twice";
        String refusal = refusal();
        if (!refusal.isEmpty()) {
            return Finding.warn(
                    subject,
                    "process_vm_readv is refused even within this process, " + refusal + twice,
                    "a seccomp profile does this; in Docker --cap-add=SYS_PTRACE or a profile that allows it");
        }
        // 0: processes of one user; 1: those that were allowed, as ranks allow each other; 2: with CAP_SYS_PTRACE; 3:
        // none.
        String scope = files.line("proc/sys/kernel/yama/ptrace_scope").orElse("0");
        return scope.equals("3") || (scope.equals("2") && !mayTrace())
                ? Finding.warn(
                        subject,
                        "kernel.yama.ptrace_scope is " + scope + twice,
                        "sysctl kernel.yama.ptrace_scope=1" + (scope.equals("3") ? " after a reboot" : "")
                                + ", or in a container --cap-add=SYS_PTRACE")
                : Finding.ok(subject, "a rank may read the memory of a peer of its user (process_vm_readv)");
    }

    private static String refusal() {
        try (Arena arena = Arena.ofConfined()) {
            long from = arena.allocate(Long.BYTES).address();
            long to = arena.allocate(Long.BYTES).address();
            int self = Math.toIntExact(ProcessHandle.current().pid());
            long read = new ProcessVm().read(self, from, to, Long.BYTES);
            return read < 0 ? Errno.describe((int) -read) : "";
        } catch (NativeUnavailableException e) {
            return e.getMessage();
        }
    }

    private boolean mayTrace() {
        String effective = value(files.lines("proc/self/status"), "CapEff", "0");
        return (Long.parseUnsignedLong(effective, 16) & (1L << CAP_SYS_PTRACE)) != 0;
    }

    /** Only RDMA locks memory by this limit. */
    Finding lockedMemory() {
        String limit = files.lines("proc/self/limits").stream()
                .filter(line -> line.startsWith("Max locked memory"))
                .map(line -> line.replaceAll("Max locked memory\\s+(\\S+).*", "$1"))
                .findFirst()
                .orElse("unknown");
        boolean enough = limit.equals("unlimited") || limit.matches("\\d{11,}");
        String text = limit.matches("\\d+") ? Long.parseLong(limit) / MIB + " MiB may be locked" : limit;
        if (!enough && files.names("sys/class/infiniband").isEmpty()) {
            return Finding.ok("locked memory", text + ", which only RDMA needs");
        }
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
