/**
 * Collective communication between the threads, processes and machines of a job, on host memory and on GPUs.
 *
 * <p>{@link Communicator#join} makes this process one rank of a job, {@link Communicator#local} makes threads of one process ranks.
 * All ranks then make the same calls in the same order:
 *
 * {@snippet :
 * CommunicatorOptions options = CommunicatorOptions.builder().rank(rank).size(2).master("10.0.0.1", 9999).build();
 * try (Communicator comm = Communicator.join(options);
 *         Arena arena = Arena.ofConfined()) {
 *     MemorySegment gradients = arena.allocate(ValueLayout.JAVA_FLOAT, count);
 *     comm.allReduce(gradients, gradients, count, DataType.FLOAT32, ReduceOp.SUM);                  // blocks
 *     Work work = comm.allReduceAsync(gradients, gradients, count, DataType.FLOAT32, ReduceOp.SUM); // returns at once
 *     work.await();
 * }
 * }
 *
 * <p><b>Memory.</b> Counts are in elements, {@code long}, from 0. Buffers of host calls are native {@link
 * java.lang.foreign.MemorySegment}s of any alignment and any arena that the calling thread may use; heap segments are refused.
 * They must stay as they are, and their arenas open, until a blocking call returns or a {@link Work} is done: memory that another
 * thread unmaps under a running operation ends the process, as it does in C. Memory of automatic arenas is kept by the call. Input
 * and output are the same memory (in place) or do not overlap. Calls with {@code long} addresses and numbers of {@code nccl.h}
 * check no memory; they are for callers that have none of Java's objects.
 *
 * <p><b>Threads.</b> A {@link Communicator} may be called by any thread, virtual ones included; its operations run one after the
 * other. A blocking call keeps its thread, and a virtual thread's carrier, busy until it is over. Blocking collectives do not react to
 * interrupts and keep the flag; nor does {@link Communicator#join} while it waits for the master. {@link Communicator#barrier}, {@link
 * Communicator#allocate} and {@link Communicator#device} meet the other ranks on the control plane, where an interrupt breaks the
 * communicator. A {@link DeviceCommunicator} is for one thread at a
 * time.
 *
 * <p><b>Several communicators</b> of a process are independent. One thread that drives several ranks uses the asynchronous form,
 * since a blocking call waits for the other ranks.
 *
 * <p><b>Failures</b> are {@link NcclException}s, whose subclass tells what to build anew: nothing for {@link InvalidCallException} (the call
 * was wrong and nothing was done), the communicator for {@link CommunicatorException}, the process for {@link ProcessException}. No wait is
 * without a deadline: see {@link dev.mininccl.core.settings.Setting#TIMEOUT} and its neighbours. Whatever breaks one rank breaks all, and
 * all throw the first reason.
 *
 * <p>Logging is by {@link java.lang.System.Logger}, under names that begin with {@code mininccl}. The JVM needs {@code
 * --enable-native-access=dev.mininccl.bindings} (class path: {@code ALL-UNNAMED}); with {@code --add-modules jdk.incubator.vector}
 * reductions use vectors.
 */
package dev.mininccl.core;
