package dev.mininccl.core.spi;

/** Creates {@link Transport}s; found with {@link java.util.ServiceLoader}. */
public interface TransportProvider {

    /**
     * The transport's name as on the command line: {@code local}, {@code p2p}, {@code shm}, {@code verbs}, {@code unix},
     * {@code tcp}.
     *
     * @return lower case, unique
     */
    String name();

    /**
     * Where the transport stands in the order in which they are tried; lower first. local 0, p2p 10, shm 20, verbs 30,
     * unix 35, tcp 40.
     *
     * @return the place
     */
    int preference();

    /**
     * Takes what the transport needs on this machine, before any peer is known.
     *
     * @param context the communicator it will serve
     * @return the transport, to be closed by the caller
     * @throws TransportUnavailableException where this machine lacks something; the message says what and how to get it
     */
    Transport open(TransportContext context) throws TransportUnavailableException;
}
