package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaModule;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The kernels of one device, compiled by the driver when first asked for. All communicators of the process share them: a module
 * that is loaded while a kernel of the same context waits for a peer could wait for that kernel.
 */
final class KernelStore {
    private static final Map<CudaDevice, KernelStore> STORES = new HashMap<>();
    private static final String ENTRY = ".visible .entry ";
    private static final int TYPES = DataType.values().length;
    private static final int OPS = ReduceOp.values().length;

    private final CudaKernel[] kernels = new CudaKernel[Family.values().length * TYPES * OPS];
    private final Map<String, CudaModule> modules = new HashMap<>();

    /** Keeps the primary context, and so the kernels, alive. */
    private final CudaContext context;

    private KernelStore(CudaDevice device) {
        context = CudaContext.retain(device);
    }

    /** The store of a device, which lives as long as the process. */
    static KernelStore of(CudaDevice device) {
        synchronized (STORES) {
            return STORES.computeIfAbsent(device, KernelStore::new);
        }
    }

    CudaContext context() {
        return context;
    }

    /** A reduction kernel; the context must be current. Allocates nothing but the first time. */
    CudaKernel kernel(Family family, DataType type, ReduceOp op) {
        int index = (family.index() * TYPES + type.code()) * OPS + op.code();
        CudaKernel kernel = kernels[index];
        return kernel != null ? kernel : load(index, family, type, op);
    }

    /** One kernel of a resource. */
    synchronized CudaKernel kernel(String resource, String entry) {
        return modules.computeIfAbsent(entry + " of " + resource, key -> CudaModule.load(only(entry, text(resource))))
                .kernel(entry);
    }

    private CudaKernel load(int index, Family family, DataType type, ReduceOp op) {
        String resource = family.label() + "_" + type.name().toLowerCase(Locale.ROOT);
        CudaKernel kernel = kernel(resource, family.label() + "_" + op.label());
        kernels[index] = kernel;
        return kernel;
    }

    /** The text without its other entry points, since compiling is what takes the time; all of it where kernels share functions. */
    static String only(String entry, String ptx) {
        if (ptx.contains(".func")) {
            return ptx;
        }
        String[] parts = ptx.split(ENTRY, -1);
        for (int i = 1; i < parts.length; i++) {
            if (parts[i].startsWith(entry + "(")) {
                return parts[0] + ENTRY + parts[i];
            }
        }
        throw new IllegalStateException("no entry point " + entry);
    }

    static String text(String resource) {
        try (InputStream ptx = KernelStore.class.getResourceAsStream(resource + ".ptx")) {
            if (ptx == null) {
                throw new IllegalStateException("no kernel " + resource + ".ptx in this build");
            }
            return new String(ptx.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }
}
