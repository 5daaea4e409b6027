package dev.mininccl.chaos;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A process that plays the ranks of one game after the other, as it is told on its standard input. */
final class Worker {

    private static final List<String> KINDS = List.of("socket:", "anon_inode:[event", "/dev/shm/mini-nccl");
    private static final int SETTLE_MILLIS = 4000;

    private Worker() {}

    /** Reads lines {@code SEED PORT PROCESS}; answers with what its ranks reached, how they ended, and what is left. */
    public static void main(String[] args) throws Exception {
        openWhatTheJvmKeeps();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            play(Game.of(Long.parseLong(words[0])), Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        }
    }

    /** A descriptor that it needs to close others. */
    private static void openWhatTheJvmKeeps() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            client.shutdownOutput();
            accepted.shutdownOutput();
        }
    }

    private static void play(Game game, int port, int process) throws Exception {
        int before = descriptors();
        List<Communicator> local =
                game.transport().equals("local") ? Communicator.local(game.ranks(), game.settings()) : List.of();
        List<Thread> threads = new ArrayList<>();
        for (int rank = process; rank < game.ranks(); rank += game.processes()) {
            int mine = rank;
            Supplier<Communicator> join = () -> local.isEmpty() ? join(game, mine, port) : local.get(mine);
            Player player = new Player(game, rank, join, step -> {
                if (mine == game.victim() && step == game.when()) {
                    say("at");
                }
            });
            threads.add(Thread.ofPlatform().name("chaos-rank-" + rank).start(() -> tell(player.play())));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        say("left " + left(before));
        say("done");
    }

    private static Communicator join(Game game, int rank, int port) {
        CommunicatorOptions.Builder options = CommunicatorOptions.builder()
                .rank(rank)
                .size(game.ranks())
                .master("127.0.0.1", port)
                .embedMaster(game.fault() != Game.Fault.MASTER);
        game.settings().forEach(options::set);
        return Communicator.join(options.build());
    }

    private static void tell(Player.Outcome outcome) {
        say("rank " + outcome.rank() + " " + outcome.kind() + " " + outcome.step() + " " + outcome.atMillis() + " "
                + outcome.words());
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    /** Threads, descriptors and mappings of communicators that are still there after a while; empty if none. */
    private static String left(int before) throws Exception {
        String found = "";
        for (int waited = 0; waited < SETTLE_MILLIS; waited += 20) {
            found = found(before);
            if (found.isEmpty()) {
                return "";
            }
            Thread.sleep(20);
        }
        return found;
    }

    private static String found(int before) throws IOException {
        List<String> found = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("mininccl") || thread.getName().startsWith("hera")) {
                found.add("thread " + thread.getName());
            }
        }
        int now = descriptors();
        if (now > before) {
            found.add(now - before + " descriptors");
        }
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            maps.filter(line -> line.contains("/mini-nccl")).forEach(line -> found.add("mapping " + line));
        }
        return String.join("; ", found);
    }

    private static int descriptors() throws IOException {
        int count = 0;
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path one : all.toList()) {
                try {
                    String target = Files.readSymbolicLink(one).toString();
                    count += KINDS.stream().anyMatch(target::startsWith) ? 1 : 0;
                } catch (IOException e) {
                    // It was the one of the listing itself.
                }
            }
        }
        return count;
    }
}
