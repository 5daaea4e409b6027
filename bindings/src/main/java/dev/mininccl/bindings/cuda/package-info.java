/**
 * The CUDA driver API: one class a kind of object, native handles and device addresses as {@code long}.
 *
 * <p>Every class loads on a machine without {@code libcuda.so.1}; calls then throw
 * {@link dev.mininccl.bindings.NativeUnavailableException}. Failed calls throw {@link dev.mininccl.bindings.cuda.CudaException}.
 * Calls that enqueue work or ask for its state allocate nothing. Most calls work on the calling thread's current context: see
 * {@link dev.mininccl.bindings.cuda.CudaContext}.
 */
package dev.mininccl.bindings.cuda;
