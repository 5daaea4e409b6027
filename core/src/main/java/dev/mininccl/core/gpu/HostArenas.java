package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaHostMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Arenas in files under /dev/shm that every rank maps and registers with CUDA. The context must be current. */
final class HostArenas implements Arenas {
    private static final Path SHM = Path.of("/dev/shm");
    private static final int ZEROS = 1 << 20;

    private final Arena mappings = Arena.ofShared();
    private final int rank;
    private final long bytes;
    private final Path file;
    private final long[] addresses;
    private final List<Long> registered = new ArrayList<>();

    private HostArenas(int rank, int ranks, long bytes) {
        this.rank = rank;
        this.bytes = bytes;
        file = SHM.resolve("mininccl-" + Long.toHexString(new SecureRandom().nextLong()) + "-" + rank);
        addresses = new long[ranks];
    }

    /** Creates this rank's arena, zeroed, which also makes sure that /dev/shm has room for it. */
    static HostArenas create(int rank, int ranks, long bytes) throws IOException {
        HostArenas arenas = new HostArenas(rank, ranks, bytes);
        try {
            arenas.fill();
            return arenas;
        } catch (IOException e) {
            arenas.close();
            throw new IOException(
                    "no " + (bytes >> 20) + " MiB for slots in /dev/shm (" + e.getMessage()
                            + "); in a container give it more, for example with --shm-size=1g",
                    e);
        }
    }

    private void fill() throws IOException {
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.createFile(file, owner);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
            for (long left = bytes; left > 0; ) {
                zeros.clear().limit((int) Math.min(left, ZEROS));
                left -= channel.write(zeros);
            }
        }
        map(rank, card());
    }

    byte[] card() {
        return file.toString().getBytes(StandardCharsets.UTF_8);
    }

    void map(int peer, byte[] card) throws IOException {
        Path path = Path.of(new String(card, StandardCharsets.UTF_8));
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, bytes, mappings);
            CudaHostMemory.register(memory.address(), bytes);
            registered.add(memory.address());
            addresses[peer] = CudaHostMemory.deviceAddress(memory.address());
        }
    }

    @Override
    public long[] deviceAddresses() {
        return addresses;
    }

    @Override
    public void settled() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        registered.forEach(CudaHostMemory::unregister);
        registered.clear();
        file.toFile().delete();
        mappings.close();
    }
}
