package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import java.nio.file.Path;

/** What a measuring or checking rank has: its place among the others, a device, a stream, two buffers, two events. */
final class Rank implements AutoCloseable {
    final FileBootstrap bootstrap;
    final CudaContext context;
    final long stream;
    long input;
    long output;
    private final long ownInput;
    private final long ownOutput;
    final long bytes;
    final long begin;
    final long end;

    Rank(Path file, int rank, int size, int ordinal, long bytes) {
        bootstrap = new FileBootstrap(file, rank, size);
        CudaDriver.start().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        context = CudaContext.retain(new CudaDevice(ordinal));
        context.enter();
        stream = CudaStream.create();
        this.bytes = bytes;
        ownInput = CudaMemory.allocate(bytes);
        ownOutput = CudaMemory.allocate(bytes);
        input = ownInput;
        output = ownOutput;
        begin = CudaEvent.create(true);
        end = CudaEvent.create(true);
    }

    boolean first() {
        return bootstrap.rank() == 0;
    }

    void say(String format, Object... arguments) {
        if (first()) {
            System.out.printf(format + "%n", arguments);
            System.out.flush();
        }
    }

    @Override
    public void close() {
        CudaEvent.destroy(begin);
        CudaEvent.destroy(end);
        CudaMemory.free(ownInput);
        CudaMemory.free(ownOutput);
        CudaStream.destroy(stream);
        context.leave();
        context.close();
    }
}
