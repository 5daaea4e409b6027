package dev.mininccl.core;

import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Deadline;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * One rank of a group of processes (or threads) that work together. All ranks make the same calls in the same order; a
 * rank that calls something else gets, as all others do, a {@link CommunicatorException} that names who differs and how.
 *
 * <p>Any thread may call, and the calls of one communicator run one after the other. A blocking call that waits without
 * progress for longer than {@code MINI_NCCL_TIMEOUT} breaks the communicator. A broken communicator stays broken: every
 * further call throws the first reason; close it and join anew. What holds for memory, threads and interrupts is said at the
 * {@linkplain dev.mininccl.core package}.
 *
 * <pre>{@code
 * try (Communicator comm = Communicator.join(CommunicatorOptions.builder().rank(0).size(2).build())) {
 *     comm.allReduce(in, out, count, DataType.FLOAT32, ReduceOp.SUM);
 * }
 * }</pre>
 */
public final class Communicator implements AutoCloseable {

    private final Session session;
    private final int rank;
    private final int size;
    private final Operations operations;

    private Communicator(Session session) {
        this.session = session;
        this.rank = session.bootstrap.rank();
        this.size = session.bootstrap.size();
        this.operations = new Operations(session);
    }

    /**
     * Joins a communicator. Returns once all ranks have joined and every pair has a proven way to each other.
     *
     * @param options which rank, how many, where the master is
     * @return this rank's communicator
     * @throws InvalidCallException if the options contradict those of other ranks
     * @throws CommunicatorException if ranks or the ways to them are missing when {@code MINI_NCCL_CONNECT_TIMEOUT} has passed
     * @throws ProcessException if the JVM denies native access, or no control plane is on the module or class path
     */
    public static Communicator join(CommunicatorOptions options) {
        return Joining.join(options);
    }

    /**
     * Creates a communicator whose ranks are threads of this process: for tests, and for programs that drive one rank a
     * thread. Give each element to the thread that is to be that rank.
     *
     * @param ranks how many, 1 to 1024
     * @return one communicator a rank, in rank order
     * @throws InvalidCallException if the number, or a setting of the environment, is out of range
     * @throws ProcessException if the JVM denies native access
     */
    public static List<Communicator> local(int ranks) {
        return Joining.local(ranks, Map.of());
    }

    /**
     * As {@link #local(int)}, with settings that differ from the environment's.
     *
     * @param ranks how many, 1 to 1024
     * @param settings values by variable name, for example {@code MINI_NCCL_SLICE_SIZE}
     * @return one communicator a rank, in rank order
     * @throws InvalidCallException if the number or a setting is out of range, or a variable is unknown
     * @throws ProcessException if the JVM denies native access
     */
    public static List<Communicator> local(int ranks, Map<String, String> settings) {
        return Joining.local(ranks, settings);
    }

    static Communicator of(Session session) {
        return new Communicator(session);
    }

    Operations operations() {
        return operations;
    }

    /**
     * This rank.
     *
     * @return 0 to {@code size() - 1}
     */
    public int rank() {
        return rank;
    }

    /**
     * The number of ranks.
     *
     * @return at least 1
     */
    public int size() {
        return size;
    }

    /**
     * Tells for each peer which transport was chosen, and why no earlier one.
     *
     * @return several lines
     */
    public String explain() {
        return session.explanation();
    }

    /**
     * Reduces over all ranks and gives everyone the result. Returns when the output is complete.
     *
     * @param in {@code count} elements, native memory of any alignment
     * @param out {@code count} elements, the very memory of {@code in} or apart from it
     * @param count elements, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param op the reduction, the same on all ranks
     * @throws InvalidCallException if an argument is out of range or the communicator is closed: nothing was done
     * @throws CommunicatorException if the communicator is, or was, broken; the output is undefined then
     */
    public void allReduce(MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
        long bytes = Buffers.bytes(count, Buffers.required("type", type));
        long inAddress = Buffers.address("in", in, bytes, false);
        long outAddress = Buffers.address("out", out, bytes, true);
        Buffers.apart(inAddress, outAddress, bytes);
        operations.blocking(
                Collective.ALL_REDUCE, in, out, inAddress, outAddress, count, type, Buffers.required("op", op));
    }

    /**
     * As {@link #allReduce(MemorySegment, MemorySegment, long, DataType, ReduceOp)}, for callers that hold addresses. The
     * caller vouches for the memory.
     *
     * @param in address of the input
     * @param out address of the output
     * @param count elements
     * @param type a value of {@code ncclDataType_t}
     * @param op a value of {@code ncclRedOp_t}
     * @throws InvalidCallException if a number is out of range, an address is 0, the buffers overlap or the communicator is closed
     * @throws CommunicatorException if the communicator is, or was, broken
     */
    public void allReduce(long in, long out, long count, int type, int op) {
        DataType dataType = DataType.ofCode(type);
        long bytes = Buffers.bytes(count, dataType);
        Buffers.given("in", in, bytes);
        Buffers.given("out", out, bytes);
        Buffers.apart(in, out, bytes);
        operations.blocking(Collective.ALL_REDUCE, null, null, in, out, count, dataType, ReduceOp.ofCode(op));
    }

    /**
     * As {@link #allReduce(MemorySegment, MemorySegment, long, DataType, ReduceOp)}, but returns at once. Operations run in
     * the order of the calls.
     *
     * @param in {@code count} elements, to be left alone until the work ends
     * @param out {@code count} elements
     * @param count elements
     * @param type of the elements
     * @param op the reduction
     * @return the operation under way, which also tells how it failed
     * @throws InvalidCallException if an argument is out of range or the communicator is closed: nothing was done
     */
    public Work allReduceAsync(MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
        long bytes = Buffers.bytes(count, Buffers.required("type", type));
        long inAddress = Buffers.address("in", in, bytes, false);
        long outAddress = Buffers.address("out", out, bytes, true);
        Buffers.apart(inAddress, outAddress, bytes);
        return operations.submitted(
                Collective.ALL_REDUCE, in, out, inAddress, outAddress, count, type, Buffers.required("op", op));
    }

    /**
     * Gives everyone the inputs of all ranks, one after the other. Returns when the output is complete.
     *
     * @param send {@code sendCount} elements, native memory of any alignment
     * @param recv {@code sendCount} elements of each rank: those of rank r begin {@code r * sendCount} elements into it. In place,
     *     {@code send} is this rank's place in it; otherwise they are apart
     * @param sendCount elements of each rank, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @throws InvalidCallException if an argument is out of range or the communicator is closed: nothing was done
     * @throws CommunicatorException if the communicator is, or was, broken; the output is undefined then
     */
    public void allGather(MemorySegment send, MemorySegment recv, long sendCount, DataType type) {
        long bytes = Buffers.partBytes("sendCount", sendCount, size, Buffers.required("type", type));
        long sendAddress = Buffers.address("send", send, bytes, false);
        long recvAddress = Buffers.address("recv", recv, bytes * size, true);
        Buffers.placed("send", sendAddress, "recv", recvAddress, bytes, rank, size);
        operations.blocking(Collective.ALL_GATHER, send, recv, sendAddress, recvAddress, sendCount, type, null);
    }

    /**
     * As {@link #allGather(MemorySegment, MemorySegment, long, DataType)}, for callers that hold addresses. The caller vouches
     * for the memory.
     *
     * @param send address of the input
     * @param recv address of the output
     * @param sendCount elements of each rank
     * @param type a value of {@code ncclDataType_t}
     * @throws InvalidCallException if a number is out of range, an address is 0, the buffers overlap or the communicator is closed
     * @throws CommunicatorException if the communicator is, or was, broken
     */
    public void allGather(long send, long recv, long sendCount, int type) {
        DataType dataType = DataType.ofCode(type);
        long bytes = Buffers.partBytes("sendCount", sendCount, size, dataType);
        Buffers.given("send", send, bytes);
        Buffers.given("recv", recv, bytes * size);
        Buffers.placed("send", send, "recv", recv, bytes, rank, size);
        operations.blocking(Collective.ALL_GATHER, null, null, send, recv, sendCount, dataType, null);
    }

    /**
     * As {@link #allGather(MemorySegment, MemorySegment, long, DataType)}, but returns at once. Operations run in the order of
     * the calls.
     *
     * @param send {@code sendCount} elements, to be left alone until the work ends
     * @param recv {@code sendCount} elements of each rank
     * @param sendCount elements of each rank
     * @param type of the elements
     * @return the operation under way, which also tells how it failed
     * @throws InvalidCallException if an argument is out of range or the communicator is closed: nothing was done
     */
    public Work allGatherAsync(MemorySegment send, MemorySegment recv, long sendCount, DataType type) {
        long bytes = Buffers.partBytes("sendCount", sendCount, size, Buffers.required("type", type));
        long sendAddress = Buffers.address("send", send, bytes, false);
        long recvAddress = Buffers.address("recv", recv, bytes * size, true);
        Buffers.placed("send", sendAddress, "recv", recvAddress, bytes, rank, size);
        return operations.submitted(Collective.ALL_GATHER, send, recv, sendAddress, recvAddress, sendCount, type, null);
    }

    /**
     * Reduces over all ranks and gives each its part of the result. Returns when the output is complete.
     *
     * @param send {@code recvCount} elements for each rank, native memory of any alignment: those for rank r begin
     *     {@code r * recvCount} elements into it; left as they are, but for this rank's in place
     * @param recv {@code recvCount} elements. In place, it is this rank's place in {@code send}; otherwise they are apart
     * @param recvCount elements of each rank, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param op the reduction, the same on all ranks
     * @throws InvalidCallException if an argument is out of range or the communicator is closed: nothing was done
     * @throws CommunicatorException if the communicator is, or was, broken; the output is undefined then
     */
    public void reduceScatter(MemorySegment send, MemorySegment recv, long recvCount, DataType type, ReduceOp op) {
        long bytes = Buffers.partBytes("recvCount", recvCount, size, Buffers.required("type", type));
        long sendAddress = Buffers.address("send", send, bytes * size, false);
        long recvAddress = Buffers.address("recv", recv, bytes, true);
        Buffers.placed("recv", recvAddress, "send", sendAddress, bytes, rank, size);
        operations.blocking(
                Collective.REDUCE_SCATTER,
                send,
                recv,
                sendAddress,
                recvAddress,
                recvCount,
                type,
                Buffers.required("op", op));
    }

    /**
     * As {@link #reduceScatter(MemorySegment, MemorySegment, long, DataType, ReduceOp)}, for callers that hold addresses. The
     * caller vouches for the memory.
     *
     * @param send address of the input
     * @param recv address of the output
     * @param recvCount elements of each rank
     * @param type a value of {@code ncclDataType_t}
     * @param op a value of {@code ncclRedOp_t}
     * @throws InvalidCallException if a number is out of range, an address is 0, the buffers overlap or the communicator is closed
     * @throws CommunicatorException if the communicator is, or was, broken
     */
    public void reduceScatter(long send, long recv, long recvCount, int type, int op) {
        DataType dataType = DataType.ofCode(type);
        long bytes = Buffers.partBytes("recvCount", recvCount, size, dataType);
        Buffers.given("send", send, bytes * size);
        Buffers.given("recv", recv, bytes);
        Buffers.placed("recv", recv, "send", send, bytes, rank, size);
        operations.blocking(
                Collective.REDUCE_SCATTER, null, null, send, recv, recvCount, dataType, ReduceOp.ofCode(op));
    }

    /**
     * As {@link #reduceScatter(MemorySegment, MemorySegment, long, DataType, ReduceOp)}, but returns at once. Operations run in
     * the order of the calls.
     *
     * @param send {@code recvCount} elements for each rank, to be left alone until the work ends
     * @param recv {@code recvCount} elements
     * @param recvCount elements of each rank
     * @param type of the elements
     * @param op the reduction
     * @return the operation under way, which also tells how it failed
     * @throws InvalidCallException if an argument is out of range or the communicator is closed: nothing was done
     */
    public Work reduceScatterAsync(MemorySegment send, MemorySegment recv, long recvCount, DataType type, ReduceOp op) {
        long bytes = Buffers.partBytes("recvCount", recvCount, size, Buffers.required("type", type));
        long sendAddress = Buffers.address("send", send, bytes * size, false);
        long recvAddress = Buffers.address("recv", recv, bytes, true);
        Buffers.placed("recv", recvAddress, "send", sendAddress, bytes, rank, size);
        return operations.submitted(
                Collective.REDUCE_SCATTER,
                send,
                recv,
                sendAddress,
                recvAddress,
                recvCount,
                type,
                Buffers.required("op", op));
    }

    /**
     * Allocates memory that all ranks of one machine reach directly, so that operations on it need no copy in between.
     * Collective: every rank calls it, in the same order among its calls, with a size of its own. Where ranks do not
     * share a machine, or /dev/shm is too small, the memory is the rank's own and works all the same.
     *
     * @param bytes how much, at least 1
     * @return zeroed, page-aligned, for any thread, valid until {@link #close()}
     * @throws InvalidCallException if the size is out of range or the communicator is closed
     * @throws CommunicatorException if the communicator is broken, or a rank does not come in time
     * @throws OutOfMemoryError if this rank cannot have so much; the communicator goes on working
     */
    public MemorySegment allocate(long bytes) {
        if (bytes < 1) {
            throw new InvalidCallException("bytes " + bytes + ": must be at least 1");
        }
        return operations.controlling(() -> session.allocate(bytes));
    }

    /**
     * Brings a GPU into this communicator. Collective: every rank calls it, each with its own device (or several ranks with the same
     * one, which is slower), or {@link #withoutDevice} if it has none.
     *
     * @param ordinal the device's number in this process, from 0
     * @return this rank's device, closed with the communicator or before
     * @throws InvalidCallException if the communicator is closed or has one rank alone
     * @throws CommunicatorException if a rank has no such device, or the only lane allowed does not reach its peers
     */
    public DeviceCommunicator device(int ordinal) {
        operations.requireWorking();
        return DeviceCommunicator.open(session, ordinal, operations::staged, operations::withdraw);
    }

    /**
     * Lets other ranks bring in GPUs where this rank has none. Collective with their {@link #device}. What they call on their devices
     * from then on is what this rank calls here.
     *
     * @throws InvalidCallException if the communicator is closed
     * @throws CommunicatorException if the communicator is broken, or a rank cannot bring in its GPU
     */
    public void withoutDevice() {
        operations.requireWorking();
        DeviceCommunicator.decline(session);
    }

    /**
     * Returns once every rank has called it. Goes over the control plane: for set-up, not for speed.
     *
     * @throws InvalidCallException if the communicator is closed
     * @throws CommunicatorException if the communicator is broken, a rank does not come in time, or the thread is interrupted
     */
    public void barrier() {
        operations.controlling(() -> {
            session.bootstrap.barrier(Deadline.after(session.settings.duration(Setting.TIMEOUT)));
            return null;
        });
    }

    /**
     * Breaks the communicator on all ranks: operations under way, and all later ones, throw. Without effect once it is closed.
     *
     * @param why goes into everyone's exception
     */
    public void abort(String why) {
        session.failures.abort(new AbortReason(
                AbortReason.Kind.CLOSED, rank, -1, "rank " + rank + " aborted the communicator: " + why));
    }

    /**
     * Leaves the communicator. Waits for this rank's operations under way as long as {@code MINI_NCCL_CLOSE_TIMEOUT} allows,
     * then aborts them. Idempotent, from any state and thread, bounded in time. From the completion of a {@link Work} it does not
     * wait: operations that have not begun fail.
     */
    @Override
    public void close() {
        operations.close();
    }

    @Override
    public String toString() {
        return "communicator of " + size + " ranks, rank " + rank;
    }
}
