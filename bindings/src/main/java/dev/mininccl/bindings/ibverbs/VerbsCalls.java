package dev.mininccl.bindings.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.bindings.posix.ErrnoCapture;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * The exported functions whose answer is in {@code errno}, one to one, which generated handles lose. Pointers are {@code long}s.
 * Functions without {@code errno} are called through the generated class.
 */
final class VerbsCalls {
    private static final NativeLibrary VERBS = NativeLibraries.ibverbs();
    private static final FunctionDescriptor POINTER_OF_POINTER = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor POINTER_OF_TWO = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle GET_DEVICE_LIST = VERBS.errnoHandle("ibv_get_device_list", POINTER_OF_POINTER);
    private static final MethodHandle OPEN_DEVICE = VERBS.errnoHandle("ibv_open_device", POINTER_OF_POINTER);
    private static final MethodHandle ALLOC_PD = VERBS.errnoHandle("ibv_alloc_pd", POINTER_OF_POINTER);
    private static final MethodHandle CREATE_COMP_CHANNEL =
            VERBS.errnoHandle("ibv_create_comp_channel", POINTER_OF_POINTER);
    private static final MethodHandle CREATE_QP = VERBS.errnoHandle("ibv_create_qp", POINTER_OF_TWO);
    private static final MethodHandle CREATE_CQ = VERBS.errnoHandle(
            "ibv_create_cq", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle REG_MR = VERBS.errnoHandle(
            "ibv_reg_mr", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle REG_MR_IOVA2 = VERBS.errnoHandle(
            "ibv_reg_mr_iova2", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle REG_DMABUF_MR = VERBS.errnoHandle(
            "ibv_reg_dmabuf_mr",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle QUERY_GID = VERBS.errnoHandle(
            "ibv_query_gid", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_INT, JAVA_LONG));
    private static final MethodHandle GET_CQ_EVENT =
            VERBS.errnoHandle("ibv_get_cq_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GET_ASYNC_EVENT =
            VERBS.errnoHandle("ibv_get_async_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private VerbsCalls() {}

    static boolean has(String function) {
        return VERBS.has(function);
    }

    static long getDeviceList(ErrnoCapture errno, long count) {
        try {
            return (long) GET_DEVICE_LIST.invokeExact(errno.segment(), count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long openDevice(ErrnoCapture errno, long device) {
        try {
            return (long) OPEN_DEVICE.invokeExact(errno.segment(), device);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long allocPd(ErrnoCapture errno, long context) {
        try {
            return (long) ALLOC_PD.invokeExact(errno.segment(), context);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long createCompChannel(ErrnoCapture errno, long context) {
        try {
            return (long) CREATE_COMP_CHANNEL.invokeExact(errno.segment(), context);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long createQp(ErrnoCapture errno, long pd, long initAttr) {
        try {
            return (long) CREATE_QP.invokeExact(errno.segment(), pd, initAttr);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long createCq(ErrnoCapture errno, long context, int entries, long channel) {
        try {
            return (long) CREATE_CQ.invokeExact(errno.segment(), context, entries, 0L, channel, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long regMr(ErrnoCapture errno, long pd, long address, long bytes, int access) {
        try {
            return (long) REG_MR.invokeExact(errno.segment(), pd, address, bytes, access);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long regMrIova2(ErrnoCapture errno, long pd, long address, long bytes, long iova, int access) {
        try {
            return (long) REG_MR_IOVA2.invokeExact(errno.segment(), pd, address, bytes, iova, access);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long regDmabufMr(ErrnoCapture errno, long pd, long offset, long bytes, long iova, int fd, int access) {
        try {
            return (long) REG_DMABUF_MR.invokeExact(errno.segment(), pd, offset, bytes, iova, fd, access);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int queryGid(ErrnoCapture errno, long context, int port, int index, long gid) {
        try {
            return (int) QUERY_GID.invokeExact(errno.segment(), context, (byte) port, index, gid);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getCqEvent(ErrnoCapture errno, long channel, long queue, long queueContext) {
        try {
            return (int) GET_CQ_EVENT.invokeExact(errno.segment(), channel, queue, queueContext);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getAsyncEvent(ErrnoCapture errno, long context, long event) {
        try {
            return (int) GET_ASYNC_EVENT.invokeExact(errno.segment(), context, event);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Turns what {@code invokeExact} declares, but native code never throws, into something unchecked. */
    static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException exception ? exception : new IllegalStateException(thrown);
    }
}
