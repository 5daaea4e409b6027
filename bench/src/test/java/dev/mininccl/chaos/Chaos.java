package dev.mininccl.chaos;

import dev.mininccl.chaos.Game.Fault;
import dev.mininccl.hera.HeraMaster;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Plays games of chaos and judges them: results are right, or every surviving rank has an exception in time, with the same reason;
 * nothing is left behind; nothing hangs. By hand: {@code java -cp ... dev.mininccl.chaos.Chaos SEED SECONDS}, or with 0 seconds for
 * the one game of that seed. Some faults need root or the tools {@code ss} and {@code kill}; in {@code unshare -n}, with rules of nft
 * that drop packets, it is a lossy network.
 */
final class Chaos implements AutoCloseable {

    private static final int LIMIT_MILLIS = 30_000;

    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Map<Fault, Integer> played = new EnumMap<>(Fault.class);
    private final Map<Fault, Long> slowest = new EnumMap<>(Fault.class);
    private final List<String> defects = new ArrayList<>();
    private final boolean talks;

    Chaos(boolean talks) {
        this.talks = talks;
    }

    /** Plays games of seeds that follow from the given one, until the time is over; 0 for the one game of the seed. */
    List<String> play(long seed, Duration time) throws IOException, InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        Random seeds = new Random(seed);
        do {
            play(Game.of(time.isZero() ? seed : seeds.nextLong()));
        } while (System.nanoTime() < end);
        return defects;
    }

    /** What was played, and how long the slowest rank took to notice. */
    String summary() {
        return "played " + played + ", slowest rank to notice (ms) " + slowest + ", defects " + defects.size();
    }

    private void play(Game game) throws IOException, InterruptedException {
        if (talks) {
            System.out.println(game);
        }
        List<WorkerProcess> team = team(game.processes());
        int port = freePort();
        HeraMaster master = game.fault() == Fault.MASTER
                ? HeraMaster.start(
                        HeraMaster.Options.ofWorld(game.ranks()).withPort(port).withLinger(Duration.ZERO))
                : null;
        try {
            for (int i = 0; i < team.size(); i++) {
                team.get(i).play(game, port, i);
            }
            new Round(game, team, master, port).judge();
        } finally {
            if (master != null) {
                master.close();
            }
        }
        played.merge(game.fault(), 1, Integer::sum);
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    private List<WorkerProcess> team(int size) throws IOException {
        workers.removeIf(worker -> !worker.alive());
        while (workers.size() < size) {
            workers.add(new WorkerProcess());
        }
        return List.copyOf(workers.subList(0, size));
    }

    /** One game under way. */
    private final class Round {

        private final Game game;
        private final List<WorkerProcess> team;
        private final HeraMaster master;
        private final int port;
        private final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);
        private final List<String> outcomes = new ArrayList<>();
        private final List<List<String>> saidByWorker = new ArrayList<>();
        private long firedMillis;

        Round(Game game, List<WorkerProcess> team, HeraMaster master, int port) {
            this.port = port;
            this.game = game;
            this.team = team;
            this.master = master;
            team.forEach(worker -> saidByWorker.add(new ArrayList<>()));
        }

        void judge() throws InterruptedException, IOException {
            WorkerProcess victim = team.get(game.processOf(game.victim()));
            if (game.when() >= 0) {
                awaitVictim(victim);
            }
            LockSupport.parkNanos(game.delayMicros() * 1000L);
            fire(victim);
            for (int i = 0; i < team.size(); i++) {
                collect(i);
            }
            reasons();
            folder();
        }

        /** Until it has come to the fault's step, or ended before. */
        private void awaitVictim(WorkerProcess victim) throws InterruptedException {
            List<String> said = saidByWorker.get(team.indexOf(victim));
            while (true) {
                String line = victim.next(left());
                if (line == null) {
                    return;
                }
                if (line.equals("at")) {
                    return;
                }
                said.add(line);
                if (line.equals("done") || line.equals(WorkerProcess.GONE)) {
                    return;
                }
            }
        }

        private void fire(WorkerProcess victim) {
            firedMillis = System.currentTimeMillis();
            switch (game.fault()) {
                case KILL -> victim.signal("KILL");
                case PAUSE -> stop(victim, 400 + Math.floorMod(game.seed(), 800));
                case FREEZE -> stop(victim, 4000);
                case RESET -> reset(victim);
                case MASTER -> master.close();
                default -> {
                    // Its rank's own business.
                }
            }
        }

        private void stop(WorkerProcess victim, long millis) {
            victim.signal("STOP");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            victim.signal("CONT");
        }

        /** All of the process's connections but those to the master, which would be another fault. */
        private void reset(WorkerProcess victim) {
            shell("ss -Htnp state established | grep 'pid=" + victim.pid() + ",' | grep -v ':" + port
                    + " ' | awk '{print $3, $4}' | while read a b; do ss -K -tn \"( sport = :${a##*:} and dport = :${b##*:} )\";"
                    + " done >/dev/null 2>&1");
        }

        private long left() {
            return TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }

        private void collect(int i) throws InterruptedException {
            WorkerProcess worker = team.get(i);
            List<String> said = saidByWorker.get(i);
            while (!said.contains("done") && !said.contains(WorkerProcess.GONE)) {
                String line = worker.next(left());
                if (line == null) {
                    defect("HANG of process " + i + ", which said " + said + stacks());
                    team.forEach(WorkerProcess::close);
                    return;
                }
                said.add(line);
            }
            boolean killed = game.fault() == Fault.KILL && i == game.processOf(game.victim());
            if (killed) {
                worker.close();
            }
            if (said.contains(WorkerProcess.GONE) && !killed) {
                defect("process " + i + " ended by itself; it said " + said);
            }
            for (String line : said) {
                if (line.startsWith("left ") && line.length() > 5) {
                    defect("process " + i + ": " + line);
                    worker.close();
                }
                if (line.startsWith("rank ")) {
                    outcomes.add(line);
                }
            }
        }

        private String stacks() {
            StringBuilder text = new StringBuilder();
            for (WorkerProcess worker : team) {
                text.append('\n').append(shell("timeout 5 jstack " + worker.pid() + " | grep -v '^$'"));
            }
            return text.toString();
        }

        private void reasons() {
            TreeSet<String> words = new TreeSet<>();
            for (String line : outcomes) {
                String[] parts = line.split(" ", 6);
                switch (parts[2]) {
                    case "defect" -> defect(line);
                    case "failed" -> {
                        if (game.fault() != Fault.FREEZE
                                || game.processOf(Integer.parseInt(parts[1])) != game.processOf(game.victim())) {
                            words.add(parts[5]);
                        }
                        if (game.fault().harmless()) {
                            defect("nobody did any harm, but: " + line);
                        }
                        slowest.merge(game.fault(), Long.parseLong(parts[4]) - firedMillis, Math::max);
                    }
                    default -> {
                        // It got through.
                    }
                }
            }
            words.remove("the communicator is closed");
            if (words.size() > 1) {
                defect("ranks give different reasons:\n    " + String.join("\n    ", outcomes));
            }
            if (talks) {
                words.forEach(word -> System.out.println("    " + word));
            }
        }

        /** Names go once all have mapped the files; those of a process that died while they met stay until somebody joins. */
        private void folder() throws IOException {
            try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.startsWith("mini-nccl-"))
                        .filter(name -> team.stream()
                                .anyMatch(worker -> worker.alive() && name.contains("-" + worker.pid() + "-")))
                        .forEach(name -> defect("left in /dev/shm: " + name));
            }
        }

        private void defect(String what) {
            String text = "DEFECT " + game + "\n  " + what;
            defects.add(text);
            System.out.println(text);
        }
    }

    /** What a command prints. */
    static String shell(String command) {
        try {
            Process process = new ProcessBuilder("sh", "-c", command)
                    .redirectErrorStream(true)
                    .start();
            String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            process.waitFor();
            return text;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(command, e);
        }
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }

    /** The seed, and for how many seconds; 0 for the one game of that seed. */
    public static void main(String[] args) throws Exception {
        try (Chaos chaos = new Chaos(true)) {
            List<String> defects = chaos.play(Long.parseLong(args[0]), Duration.ofSeconds(Long.parseLong(args[1])));
            System.out.println("seed " + args[0] + ": " + chaos.summary());
            if (!defects.isEmpty()) {
                throw new AssertionError(defects.size() + " defects");
            }
        }
    }
}
