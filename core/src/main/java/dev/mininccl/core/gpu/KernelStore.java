package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaModule;
import dev.mininccl.bindings.cuda.DependentLaunch;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The kernels of one device, compiled by the driver when first asked for. All communicators of the process share them.
 *
 * <p>The driver may have a module wait for the kernels that run in its context, and launches of the same context for the module (CUDA
 * programming guide, lazy loading). Where ranks share a device, what runs can wait for just such a launch. So a rank among these
 * loads nothing before its own operations have ended: by then all ranks have launched theirs.
 */
final class KernelStore {
    private static final Map<CudaDevice, KernelStore> STORES = new HashMap<>();
    private static final int TYPES = DataType.values().length;
    private static final int OPS = ReduceOp.values().length;

    private final CudaKernel[] kernels;
    private final Map<String, CudaModule> modules;

    /** Keeps the primary context, and so the kernels, alive. */
    private final CudaContext context;

    private final boolean overlapping;
    private final Runnable settle;

    private KernelStore(CudaDevice device) {
        kernels = new CudaKernel[Family.values().length * TYPES * OPS];
        modules = new HashMap<>();
        context = CudaContext.retain(device);
        overlapping = DependentLaunch.supported(device);
        settle = () -> {};
    }

    private KernelStore(KernelStore shared, Runnable settle) {
        kernels = shared.kernels;
        modules = shared.modules;
        context = shared.context;
        overlapping = shared.overlapping;
        this.settle = settle;
    }

    /** The store of a device, which lives as long as the process. */
    static KernelStore of(CudaDevice device) {
        synchronized (STORES) {
            return STORES.computeIfAbsent(device, KernelStore::new);
        }
    }

    /** The same kernels for a rank that shares its device; {@code settle} returns when its operations have ended. */
    KernelStore settling(Runnable settle) {
        return new KernelStore(this, settle);
    }

    CudaContext context() {
        return context;
    }

    /** Whether {@link #earlyKernel} gives what may be launched by {@link DependentLaunch}. */
    boolean overlapping() {
        return overlapping;
    }

    /** A reduction kernel; the context must be current. Allocates nothing but the first time. */
    CudaKernel kernel(Family family, DataType type, ReduceOp op) {
        int index = (family.index() * TYPES + type.code()) * OPS + op.code();
        CudaKernel kernel = kernels[index];
        return kernel != null ? kernel : load(index, family, type, op);
    }

    /** One kernel of a resource. */
    CudaKernel kernel(String resource, String entry) {
        return kernel(resource, entry, UnaryOperator.identity());
    }

    /** One kernel of a resource, which may come onto the device before the last one has left it where that is possible. */
    CudaKernel earlyKernel(String resource, String entry) {
        return kernel(resource, entry, overlapping ? KernelText::overlapping : UnaryOperator.identity());
    }

    private CudaKernel kernel(String resource, String entry, UnaryOperator<String> dialect) {
        settle.run(); // not under the lock: another rank may need it for a kernel that this one's operations wait for
        synchronized (modules) {
            return modules.computeIfAbsent(
                            entry + " of " + resource,
                            key -> CudaModule.load(dialect.apply(KernelText.only(entry, KernelText.of(resource)))))
                    .kernel(entry);
        }
    }

    private CudaKernel load(int index, Family family, DataType type, ReduceOp op) {
        String resource = family.label() + "_" + type.name().toLowerCase(Locale.ROOT);
        String entry = family.label() + "_" + op.label();
        CudaKernel kernel = earlyKernel(resource, entry);
        kernels[index] = kernel;
        return kernel;
    }
}
