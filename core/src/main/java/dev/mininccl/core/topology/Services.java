package dev.mininccl.core.topology;

import dev.mininccl.core.spi.BootstrapProvider;
import dev.mininccl.core.spi.TransportProvider;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Finds providers in the library's own module layer, or beside its own classes: the caller's class loader and the
 * thread's context class loader play no part, since calls may come from threads of foreign programs.
 */
public final class Services {

    private Services() {}

    /** All transports, in the order in which they are tried. */
    public static List<TransportProvider> transports() {
        ModuleLayer layer = Services.class.getModule().getLayer();
        ServiceLoader<TransportProvider> loader = layer != null
                ? ServiceLoader.load(layer, TransportProvider.class)
                : ServiceLoader.load(TransportProvider.class, Services.class.getClassLoader());
        return loader.stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(TransportProvider::preference).thenComparing(TransportProvider::name))
                .toList();
    }

    /** All control planes, by name. */
    public static List<BootstrapProvider> bootstraps() {
        ModuleLayer layer = Services.class.getModule().getLayer();
        ServiceLoader<BootstrapProvider> loader = layer != null
                ? ServiceLoader.load(layer, BootstrapProvider.class)
                : ServiceLoader.load(BootstrapProvider.class, Services.class.getClassLoader());
        return loader.stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparing(BootstrapProvider::name))
                .toList();
    }
}
