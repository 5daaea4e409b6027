package dev.mininccl.transport.ipc;

import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.nio.file.Path;

/** Provides lanes through shared host memory between processes of one machine. */
public final class ShmTransportProvider implements TransportProvider {

    private final Path folder;

    /** For {@link java.util.ServiceLoader}: files lie below {@code /dev/shm}. */
    public ShmTransportProvider() {
        this(SharedFolder.DEFAULT);
    }

    /** Files lie in another folder, for tests. */
    ShmTransportProvider(Path folder) {
        this.folder = folder;
    }

    @Override
    public String name() {
        return ShmTransport.NAME;
    }

    @Override
    public int preference() {
        return 20;
    }

    @Override
    public Transport open(TransportContext context) throws TransportUnavailableException {
        return new ShmTransport(context, SharedFolder.open(folder));
    }
}
