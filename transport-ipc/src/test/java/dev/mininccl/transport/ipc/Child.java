package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.NativeAccess;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rank 1 in a process of its own, which meets rank 0 over its standard input and output. */
final class Child {

    /** What rank 0 finds in this process's memory. */
    static final long PROOF = 0x5eed;

    private static final Settings SETTINGS = Settings.defaults();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Child() {}

    /** The folder, then what to do: one of the names below, or samples and turns to exchange for each size. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        try (Arena arena = Arena.ofShared();
                Transport transport = open(1, folder, arena)) {
            if (arguments[1].equals("maker")) {
                SharedFile.create(SharedFolder.open(folder).freshFile(), SharedFile.PAGE_BYTES, 0);
                Runtime.getRuntime().halt(0);
            }
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            System.out.println(meet(transport, 1, in, System.out));
            Link link = transport.link(0, 0);
            switch (arguments[1]) {
                case "hang" -> Thread.sleep(LIMIT);
                case "reference" -> offerProofByReference(link, arena);
                default -> exchange(link, arena, transport, arguments);
            }
        }
    }

    private static void offerProofByReference(Link link, Arena arena) throws InterruptedException {
        long proof = arena.allocate(Long.BYTES, Long.BYTES).address();
        NativeMemory.putLong(proof, PROOF);
        link.send().offerReference(proof, Long.BYTES, 1);
        Thread.sleep(LIMIT);
    }

    private static void exchange(Link link, Arena arena, Transport transport, String[] arguments) {
        transport.settled();
        for (int bytes : PingPong.SIZES) {
            PingPong.run(link, arena, bytes, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        }
    }

    static Transport open(int rank, Path folder, Arena arena) throws Exception {
        TransportContext context = new TransportContext(rank, 2, 1, SETTINGS, new AbortFlag(arena));
        return new ShmTransportProvider(folder).open(context);
    }

    /** Exchanges addresses by lines of text, and attaches. */
    static String meet(Transport transport, int rank, BufferedReader in, PrintStream out) throws IOException {
        out.println(HexFormat.of().formatHex(transport.address()));
        out.flush();
        byte[] other = HexFormat.of().parseHex(in.readLine());
        List<byte[]> addresses = rank == 0 ? List.of(transport.address(), other) : List.of(other, transport.address());
        return Pair.attach(transport, 1 - rank, addresses, Deadline.after(LIMIT));
    }

    /** Starts rank 1 with the classes of this process. */
    static Process start(Path folder, String... what) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = Stream.of(Child.class, ShmTransport.class, Link.class, NativeAccess.class)
                .map(Child::root)
                .collect(Collectors.joining(":"));
        List<String> command = new ArrayList<>(List.of(java, "--enable-native-access=ALL-UNNAMED", "-cp", classes));
        command.addAll(List.of(Child.class.getName(), folder.toString()));
        command.addAll(List.of(what));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The folder or jar that holds a class. */
    private static String root(Class<?> type) {
        String resource = type.getName().replace('.', '/') + ".class";
        String url = String.valueOf(type.getResource("/" + resource));
        try {
            String path = url.startsWith("jar:") ? url.substring(4, url.indexOf("!/")) : url.replace(resource, "");
            return Path.of(new URI(path)).toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(url, e);
        }
    }
}
