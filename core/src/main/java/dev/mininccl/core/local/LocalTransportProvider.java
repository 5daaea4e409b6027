package dev.mininccl.core.local;

import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;

/** Provides lanes between ranks that are threads of one process. */
public final class LocalTransportProvider implements TransportProvider {

    /** For {@link java.util.ServiceLoader}. */
    public LocalTransportProvider() {}

    @Override
    public String name() {
        return LocalTransport.NAME;
    }

    @Override
    public int preference() {
        return 0;
    }

    @Override
    public Transport open(TransportContext context) {
        return new LocalTransport(context);
    }
}
