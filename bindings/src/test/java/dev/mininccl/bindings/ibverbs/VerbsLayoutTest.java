package dev.mininccl.bindings.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.ibverbs.gen.ibv_async_event;
import dev.mininccl.bindings.ibverbs.gen.ibv_context;
import dev.mininccl.bindings.ibverbs.gen.ibv_context_ops;
import dev.mininccl.bindings.ibverbs.gen.ibv_cq;
import dev.mininccl.bindings.ibverbs.gen.ibv_device_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_gid_entry;
import dev.mininccl.bindings.ibverbs.gen.ibv_mr;
import dev.mininccl.bindings.ibverbs.gen.ibv_port_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp_init_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_recv_wr;
import dev.mininccl.bindings.ibverbs.gen.ibv_send_wr;
import dev.mininccl.bindings.ibverbs.gen.ibv_sge;
import dev.mininccl.bindings.ibverbs.gen.ibv_wc;
import dev.mininccl.bindings.ibverbs.gen.verbs_context;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** What a C compiler says about the structures of rdma-core 44 on x86-64, so that a change of headers cannot pass unseen. */
class VerbsLayoutTest {
    static final List<Arguments> TABLE = List.of(
            Arguments.of("ibv_context.ops", ibv_context.ops$offset(), 8),
            Arguments.of("ibv_context.async_fd", ibv_context.async_fd$offset(), 268),
            Arguments.of("ibv_context.abi_compat", ibv_context.abi_compat$offset(), 320),
            Arguments.of("poll_cq", ibv_context.ops$offset() + ibv_context_ops.poll_cq$offset(), 96),
            Arguments.of("req_notify_cq", ibv_context.ops$offset() + ibv_context_ops.req_notify_cq$offset(), 104),
            Arguments.of("post_srq_recv", ibv_context.ops$offset() + ibv_context_ops.post_srq_recv$offset(), 168),
            Arguments.of("post_send", ibv_context.ops$offset() + ibv_context_ops.post_send$offset(), 208),
            Arguments.of("post_recv", ibv_context.ops$offset() + ibv_context_ops.post_recv$offset(), 216),
            Arguments.of("verbs_context.context", verbs_context.context$offset(), 320),
            Arguments.of("ibv_qp.context", ibv_qp.context$offset(), 0),
            Arguments.of("ibv_cq.context", ibv_cq.context$offset(), 0),
            Arguments.of("ibv_qp.qp_num", ibv_qp.qp_num$offset(), 52),
            Arguments.of("ibv_mr.lkey", ibv_mr.lkey$offset(), 36),
            Arguments.of("ibv_mr.rkey", ibv_mr.rkey$offset(), 40),
            Arguments.of("ibv_send_wr.num_sge", ibv_send_wr.num_sge$offset(), 24),
            Arguments.of("ibv_send_wr.opcode", ibv_send_wr.opcode$offset(), 28),
            Arguments.of("ibv_sge.length", ibv_sge.length$offset(), 8),
            Arguments.of("ibv_sge.lkey", ibv_sge.lkey$offset(), 12),
            Arguments.of("sizeof ibv_send_wr", ibv_send_wr.sizeof(), 128),
            Arguments.of("sizeof ibv_recv_wr", ibv_recv_wr.sizeof(), 32),
            Arguments.of("sizeof ibv_sge", ibv_sge.sizeof(), 16),
            Arguments.of("sizeof ibv_wc", ibv_wc.sizeof(), 48),
            Arguments.of("sizeof ibv_qp_attr", ibv_qp_attr.sizeof(), 144),
            Arguments.of("sizeof ibv_qp_init_attr", ibv_qp_init_attr.sizeof(), 64),
            Arguments.of("sizeof ibv_port_attr", ibv_port_attr.sizeof(), 52),
            Arguments.of("sizeof ibv_device_attr", ibv_device_attr.sizeof(), 232),
            Arguments.of("sizeof ibv_gid_entry", ibv_gid_entry.sizeof(), 32),
            Arguments.of("sizeof ibv_async_event", ibv_async_event.sizeof(), 16),
            Arguments.of("sizeof ibv_context", ibv_context.sizeof(), 328));

    @ParameterizedTest(name = "{0} {2}")
    @FieldSource("TABLE")
    void isWhatTheCompilerSays(String name, long here, long compiler) {
        assertThat(here).as(name).isEqualTo(compiler);
    }
}
