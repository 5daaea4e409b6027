package dev.mininccl.core.topology;

import dev.mininccl.core.spi.BootstrapProvider;
import dev.mininccl.core.spi.TransportProvider;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds providers in the library's own module layer, or beside its own classes: the caller's class loader and the
 * thread's context class loader play no part, since calls may come from threads of foreign programs. A provider that
 * cannot be made is left out with a warning; the others still serve.
 */
public final class Services {

    /** A loader that fails again and again has no more to give. */
    private static final int MOST_FAILURES = 16;

    private static final System.Logger LOG = System.getLogger("mininccl.topology");

    private Services() {}

    /** All transports, in the order in which they are tried. */
    public static List<TransportProvider> transports() {
        ModuleLayer layer = Services.class.getModule().getLayer();
        ServiceLoader<TransportProvider> loader = layer != null
                ? ServiceLoader.load(layer, TransportProvider.class)
                : ServiceLoader.load(TransportProvider.class, Services.class.getClassLoader());
        return sorted(
                loader.iterator(),
                Comparator.comparingInt(TransportProvider::preference).thenComparing(TransportProvider::name));
    }

    /** All control planes, by name. */
    public static List<BootstrapProvider> bootstraps() {
        ModuleLayer layer = Services.class.getModule().getLayer();
        ServiceLoader<BootstrapProvider> loader = layer != null
                ? ServiceLoader.load(layer, BootstrapProvider.class)
                : ServiceLoader.load(BootstrapProvider.class, Services.class.getClassLoader());
        return sorted(loader.iterator(), Comparator.comparing(BootstrapProvider::name));
    }

    static <P> List<P> sorted(Iterator<P> providers, Comparator<P> order) {
        List<P> found = new ArrayList<>();
        for (int failures = 0; failures < MOST_FAILURES; ) {
            try {
                if (!providers.hasNext()) {
                    break;
                }
                found.add(providers.next());
            } catch (ServiceConfigurationError e) {
                failures++;
                LOG.log(Level.WARNING, "a provider is left out: {0}", e.getMessage());
            }
        }
        found.sort(order);
        return List.copyOf(found);
    }
}
