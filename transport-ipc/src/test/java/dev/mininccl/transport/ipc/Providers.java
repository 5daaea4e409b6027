package dev.mininccl.transport.ipc;

import dev.mininccl.core.spi.TransportProvider;
import java.util.ServiceLoader;

/** The transports whose lanes are slots in memory, found as a communicator finds them. */
final class Providers {

    private Providers() {}

    static TransportProvider named(String name) {
        Providers.class.getModule().addUses(TransportProvider.class);
        return ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
