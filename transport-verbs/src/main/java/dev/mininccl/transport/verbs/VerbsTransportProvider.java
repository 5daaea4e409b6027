package dev.mininccl.transport.verbs;

import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;

/** Provides lanes over RDMA: InfiniBand, RoCE and Soft-RoCE. */
public final class VerbsTransportProvider implements TransportProvider {

    /** For {@link java.util.ServiceLoader}. */
    public VerbsTransportProvider() {}

    @Override
    public String name() {
        return VerbsTransport.NAME;
    }

    @Override
    public int preference() {
        return 30;
    }

    @Override
    public Transport open(TransportContext context) throws TransportUnavailableException {
        return VerbsTransport.open(context);
    }
}
