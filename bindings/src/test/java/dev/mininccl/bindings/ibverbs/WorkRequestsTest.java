package dev.mininccl.bindings.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_recv_wr;
import dev.mininccl.bindings.ibverbs.gen.ibv_send_wr;
import dev.mininccl.bindings.ibverbs.gen.ibv_sge;
import dev.mininccl.bindings.ibverbs.gen.ibv_wc;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What hand-made patching writes, read back with generated accessors; the memory ends at a guard page. */
@Timeout(20)
class WorkRequestsTest {
    private static final int COUNT = 8;

    private final GuardedArena arena = new GuardedArena();
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @AfterEach
    void unmap() {
        arena.close();
    }

    private static MemorySegment request(long address) {
        return NativeMemory.segment(address, ibv_send_wr.sizeof());
    }

    @Test
    void writesArePatchedInPlace() {
        SendRequests requests = new SendRequests(arena, COUNT);
        for (int round = 0; round < 1000; round++) {
            int index = random.nextInt(COUNT);
            int next = random.nextInt(COUNT + 1) - 1;
            int bytes = random.nextInt(3) == 0 ? 0 : random.nextInt();
            int flags = random.nextInt(16);
            int localKey = random.nextInt();
            int remoteKey = random.nextInt();
            long local = random.nextLong();
            long remote = random.nextLong();
            requests.patchWrite(index, local, localKey, bytes, remote, remoteKey, round, flags, next);

            MemorySegment wr = request(requests.address(index));
            String what = "seed " + seed + " round " + round;
            assertThat(ibv_send_wr.wr_id(wr)).as(what).isEqualTo(round);
            assertThat(ibv_send_wr.opcode(wr)).as(what).isEqualTo(IbvConstants.IBV_WR_RDMA_WRITE());
            assertThat(ibv_send_wr.send_flags(wr)).as(what).isEqualTo(flags);
            assertThat(ibv_send_wr.num_sge(wr)).as(what).isEqualTo(bytes == 0 ? 0 : 1);
            assertThat(ibv_send_wr.next(wr).address())
                    .as(what)
                    .isEqualTo(next == SendRequests.NONE ? 0 : requests.address(next));
            MemorySegment rdma = ibv_send_wr.wr.rdma(ibv_send_wr.wr(wr));
            assertThat(ibv_send_wr.wr.rdma.remote_addr(rdma)).as(what).isEqualTo(remote);
            assertThat(ibv_send_wr.wr.rdma.rkey(rdma)).as(what).isEqualTo(remoteKey);
            assertEntry(ibv_send_wr.sg_list(wr), local, bytes, localKey, what);
        }
    }

    private static void assertEntry(MemorySegment list, long local, int bytes, int key, String what) {
        MemorySegment entry = ibv_sge.asSlice(list, 0);
        assertThat(ibv_sge.addr(entry)).as(what).isEqualTo(local);
        assertThat(ibv_sge.length(entry)).as(what).isEqualTo(bytes);
        assertThat(ibv_sge.lkey(entry)).as(what).isEqualTo(key);
    }

    @Test
    void otherOperationsHaveTheirOpcodes() {
        SendRequests requests = new SendRequests(arena, COUNT);
        int last = COUNT - 1;
        MemorySegment wr = request(requests.address(last));
        requests.patchRead(last, 1, 2, 3, 4, 5, 6, SendRequests.SIGNALED, SendRequests.NONE);
        assertThat(ibv_send_wr.opcode(wr)).isEqualTo(IbvConstants.IBV_WR_RDMA_READ());
        requests.patchSend(last, 1, 2, 3, 6, SendRequests.INLINE, 0);
        assertThat(ibv_send_wr.opcode(wr)).isEqualTo(IbvConstants.IBV_WR_SEND());
        assertThat(ibv_send_wr.next(wr).address()).isEqualTo(requests.address(0));
        requests.patchWriteWithImmediate(last, 1, 2, 3, 4, 5, 0x01020304, 6, 0, SendRequests.NONE);
        assertThat(ibv_send_wr.opcode(wr)).isEqualTo(IbvConstants.IBV_WR_RDMA_WRITE_WITH_IMM());
        assertThat(NativeMemory.getByte(requests.address(last) + ibv_send_wr.imm_data$offset()))
                .as("immediate data are big-endian")
                .isEqualTo((byte) 1);
    }

    @Test
    void receivesArePatchedInPlace() {
        ReceiveRequests requests = new ReceiveRequests(arena, COUNT);
        requests.patch(COUNT - 1, 11, 22, 33, 44, 0);
        MemorySegment wr = NativeMemory.segment(requests.address(COUNT - 1), ibv_recv_wr.sizeof());
        assertThat(ibv_recv_wr.wr_id(wr)).isEqualTo(44);
        assertThat(ibv_recv_wr.num_sge(wr)).isEqualTo(1);
        assertThat(ibv_recv_wr.next(wr).address()).isEqualTo(requests.address(0));
        assertEntry(ibv_recv_wr.sg_list(wr), 11, 33, 22, "receive");
        requests.patch(COUNT - 1, 0, 0, 0, 45, SendRequests.NONE);
        assertThat(ibv_recv_wr.num_sge(wr)).isZero();
        assertThat(ibv_recv_wr.next(wr).address()).isZero();
    }

    @Test
    void completionsAreRead() {
        WorkCompletions completions = new WorkCompletions(arena, COUNT);
        int last = COUNT - 1;
        MemorySegment wc = NativeMemory.segment(completions.address() + last * ibv_wc.sizeof(), ibv_wc.sizeof());
        ibv_wc.wr_id(wc, -1L);
        ibv_wc.status(wc, 12);
        ibv_wc.opcode(wc, IbvConstants.IBV_WC_RECV_RDMA_WITH_IMM());
        ibv_wc.vendor_err(wc, 99);
        ibv_wc.byte_len(wc, 77);
        ibv_wc.imm_data(wc, 0x04030201);
        ibv_wc.qp_num(wc, 0xabcdef);
        assertThat(completions.id(last)).isEqualTo(-1L);
        assertThat(WorkStatus.of(completions.status(last))).isEqualTo(WorkStatus.RETRY_EXCEEDED);
        assertThat(completions.opcode(last)).isEqualTo(WorkCompletions.RECEIVE_WITH_IMMEDIATE);
        assertThat(completions.vendorError(last)).isEqualTo(99);
        assertThat(completions.length(last)).isEqualTo(77);
        assertThat(completions.immediate(last)).isEqualTo(0x01020304);
        assertThat(completions.queuePair(last)).isEqualTo(0xabcdef);
    }

    @Test
    void indexesAndSizesAreChecked() {
        SendRequests requests = new SendRequests(arena, COUNT);
        assertThatThrownBy(() -> requests.patchSend(COUNT, 0, 0, 0, 0, 0, SendRequests.NONE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> requests.patchSend(0, 0, 0, 0, 0, 0, COUNT))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new SendRequests(arena, 0)).hasMessageContaining("count 0");
        assertThatThrownBy(() -> new ReceiveRequests(arena, 0)).hasMessageContaining("count 0");
        assertThatThrownBy(() -> new WorkCompletions(arena, 0)).hasMessageContaining("capacity 0");
    }
}
