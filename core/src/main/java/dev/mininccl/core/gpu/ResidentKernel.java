package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaHostMemory;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * A kernel that stays on the device while small blocking calls follow each other, and takes them from mapped host memory: no launch is
 * on their way. It leaves by itself soon after the last one, and now and then in between, so that whoever waits for the whole device
 * is not kept waiting. Mirrors {@code resident.cu}. The context must be current.
 *
 * <p>Only for two ranks on a device each: it does what {@link Family#LL2} does, so that a peer may as well launch its side.
 */
final class ResidentKernel implements AutoCloseable {
    private static final Logger LOG = System.getLogger("mininccl.gpu");

    /** After that, or the idle limit if that is longer, it leaves though there are calls. */
    private static final long LIFE_NANOS = 5_000_000L;

    private static final long PROOF_NANOS = 100_000_000L;
    private static final long NO_LIMIT_NANOS = 1L << 62;
    private static final int LOOK_EVERY = 1024;
    private static final long PAGE_BYTES = 4096;
    private static final long LINE = 16;
    private static final long ANSWERS = 256;
    private static final long LEFT = ANSWERS;
    private static final long STARTED = ANSWERS + 8;
    private static final long DONE = ANSWERS + 128;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final KernelStore kernels;
    private final StopWords words;
    private final long timeoutNanos;
    private final long idleNanos;
    private final MemorySegment page = CudaHostMemory.allocate(PAGE_BYTES);
    private final long commands = page.address();
    private final long stream = CudaStream.create();
    private final KernelArguments arguments;
    private ResidentShape shape;
    private CudaKernel kernel;
    private DataType type;
    private ReduceOp op;

    /** The last command's; 32 bits of it travel, and are never 0. */
    private int number;

    private boolean launched;
    private boolean useless;
    private long lastCall;
    private long served;

    ResidentKernel(KernelStore kernels, GpuLink link, int rank, long timeoutNanos, long idleNanos, Arena memory) {
        this.kernels = kernels;
        this.timeoutNanos = timeoutNanos;
        this.idleNanos = idleNanos;
        words = link.words();
        shape = ResidentShape.shipped(link.weakest());
        ArenaLayout layout = link.layout();
        arguments = link.arguments(rank, timeoutNanos, memory)
                .region(layout.region(Family.LL2), layout.bank(Family.LL2))
                .shape(layout.lines(), 0);
        lastCall = System.nanoTime() - idleNanos;
    }

    /** Whether it can serve this communicator at all. */
    static boolean suits(GpuLink link, GpuOptions options) {
        return link.layout().ranks() == 2
                && !link.sharedDevice()
                && !options.stepwise()
                && !options.residentIdle().isZero();
    }

    /** Whether it is to take the next call: if calls follow each other so closely that staying is worth it. */
    boolean ready(DataType elements, ReduceOp reduction) {
        if (useless || System.nanoTime() - lastCall > idleNanos) {
            return false;
        }
        if (elements != type || reduction != op) {
            use(elements, reduction);
        }
        return !useless;
    }

    /** A blocking call has ended, whoever has served it. */
    void called() {
        lastCall = System.nanoTime();
    }

    /** Another grid, from the next call on. */
    void shape(ResidentShape other) {
        dismiss();
        shape = other;
    }

    /**
     * Reduces, once it is {@link #ready} for the type and operation. The result is there on return, unless the communicator was
     * stopped meanwhile. No other operation may be under way.
     *
     * @return false if that took longer than an operation may
     */
    boolean allReduce(long input, long output, long count) {
        int blocks = shape.partakers(count * type.bytes());
        long code = OperationCode.allReduce(type, op, count);
        long limit = System.nanoTime() + (timeoutNanos == 0 ? NO_LIMIT_NANOS : timeoutNanos + PROOF_NANOS);
        Progress progress;
        do {
            passOver();
            post(input, output, count, code, blocks);
            if (!launched) {
                launch(number, idleNanos);
            }
            progress = await(blocks, limit);
        } while (progress == Progress.NOT_TAKEN);
        served++;
        return progress != Progress.LATE;
    }

    /** Calls that were given to it. */
    long served() {
        return served;
    }

    private enum Progress {
        DONE,
        NOT_TAKEN,
        STOPPED,
        LATE
    }

    private Progress await(int blocks, long limit) {
        long wanted = number & LOW_HALF;
        for (int b = 0; b < blocks; b++) {
            int turns = 0;
            while (NativeMemory.getLongAcquire(commands + DONE + 8L * b) != wanted) {
                if (NativeMemory.getLongAcquire(commands + LEFT) == wanted) {
                    launched = false;
                    return words.raisedAcquire() ? Progress.STOPPED : Progress.NOT_TAKEN;
                }
                Thread.onSpinWait();
                if (++turns % LOOK_EVERY == 0 && words.raisedAcquire()) {
                    return Progress.STOPPED;
                }
                if (turns % LOOK_EVERY == 0 && System.nanoTime() - limit > 0) {
                    return Progress.LATE;
                }
            }
        }
        return Progress.DONE;
    }

    /** The number that it left without taking is spent. */
    private void passOver() {
        int next = next();
        if (launched && NativeMemory.getLongAcquire(commands + LEFT) == (next & LOW_HALF)) {
            launched = false;
            number = next;
        }
    }

    private int next() {
        return number == -1 ? 1 : number + 1;
    }

    private void post(long input, long output, long count, long code, int blocks) {
        number = next();
        lineRelease(0, input);
        lineRelease(1, output);
        lineRelease(2, count);
        lineRelease(3, code);
        lineRelease(4, blocks);
    }

    private void lineRelease(int index, long word) {
        long flag = (long) number << 32;
        NativeMemory.putLongRelease(commands + LINE * index, flag | (word & LOW_HALF));
        NativeMemory.putLongRelease(commands + LINE * index + 8, flag | (word >>> 32));
    }

    private void launch(int first, long idle) {
        long page = CudaHostMemory.deviceAddress(commands);
        arguments.residence(page, page + ANSWERS, first & LOW_HALF, idle, Math.max(LIFE_NANOS, idle));
        kernel.launch(shape.blocks(), shape.threads() + Family.LL2.extraThreads(), stream, arguments.address());
        launched = true;
    }

    private void use(DataType elements, ReduceOp reduction) {
        dismiss();
        kernel =
                kernels.kernel("resident_" + elements.name().toLowerCase(Locale.ROOT), "resident_" + reduction.label());
        if (type == null && !proven()) {
            useless = true;
            LOG.log(Level.INFO, "gpu: a running kernel does not see what the host writes: blocking calls are launched");
        }
        type = elements;
        op = reduction;
    }

    /** Not every virtual machine and driver model lets a kernel and the host see each other's stores while it runs. */
    private boolean proven() {
        int first = next();
        launch(first, PROOF_NANOS);
        long limit = System.nanoTime() + PROOF_NANOS;
        while (NativeMemory.getLongAcquire(commands + STARTED) != (first & LOW_HALF)) {
            if (System.nanoTime() - limit > 0) {
                launched = false;
                return false;
            }
            Thread.onSpinWait();
        }
        post(0, 0, 0, 0, 0);
        launched = false;
        return await(1, limit) == Progress.DONE;
    }

    /** Tells the kernel to leave, and waits until it is about to. */
    private void dismiss() {
        if (!launched) {
            return;
        }
        passOver();
        if (launched) {
            post(0, 0, 0, 0, 0);
            await(1, System.nanoTime() + PROOF_NANOS);
            launched = false;
        }
    }

    @Override
    public void close() {
        dismiss();
        CudaStream.synchronize(stream);
        CudaStream.destroy(stream);
        CudaHostMemory.free(commands);
    }
}
