package dev.mininccl.core.tcp;

import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;

/** TCP between any machines. */
public final class TcpTransportProvider implements TransportProvider {

    /** For {@link java.util.ServiceLoader}. */
    public TcpTransportProvider() {}

    @Override
    public String name() {
        return Medium.TCP.label();
    }

    @Override
    public int preference() {
        return 40;
    }

    @Override
    public Transport open(TransportContext context) throws TransportUnavailableException {
        return new SocketTransport(Medium.TCP, context, HostIdentity.ofThisProcess());
    }
}
