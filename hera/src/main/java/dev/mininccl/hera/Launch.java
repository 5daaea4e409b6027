package dev.mininccl.hera;

import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.InvalidCallException;
import java.util.Map;
import java.util.Optional;

/**
 * What a launcher told this process through its environment.
 *
 * <table>
 * <caption>In the order in which they are looked for</caption>
 * <tr><th>launcher</th><th>rank</th><th>size</th></tr>
 * <tr><td>torchrun and the like</td><td>{@code RANK}</td><td>{@code WORLD_SIZE}</td></tr>
 * <tr><td>Open MPI</td><td>{@code OMPI_COMM_WORLD_RANK}</td><td>{@code OMPI_COMM_WORLD_SIZE}</td></tr>
 * <tr><td>MPICH, Intel MPI, PMI</td><td>{@code PMI_RANK}</td><td>{@code PMI_SIZE}</td></tr>
 * <tr><td>Slurm</td><td>{@code SLURM_PROCID}</td><td>{@code SLURM_NTASKS}</td></tr>
 * <tr><td>Kubernetes indexed job</td><td>{@code JOB_COMPLETION_INDEX}</td><td>{@code WORLD_SIZE}, from the job's
 * {@code completions}</td></tr>
 * </table>
 *
 * <p>The master is at {@code MASTER_ADDR} and {@code MASTER_PORT} (9999 where unset). Without {@code MASTER_ADDR} it is on
 * the first host of a Slurm job, or else on this machine.
 *
 * @param rank this process's rank
 * @param size the number of ranks
 * @param host where the master is, or will be: the host of rank 0
 * @param port the master's port
 */
public record Launch(int rank, int size, String host, int port) {

    private static final String[][] LAUNCHERS = {
        {"RANK", "WORLD_SIZE"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_NTASKS"},
        {"JOB_COMPLETION_INDEX", "WORLD_SIZE"},
    };

    /**
     * Reads a process's environment.
     *
     * @param environment for example {@link System#getenv()}
     * @return empty where no launcher set both a rank and a size
     * @throws InvalidCallException if a value is no number or out of range; the message names the variable
     */
    public static Optional<Launch> fromEnvironment(Map<String, String> environment) {
        for (String[] names : LAUNCHERS) {
            if (environment.containsKey(names[0]) && environment.containsKey(names[1])) {
                int size = number(environment, names[1], 1, Integer.MAX_VALUE);
                int rank = number(environment, names[0], 0, size - 1);
                int port = environment.containsKey("MASTER_PORT")
                        ? number(environment, "MASTER_PORT", 1, 65535)
                        : CommunicatorOptions.DEFAULT_PORT;
                return Optional.of(new Launch(rank, size, host(environment), port));
            }
        }
        return Optional.empty();
    }

    private static String host(Map<String, String> environment) {
        String named = environment.getOrDefault("MASTER_ADDR", "");
        if (!named.isBlank()) {
            return named.strip();
        }
        String nodes =
                environment.getOrDefault("SLURM_STEP_NODELIST", environment.getOrDefault("SLURM_JOB_NODELIST", ""));
        return nodes.isBlank() || "1".equals(environment.get("SLURM_JOB_NUM_NODES"))
                ? "127.0.0.1"
                : firstNode(nodes.strip());
    }

    /** Of {@code gpu[03-07,12],login1} it is {@code gpu03}; in {@code rack[1-2]n[1-4]} it is {@code rack1n1}. */
    static String firstNode(String nodes) {
        StringBuilder first = new StringBuilder();
        boolean inBrackets = false;
        boolean taking = true;
        for (int i = 0; i < nodes.length(); i++) {
            char c = nodes.charAt(i);
            if (c == '[') {
                inBrackets = true;
            } else if (c == ']') {
                inBrackets = false;
                taking = true;
            } else if (inBrackets && (c == ',' || c == '-')) {
                taking = false;
            } else if (c == ',') {
                break;
            } else if (taking) {
                first.append(c);
            }
        }
        return first.toString();
    }

    private static int number(Map<String, String> environment, String name, int least, int most) {
        String text = environment.get(name).strip();
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new InvalidCallException(name + "=" + text + ": must be a number from " + least + " to " + most);
    }
}
