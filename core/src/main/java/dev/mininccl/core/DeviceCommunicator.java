package dev.mininccl.core;

import dev.mininccl.core.gpu.DeviceEngine;
import dev.mininccl.core.gpu.DeviceEngines;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.HostService;
import dev.mininccl.core.gpu.StagingServer;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Pinning;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A communicator's GPU: calls take device addresses and a stream, enqueue, and return. The results are there for whatever the stream
 * runs next. Made by {@link Communicator#device}.
 *
 * <p>Addresses and streams may come from any library of the process that works in the device's primary context, as the CUDA runtime
 * and all that build on it do ({@code cudaStream_t} and {@code CUstream} are the same). The calls of a stream that is being captured
 * become part of its graph, which may be replayed at will, as long as all ranks replay alike.
 *
 * <p>Where kernels of all ranks can reach each other's memory they reduce by themselves. Otherwise (ranks on several machines, ranks
 * without a GPU, or {@code MINI_NCCL_TRANSPORT} without a way between GPUs) data passes through pinned memory of the host and the
 * communicator's other lanes. Then an operation here and {@link Communicator#allReduce} of a rank that called
 * {@link Communicator#withoutDevice} are one and the same to all ranks; {@link #explain} tells which way it is.
 *
 * <p>One thread at a time, any thread. Operations run in the order of the calls, whichever streams they are given. A stream must
 * outlive the call after its last one here.
 */
public final class DeviceCommunicator implements AutoCloseable {

    private final Session session;
    private final DeviceEngine engine;
    private final Consumer<AbortReason> listener;
    private final IntConsumer departures;

    private DeviceCommunicator(Session session, DeviceEngine engine) {
        this.session = session;
        this.engine = engine;
        listener = engine::abort;
        departures = engine::left;
        session.failures.listen(listener);
        session.failures.listenToDepartures(departures);
    }

    static DeviceCommunicator open(
            Session session, int ordinal, StagingServer.Operations operations, BooleanSupplier withdraw) {
        GpuOptions options = GpuOptions.defaults()
                .on(lane(session))
                .within(session.settings.duration(Setting.TIMEOUT))
                .inSteps(session.settings.text(Setting.ENGINE).equals("stepwise"))
                .reproducibly(session.settings.flag(Setting.REPRODUCIBLE))
                .staying(Duration.ofNanos(1000L * session.settings.integer(Setting.RESIDENT_IDLE)));
        HostService host = new HostService(
                session.engine.channels(),
                session.engine.leastShare(),
                session.settings.number(Setting.STAGING),
                operations,
                Pinning.of(session.settings),
                withdraw);
        DeviceEngine engine = engines(session).open(ordinal, options, host, session.failures::abort);
        if (engine instanceof GpuEngine gpu && !options.reproducible()) {
            gpu.tune(session.tuning);
        }
        DeviceCommunicator device = new DeviceCommunicator(session, engine);
        session.own(device);
        return device;
    }

    /** Lets the other ranks' {@code open} know that this rank has no GPU. */
    static void decline(Session session) {
        engines(session).decline();
    }

    private static DeviceEngines engines(Session session) {
        Deadline deadline = Deadline.after(session.settings.duration(Setting.CONNECT_TIMEOUT));
        return new DeviceEngines(session.bootstrap, session.hosts, session.settings.text(Setting.TRANSPORT), deadline);
    }

    /** The one that {@code MINI_NCCL_TRANSPORT} leaves, or null. */
    private static GpuLane lane(Session session) {
        return switch (session.settings.text(Setting.TRANSPORT).toLowerCase(Locale.ROOT)) {
            case "p2p" -> GpuLane.PEER;
            case "shm" -> GpuLane.HOST;
            default -> null;
        };
    }

    /**
     * Enqueues a reduction over all ranks that gives everyone the result.
     *
     * @param input address of {@code count} elements of device or pinned host memory, aligned to an element
     * @param output address of {@code count} elements, the very input or apart from it
     * @param count elements, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param op the reduction, the same on all ranks
     * @param stream a {@code CUstream} of the device's primary context
     * @throws InvalidCallException if an argument is out of range or memory is not the device's: nothing was enqueued
     * @throws CommunicatorException if the communicator is, or was, broken
     */
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        engine.allReduce(input, output, count, Buffers.required("type", type), Buffers.required("op", op), stream);
    }

    /**
     * As {@link #allReduce(long, long, long, DataType, ReduceOp, long)}, with NCCL's numbers.
     *
     * @param input device address
     * @param output device address
     * @param count elements
     * @param type a value of {@code ncclDataType_t}
     * @param op a value of {@code ncclRedOp_t}
     * @param stream a {@code CUstream}
     */
    public void allReduce(long input, long output, long count, int type, int op, long stream) {
        engine.allReduce(input, output, count, DataType.ofCode(type), ReduceOp.ofCode(op), stream);
    }

    /**
     * As {@link #allReduce(long, long, long, DataType, ReduceOp, long)}, with buffers of this library.
     *
     * @param input the input, at least {@code count} elements
     * @param output the output, at least {@code count} elements
     * @param count elements
     * @param type of the elements
     * @param op the reduction
     * @param stream a {@code CUstream}
     */
    public void allReduce(
            DeviceBuffer input, DeviceBuffer output, long count, DataType type, ReduceOp op, long stream) {
        allReduce(address("input", input), address("output", output), count, type, op, stream);
    }

    /**
     * Reduces over all ranks and gives everyone the result; returns when it is there. The input must be complete: whatever wrote it
     * has been waited for. Operations of streams end before; graphs with operations of this communicator must not be running.
     *
     * <p>Small buffers of two ranks are served without a launch while such calls follow each other closely: a kernel stays on the
     * device meanwhile, and leaves by itself {@code MINI_NCCL_RESIDENT_IDLE} after the last one. Other ranks may call the same
     * operation with a stream.
     *
     * @param input address of {@code count} elements of device or pinned host memory, aligned to an element
     * @param output address of {@code count} elements, the very input or apart from it
     * @param count elements, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param op the reduction, the same on all ranks
     * @throws InvalidCallException if an argument is out of range or memory is not the device's: nothing was done
     * @throws CommunicatorException if the communicator is, or was, broken: ranks disagreed, a peer is gone, a deadline has passed
     */
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op) {
        engine.allReduce(input, output, count, Buffers.required("type", type), Buffers.required("op", op));
    }

    /**
     * As {@link #allReduce(long, long, long, DataType, ReduceOp)}, with buffers of this library.
     *
     * @param input the input, at least {@code count} elements
     * @param output the output, at least {@code count} elements
     * @param count elements
     * @param type of the elements
     * @param op the reduction
     */
    public void allReduce(DeviceBuffer input, DeviceBuffer output, long count, DataType type, ReduceOp op) {
        allReduce(address("input", input), address("output", output), count, type, op);
    }

    /**
     * Enqueues an all-gather: everyone gets the inputs of all ranks, one after the other.
     *
     * @param send address of {@code sendCount} elements of device or pinned host memory, aligned to an element
     * @param recv address of {@code sendCount} elements of each rank, those of rank r {@code r * sendCount} elements into it; in
     *     place, {@code send} is this rank's place in it, otherwise they are apart
     * @param sendCount elements of each rank, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param stream a {@code CUstream} of the device's primary context
     * @throws InvalidCallException if an argument is out of range or memory is not the device's: nothing was enqueued
     * @throws CommunicatorException if the communicator is, or was, broken
     */
    public void allGather(long send, long recv, long sendCount, DataType type, long stream) {
        engine.allGather(send, recv, sendCount, Buffers.required("type", type), stream);
    }

    /**
     * As {@link #allGather(long, long, long, DataType, long)}, with NCCL's numbers.
     *
     * @param send device address
     * @param recv device address
     * @param sendCount elements of each rank
     * @param type a value of {@code ncclDataType_t}
     * @param stream a {@code CUstream}
     */
    public void allGather(long send, long recv, long sendCount, int type, long stream) {
        engine.allGather(send, recv, sendCount, DataType.ofCode(type), stream);
    }

    /**
     * As {@link #allGather(long, long, long, DataType, long)}, with buffers of this library.
     *
     * @param send the input
     * @param recv the output
     * @param sendCount elements of each rank
     * @param type of the elements
     * @param stream a {@code CUstream}
     */
    public void allGather(DeviceBuffer send, DeviceBuffer recv, long sendCount, DataType type, long stream) {
        allGather(address("send", send), address("recv", recv), sendCount, type, stream);
    }

    /**
     * Gathers the inputs of all ranks, one after the other, and gives them to everyone; returns when they are there. As with the
     * {@linkplain #allReduce(long, long, long, DataType, ReduceOp) blocking all-reduce}, the input must be complete, operations of
     * streams end before, and graphs with operations of this communicator must not be running. Other ranks may call it with a stream.
     *
     * @param send address of {@code sendCount} elements of device or pinned host memory, aligned to an element
     * @param recv address of {@code sendCount} elements of each rank, those of rank r {@code r * sendCount} elements into it; in
     *     place, {@code send} is this rank's place in it, otherwise they are apart
     * @param sendCount elements of each rank, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @throws InvalidCallException if an argument is out of range or memory is not the device's: nothing was done
     * @throws CommunicatorException if the communicator is, or was, broken: ranks disagreed, a peer is gone, a deadline has passed
     */
    public void allGather(long send, long recv, long sendCount, DataType type) {
        engine.allGather(send, recv, sendCount, Buffers.required("type", type));
    }

    /**
     * As {@link #allGather(long, long, long, DataType)}, with buffers of this library.
     *
     * @param send the input
     * @param recv the output
     * @param sendCount elements of each rank
     * @param type of the elements
     */
    public void allGather(DeviceBuffer send, DeviceBuffer recv, long sendCount, DataType type) {
        allGather(address("send", send), address("recv", recv), sendCount, type);
    }

    /**
     * Enqueues a reduce-scatter: each rank gets its part of the reduction over all ranks.
     *
     * @param send address of {@code recvCount} elements for each rank of device or pinned host memory, those for rank r {@code r *
     *     recvCount} elements into it, aligned to an element
     * @param recv address of {@code recvCount} elements; in place, it is this rank's place in {@code send}, otherwise they are apart
     * @param recvCount elements of each rank, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param op the reduction, the same on all ranks
     * @param stream a {@code CUstream} of the device's primary context
     * @throws InvalidCallException if an argument is out of range or memory is not the device's: nothing was enqueued
     * @throws CommunicatorException if the communicator is, or was, broken
     */
    public void reduceScatter(long send, long recv, long recvCount, DataType type, ReduceOp op, long stream) {
        engine.reduceScatter(send, recv, recvCount, Buffers.required("type", type), Buffers.required("op", op), stream);
    }

    /**
     * As {@link #reduceScatter(long, long, long, DataType, ReduceOp, long)}, with NCCL's numbers.
     *
     * @param send device address
     * @param recv device address
     * @param recvCount elements of each rank
     * @param type a value of {@code ncclDataType_t}
     * @param op a value of {@code ncclRedOp_t}
     * @param stream a {@code CUstream}
     */
    public void reduceScatter(long send, long recv, long recvCount, int type, int op, long stream) {
        engine.reduceScatter(send, recv, recvCount, DataType.ofCode(type), ReduceOp.ofCode(op), stream);
    }

    /**
     * As {@link #reduceScatter(long, long, long, DataType, ReduceOp, long)}, with buffers of this library.
     *
     * @param send the input
     * @param recv the output
     * @param recvCount elements of each rank
     * @param type of the elements
     * @param op the reduction
     * @param stream a {@code CUstream}
     */
    public void reduceScatter(
            DeviceBuffer send, DeviceBuffer recv, long recvCount, DataType type, ReduceOp op, long stream) {
        reduceScatter(address("send", send), address("recv", recv), recvCount, type, op, stream);
    }

    /**
     * Reduces over all ranks and gives each its part of the result; returns when it is there. As with the
     * {@linkplain #allReduce(long, long, long, DataType, ReduceOp) blocking all-reduce}, the input must be complete, operations of
     * streams end before, and graphs with operations of this communicator must not be running. Other ranks may call it with a stream.
     *
     * @param send address of {@code recvCount} elements for each rank of device or pinned host memory, those for rank r {@code r *
     *     recvCount} elements into it, aligned to an element
     * @param recv address of {@code recvCount} elements; in place, it is this rank's place in {@code send}, otherwise they are apart
     * @param recvCount elements of each rank, 0 or more, the same on all ranks
     * @param type of the elements, the same on all ranks
     * @param op the reduction, the same on all ranks
     * @throws InvalidCallException if an argument is out of range or memory is not the device's: nothing was done
     * @throws CommunicatorException if the communicator is, or was, broken: ranks disagreed, a peer is gone, a deadline has passed
     */
    public void reduceScatter(long send, long recv, long recvCount, DataType type, ReduceOp op) {
        engine.reduceScatter(send, recv, recvCount, Buffers.required("type", type), Buffers.required("op", op));
    }

    /**
     * As {@link #reduceScatter(long, long, long, DataType, ReduceOp)}, with buffers of this library.
     *
     * @param send the input
     * @param recv the output
     * @param recvCount elements of each rank
     * @param type of the elements
     * @param op the reduction
     */
    public void reduceScatter(DeviceBuffer send, DeviceBuffer recv, long recvCount, DataType type, ReduceOp op) {
        reduceScatter(address("send", send), address("recv", recv), recvCount, type, op);
    }

    /**
     * Allocates device memory that every rank reaches directly: three and more ranks reduce it without copies in between. Collective:
     * all ranks call it in the same order with the same size, and then pass the same places of it to an operation.
     *
     * @param bytes the size, at least 1
     * @return the address, aligned to 256 bytes, valid until {@link #close()}
     * @throws InvalidCallException if the size is out of range
     * @throws CommunicatorException if there is not enough memory, or the GPUs do not reach each other's
     */
    public long allocate(long bytes) {
        if (bytes < 1) {
            throw new InvalidCallException("bytes " + bytes + ": must be at least 1");
        }
        return engine.allocate(bytes);
    }

    /**
     * Waits for a stream, and throws if an operation of this communicator did not end well. Waiting by any other means leaves that to
     * the next call here.
     *
     * @param stream a {@code CUstream}
     * @throws CommunicatorException if the communicator is broken: ranks disagreed, a peer is gone, a deadline has passed
     */
    public void synchronize(long stream) {
        engine.synchronize(stream);
    }

    /**
     * Whether data passes through pinned memory of the host, which reduces it: no lane of GPUs links all ranks.
     *
     * @return false where kernels reduce
     */
    public boolean staged() {
        return engine.staged();
    }

    /**
     * Tells which way the data goes, and why no better one.
     *
     * @return one line
     */
    public String explain() {
        return engine.explain();
    }

    private static long address(String name, DeviceBuffer buffer) {
        return Buffers.required(name, buffer).address();
    }

    /** Frees what this rank has on the device; best called by all ranks when their operations have ended. Idempotent, bounded in time. */
    @Override
    public void close() {
        session.failures.forget(listener);
        session.failures.forgetDepartures(departures);
        engine.close();
    }
}
