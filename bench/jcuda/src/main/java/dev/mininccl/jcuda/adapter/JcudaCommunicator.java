package dev.mininccl.jcuda.adapter;

import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUstream;

/**
 * A {@link DeviceCommunicator} for programs that use JCuda: takes its pointers and streams. One file without dependencies but JCuda
 * and {@code mininccl-core}: use this module, or copy it. JCuda hides the values that its objects stand for; its packages are open,
 * so no flag is needed.
 *
 * <p>JCuda's memory and streams must belong to the device's primary context, as those of its runtime API do; with its driver API
 * that is the context of {@code cuDevicePrimaryCtxRetain}.
 *
 * @param communicator what does the work; it stays the caller's to close
 */
public record JcudaCommunicator(DeviceCommunicator communicator) {

    private static final MethodHandle VALUE = handle(NativePointerObject.class, "getNativePointer");
    private static final MethodHandle OFFSET = handle(Pointer.class, "getByteOffset");

    private static MethodHandle handle(Class<?> owner, String method) {
        try {
            Lookup lookup = MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
            return lookup.findVirtual(owner, method, MethodType.methodType(long.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this release of JCuda has no " + owner.getName() + "." + method, e);
        }
    }

    /**
     * Enqueues a reduction over all ranks: see {@link DeviceCommunicator#allReduce(long, long, long, DataType, ReduceOp, long)}.
     *
     * @param input device memory with {@code count} elements, a {@code CUdeviceptr} or what the runtime API gives
     * @param output device memory for {@code count} elements, the very input or apart from it
     * @param count elements
     * @param type of the elements
     * @param op the reduction
     * @param stream a stream
     */
    public void allReduce(Pointer input, Pointer output, long count, DataType type, ReduceOp op, CUstream stream) {
        communicator.allReduce(address(input), address(output), count, type, op, stream(stream));
    }

    /**
     * Waits for a stream: see {@link DeviceCommunicator#synchronize(long)}.
     *
     * @param stream a stream
     */
    public void synchronize(CUstream stream) {
        communicator.synchronize(stream(stream));
    }

    /**
     * The device address that a pointer stands for, its byte offset included.
     *
     * @param pointer a {@code CUdeviceptr}, or a pointer that the runtime API has allocated
     * @return the address; 0 for a pointer to Java memory, which is refused by all calls
     */
    public static long address(Pointer pointer) {
        try {
            return (long) VALUE.invokeExact((NativePointerObject) pointer) + (long) OFFSET.invokeExact(pointer);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * The handle of a stream.
     *
     * @param stream of the driver API; {@code new CUstream(cudaStream)} makes one of a runtime API's
     * @return the handle, 0 for the default stream
     */
    public static long stream(CUstream stream) {
        try {
            return (long) VALUE.invokeExact((NativePointerObject) stream);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        return switch (e) {
            case RuntimeException runtime -> runtime;
            case Error error -> throw error;
            default -> new IllegalStateException(e);
        };
    }
}
