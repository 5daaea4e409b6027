package dev.mininccl.bindings.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.ibverbs.gen.ibv_context;
import dev.mininccl.bindings.ibverbs.gen.ibv_context_ops;
import dev.mininccl.bindings.ibverbs.gen.ibv_port_attr;
import dev.mininccl.bindings.ibverbs.gen.verbs_context;
import dev.mininccl.bindings.posix.Allocations;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls through tables of pointers, against a provider made of upcall stubs. */
@Timeout(180)
@SuppressWarnings("restricted")
class VerbsOpsTest {
    private static final long OBJECT = 0x1000;

    private final Arena arena = Arena.ofConfined();
    private MemorySegment surrounding;
    private long context;
    private String called = "";

    @BeforeEach
    void makeProvider() throws ReflectiveOperationException {
        surrounding = verbs_context.allocate(arena);
        verbs_context.sz(surrounding, verbs_context.sizeof());
        MemorySegment inner = verbs_context.context(surrounding);
        ibv_context.abi_compat(inner, MemorySegment.ofAddress(-1));
        context = inner.address();
        MemorySegment ops = ibv_context.ops(inner);
        FunctionDescriptor post = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        ibv_context_ops.post_send(ops, stub("postSend", post));
        ibv_context_ops.post_recv(ops, stub("postReceive", post));
        ibv_context_ops.poll_cq(
                ops, stub("pollQueue", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG)));
        ibv_context_ops.req_notify_cq(ops, stub("askQueue", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT)));
        verbs_context.query_port(
                surrounding,
                stub("askPort", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG)));
    }

    private MemorySegment stub(String method, FunctionDescriptor descriptor) throws ReflectiveOperationException {
        MethodHandle target = MethodHandles.lookup().bind(this, method, descriptor.toMethodType());
        return Linker.nativeLinker().upcallStub(target, descriptor, arena);
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @SuppressWarnings("unused")
    private int postSend(long pair, long request, long failed) {
        called = "postSend " + pair + " " + request + " " + failed;
        return 12;
    }

    @SuppressWarnings("unused")
    private int postReceive(long pair, long request, long failed) {
        called = "postReceive " + pair + " " + request + " " + failed;
        return 0;
    }

    @SuppressWarnings("unused")
    private int pollQueue(long queue, int most, long completions) {
        called = "poll " + queue + " " + most + " " + completions;
        return -1;
    }

    @SuppressWarnings("unused")
    private int askQueue(long queue, int solicitedOnly) {
        called = "notify " + queue + " " + solicitedOnly;
        return 0;
    }

    @SuppressWarnings("unused")
    private int askPort(long device, byte port, long attributes, long bytes) {
        called = "port " + (device - context) + " " + port + " " + (attributes != 0) + " " + bytes;
        return 22;
    }

    @Test
    void tableIsReadAndEveryEntryCalled() {
        VerbsOps ops = VerbsOps.read(context);
        assertThat(VerbsOps.post(ops.postSend(), false, OBJECT, 7, 8)).isEqualTo(12);
        assertThat(called).isEqualTo("postSend 4096 7 8");
        assertThat(VerbsOps.post(ops.postReceive(), false, OBJECT, 7, 8)).isZero();
        assertThat(called).isEqualTo("postReceive 4096 7 8");
        assertThat(VerbsOps.poll(ops.pollCq(), false, OBJECT, 16, 9)).isEqualTo(-1);
        assertThat(called).isEqualTo("poll 4096 16 9");
        assertThat(VerbsOps.notify(ops.requestNotify(), OBJECT, true)).isZero();
        assertThat(called).isEqualTo("notify 4096 1");
    }

    @Test
    void callsThroughTheTableAllocateNothing() {
        MemorySegment sink = NativeLibraries.libc().address("getppid");
        Allocations.assertNone(() -> VerbsOps.post(sink, false, 1, 2, 3) + VerbsOps.post(sink, true, 1, 2, 3));
        Allocations.assertNone(() -> VerbsOps.poll(sink, false, 1, 2, 3) + VerbsOps.poll(sink, true, 1, 2, 3));
    }

    @Test
    void portIsAskedThroughTheSurroundingStructure() {
        MemorySegment attributes = ibv_port_attr.allocate(arena);
        assertThat(VerbsOps.queryPort(context, 1, attributes)).isEqualTo(22);
        assertThat(called).isEqualTo("port 0 1 true 52");
    }

    @Test
    void shorterOrAbsentSurroundingsAreNotFollowed() {
        MemorySegment attributes = ibv_port_attr.allocate(arena);
        verbs_context.sz(surrounding, verbs_context.sizeof() - verbs_context.query_port$offset() - 8);
        assertThat(VerbsOps.queryPort(context, 1, attributes)).isEqualTo(-1);
        verbs_context.sz(surrounding, verbs_context.sizeof());
        verbs_context.query_port(surrounding, MemorySegment.NULL);
        assertThat(VerbsOps.queryPort(context, 1, attributes)).isEqualTo(-1);
        ibv_context.abi_compat(verbs_context.context(surrounding), MemorySegment.NULL);
        assertThat(VerbsOps.queryPort(context, 1, attributes)).isEqualTo(-1);
        assertThat(called).isEmpty();
    }
}
