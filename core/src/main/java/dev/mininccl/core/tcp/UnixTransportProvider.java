package dev.mininccl.core.tcp;

import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;

/** Unix-domain sockets inside a machine, for where shared memory is closed. */
public final class UnixTransportProvider implements TransportProvider {

    /** For {@link java.util.ServiceLoader}. */
    public UnixTransportProvider() {}

    @Override
    public String name() {
        return Medium.UNIX.label();
    }

    @Override
    public int preference() {
        return 35;
    }

    @Override
    public Transport open(TransportContext context) throws TransportUnavailableException {
        return new SocketTransport(Medium.UNIX, context, HostIdentity.ofThisProcess());
    }
}
