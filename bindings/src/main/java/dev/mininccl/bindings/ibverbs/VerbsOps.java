package dev.mininccl.bindings.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.bindings.ibverbs.gen.ibv_context;
import dev.mininccl.bindings.ibverbs.gen.ibv_context_ops;
import dev.mininccl.bindings.ibverbs.gen.verbs_context;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What C programs reach through static inline functions: pointers in {@code ibv_context.ops}, and in the {@code verbs_context}
 * around it. They are read once; each call passes one as the handle's first argument, which costs what a fixed address costs.
 *
 * <p>None captures {@code errno}: the answer is the value. The critical forms skip the thread's state change, so a call that
 * blocks holds up every safepoint; software providers enter the kernel when posting.
 */
record VerbsOps(MemorySegment pollCq, MemorySegment requestNotify, MemorySegment postSend, MemorySegment postReceive) {
    /** What {@code ibv_context.abi_compat} holds where a {@code verbs_context} surrounds the context. */
    private static final long ABI_IS_EXTENDED = -1;

    private static final FunctionDescriptor POLL = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor POST = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor NOTIFY = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final FunctionDescriptor QUERY_PORT =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle POLL_PLAIN = NativeLibrary.pointerHandle(POLL);
    private static final MethodHandle POST_PLAIN = NativeLibrary.pointerHandle(POST);
    private static final MethodHandle POLL_CRITICAL = NativeLibrary.pointerHandle(POLL, Linker.Option.critical(false));
    private static final MethodHandle POST_CRITICAL = NativeLibrary.pointerHandle(POST, Linker.Option.critical(false));
    private static final MethodHandle NOTIFY_PLAIN = NativeLibrary.pointerHandle(NOTIFY);
    private static final MethodHandle QUERY_PORT_PLAIN = NativeLibrary.pointerHandle(QUERY_PORT);

    static VerbsOps read(long context) {
        long table = context + ibv_context.ops$offset();
        return new VerbsOps(
                pointer(table + ibv_context_ops.poll_cq$offset()),
                pointer(table + ibv_context_ops.req_notify_cq$offset()),
                pointer(table + ibv_context_ops.post_send$offset()),
                pointer(table + ibv_context_ops.post_recv$offset()));
    }

    private static MemorySegment pointer(long address) {
        return MemorySegment.ofAddress(NativeMemory.getLong(address));
    }

    static int poll(MemorySegment function, boolean critical, long queue, int most, long completions) {
        try {
            return critical
                    ? (int) POLL_CRITICAL.invokeExact(function, queue, most, completions)
                    : (int) POLL_PLAIN.invokeExact(function, queue, most, completions);
        } catch (Throwable e) {
            throw VerbsCalls.unexpected(e);
        }
    }

    static int post(MemorySegment function, boolean critical, long pair, long first, long failed) {
        try {
            return critical
                    ? (int) POST_CRITICAL.invokeExact(function, pair, first, failed)
                    : (int) POST_PLAIN.invokeExact(function, pair, first, failed);
        } catch (Throwable e) {
            throw VerbsCalls.unexpected(e);
        }
    }

    static int notify(MemorySegment function, long queue, boolean solicitedOnly) {
        try {
            return (int) NOTIFY_PLAIN.invokeExact(function, queue, solicitedOnly ? 1 : 0);
        } catch (Throwable e) {
            throw VerbsCalls.unexpected(e);
        }
    }

    /**
     * The provider's own form of {@code ibv_query_port}, which fills the whole structure. Returns the error number, or -1 if this
     * library or provider has no such entry: the surrounding structure grows at its front, and its size says how far.
     */
    static int queryPort(long context, int port, MemorySegment attributes) {
        if (NativeMemory.getLong(context + ibv_context.abi_compat$offset()) != ABI_IS_EXTENDED) {
            return -1;
        }
        long surrounding = context - verbs_context.context$offset();
        long known = NativeMemory.getLong(surrounding + verbs_context.sz$offset());
        if (known < verbs_context.sizeof() - verbs_context.query_port$offset()) {
            return -1;
        }
        MemorySegment function = pointer(surrounding + verbs_context.query_port$offset());
        if (function.address() == 0) {
            return -1;
        }
        try {
            return (int) QUERY_PORT_PLAIN.invokeExact(
                    function, context, (byte) port, attributes.address(), attributes.byteSize());
        } catch (Throwable e) {
            throw VerbsCalls.unexpected(e);
        }
    }
}
