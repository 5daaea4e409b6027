package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.ibv_async_event;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.MemorySegment;

/**
 * Something that happened to a device, a port, a queue pair or a completion queue.
 *
 * @param type what
 * @param port the port, or 0 if it is no port's event
 * @param queuePair the queue pair's number, or 0 if it is none's event
 * @param queue {@link CompletionQueue#address} of the completion queue, or 0 if it is none's event
 */
public record AsyncEvent(Type type, int port, int queuePair, long queue) {
    private enum Source {
        QUEUE,
        QUEUE_PAIR,
        PORT,
        DEVICE
    }

    /** What happened ({@code enum ibv_event_type}). */
    public enum Type {
        /** A completion queue overran or broke. */
        COMPLETION_QUEUE_ERROR(Source.QUEUE, true),
        /** A queue pair broke. */
        QUEUE_PAIR_FATAL(Source.QUEUE_PAIR, true),
        /** The peer's request was invalid. */
        QUEUE_PAIR_REQUEST_ERROR(Source.QUEUE_PAIR, true),
        /** The peer's request was not allowed. */
        QUEUE_PAIR_ACCESS_ERROR(Source.QUEUE_PAIR, true),
        /** The first packet came before the own end was ready to send. */
        COMMUNICATION_ESTABLISHED(Source.QUEUE_PAIR, false),
        /** A send queue is drained. */
        SEND_QUEUE_DRAINED(Source.QUEUE_PAIR, false),
        /** A path migrated. */
        PATH_MIGRATED(Source.QUEUE_PAIR, false),
        /** A path could not migrate. */
        PATH_MIGRATION_ERROR(Source.QUEUE_PAIR, false),
        /** The device broke. */
        DEVICE_FATAL(Source.DEVICE, true),
        /** A port's link is up. */
        PORT_ACTIVE(Source.PORT, false),
        /** A port's link is down. */
        PORT_ERROR(Source.PORT, false),
        /** A port's local identifier changed. */
        LID_CHANGE(Source.PORT, false),
        /** A port's partition keys changed. */
        PKEY_CHANGE(Source.PORT, false),
        /** The subnet manager changed. */
        SUBNET_MANAGER_CHANGE(Source.PORT, false),
        /** Not used here. */
        SHARED_RECEIVE_QUEUE_ERROR(Source.DEVICE, true),
        /** Not used here. */
        SHARED_RECEIVE_QUEUE_LIMIT(Source.DEVICE, false),
        /** The last request of a queue pair in error is done. */
        LAST_REQUEST_REACHED(Source.QUEUE_PAIR, false),
        /** The subnet manager asks clients to register again. */
        CLIENT_REREGISTER(Source.PORT, false),
        /** A port's GIDs changed. */
        GID_CHANGE(Source.PORT, false),
        /** Not used here. */
        WORK_QUEUE_FATAL(Source.DEVICE, true),
        /** One newer than this library. */
        UNKNOWN(Source.DEVICE, false);

        private static final Type[] VALUES = values();

        private final Source source;
        private final boolean fatal;

        Type(Source source, boolean fatal) {
            this.source = source;
            this.fatal = fatal;
        }

        /**
         * The constant of a number of the C enumeration.
         *
         * @param code the number
         * @return the constant, {@link #UNKNOWN} for numbers without one
         */
        public static Type of(int code) {
            return code >= 0 && code < VALUES.length ? VALUES[code] : UNKNOWN;
        }

        /**
         * Whether what it happened to does not work any more. A port that is down may come back.
         *
         * @return true if it must be made anew
         */
        public boolean fatal() {
            return fatal;
        }
    }

    static AsyncEvent read(MemorySegment event) {
        Type type = Type.of(ibv_async_event.event_type(event));
        MemorySegment element = ibv_async_event.element(event);
        return switch (type.source) {
            case QUEUE ->
                new AsyncEvent(type, 0, 0, ibv_async_event.element.cq(element).address());
            case QUEUE_PAIR -> {
                // The structure exists: destroying a queue pair waits until its events are acknowledged.
                long pair = ibv_async_event.element.qp(element).address();
                yield new AsyncEvent(type, 0, NativeMemory.getInt(pair + ibv_qp.qp_num$offset()), 0);
            }
            case PORT -> new AsyncEvent(type, ibv_async_event.element.port_num(element), 0, 0);
            case DEVICE -> new AsyncEvent(type, 0, 0, 0);
        };
    }
}
