package dev.mininccl.bindings.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.posix.Allocations;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two queue pairs of one real device connected to each other, hardware or Soft-RoCE. {@code src/test/guest/run.sh} runs it in a
 * virtual machine that has the latter.
 */
@Timeout(240)
class RdmaLoopbackTest {
    private static final int BYTES = 1 << 20;
    private static final int DATA = 128 << 10;
    /** Where the counter is, behind the data. */
    private static final int COUNTER = BYTES - 8;

    private static final Retry RETRY = new Retry(14, 6, 6);
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int REMOTE = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

    private final Arena arena = Arena.ofShared();
    private DeviceList devices;
    private Context context;
    private ProtectionDomain domain;
    private CompletionChannel channel;
    private CompletionQueue queue;
    private QueuePair first;
    private QueuePair second;
    private MemoryRegion source;
    private MemoryRegion target;
    private long sourceAddress;
    private long targetAddress;
    private SendRequests sends;
    private WorkCompletions completions;

    @BeforeEach
    void connect() {
        devices = DeviceList.open();
        assumeFalse(devices.devices().isEmpty(), () -> devices.reason().orElseThrow());
        context = devices.devices().getFirst().open();
        domain = context.allocateDomain();
        channel = context.createChannel();
        queue = context.createQueue(256, channel);
        QueuePairOptions options = new QueuePairOptions(queue, queue, 64, 16, 64, false);
        first = domain.createQueuePair(options);
        second = domain.createQueuePair(options);
        sourceAddress = arena.allocate(BYTES, 4096).address();
        targetAddress = arena.allocate(BYTES, 4096).address();
        source = domain.register(sourceAddress, BYTES, Access.LOCAL_WRITE);
        target = domain.register(targetAddress, BYTES, REMOTE | Access.RELAXED_ORDERING);
        sends = new SendRequests(arena, 16);
        completions = new WorkCompletions(arena, 16);
        GidEntry gid = context.gids(1).stream()
                .filter(entry -> entry.gid().isIpv4Mapped() && entry.type() == GidEntry.Type.ROCE_V2)
                .findFirst()
                .orElseThrow();
        RemotePath path = RemotePath.roce(gid, gid.gid(), context.port(1).activeMtu());
        assertThat(first.state()).isEqualTo(QueuePair.State.RESET);
        first.toInit(1, REMOTE);
        second.toInit(1, REMOTE);
        first.toReadyToReceive(path, second.number(), 0x222222);
        second.toReadyToReceive(path, first.number(), 0x111111);
        first.toReadyToSend(0x111111, RETRY);
        second.toReadyToSend(0x222222, RETRY);
        assertThat(first.state()).isEqualTo(QueuePair.State.RTS);
    }

    @AfterEach
    void disconnect() {
        for (AutoCloseable handle :
                new AutoCloseable[] {source, target, first, second, queue, channel, domain, context, devices, arena}) {
            try {
                if (handle != null) {
                    handle.close();
                    handle.close();
                }
            } catch (IllegalStateException e) {
                assertThat(handle).as("closing twice is allowed but for arenas").isSameAs(arena);
            } catch (Exception e) {
                throw new AssertionError(handle.toString(), e);
            }
        }
    }

    /** Waits for one completion and gives its status. */
    private WorkStatus complete(long id) {
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (System.nanoTime() < deadline) {
            int count = queue.poll(completions);
            assertThat(count).isNotNegative();
            if (count > 0) {
                assertThat(count).isEqualTo(1);
                assertThat(completions.id(0)).isEqualTo(id);
                return WorkStatus.of(completions.status(0));
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion of " + id);
    }

    @Test
    void dataThenCounterArriveInOrder() {
        for (long step = 1; step <= 20; step++) {
            for (int at = 0; at < DATA; at += 8) {
                NativeMemory.putLong(sourceAddress + at, step * 1_000_003 + at);
            }
            NativeMemory.putLong(sourceAddress + COUNTER, step);
            int key = source.localKey();
            int remote = target.remoteKey();
            sends.patchWrite(0, sourceAddress, key, DATA, targetAddress, remote, 1, 0, 1);
            sends.patchWrite(
                    1,
                    sourceAddress + COUNTER,
                    key,
                    8,
                    targetAddress + COUNTER,
                    remote,
                    step,
                    SendRequests.SIGNALED,
                    SendRequests.NONE);
            assertThat(first.postSend(sends.address(0))).isZero();
            long deadline = System.nanoTime() + DEADLINE_NANOS;
            while (NativeMemory.getLongAcquire(targetAddress + COUNTER) != step && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            for (int at = 0; at < DATA; at += 8) {
                assertThat(NativeMemory.getLong(targetAddress + at)).isEqualTo(step * 1_000_003 + at);
            }
            assertThat(complete(step)).isEqualTo(WorkStatus.SUCCESS);
            assertThat(completions.opcode(0)).isEqualTo(WorkCompletions.WRITE);
            assertThat(completions.queuePair(0)).isEqualTo(first.number());
        }
    }

    @Test
    void inlineWriteNeedsNoKeyAndMayBeOverwrittenAtOnce() {
        assertThat(first.maxInline()).isGreaterThanOrEqualTo(64);
        NativeMemory.putLong(sourceAddress, 0x1122334455667788L);
        int flags = SendRequests.SIGNALED | SendRequests.INLINE;
        sends.patchWrite(0, sourceAddress, 0, 64, targetAddress, target.remoteKey(), 5, flags, SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        NativeMemory.putLong(sourceAddress, 0);
        assertThat(complete(5)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(NativeMemory.getLongAcquire(targetAddress)).isEqualTo(0x1122334455667788L);
    }

    @Test
    void sendsReadsAndImmediatesComplete() {
        ReceiveRequests receives = new ReceiveRequests(arena, 2);
        receives.patch(0, targetAddress, target.localKey(), 64, 70, 1);
        receives.patch(1, 0, 0, 0, 71, SendRequests.NONE);
        assertThat(second.postReceive(receives.address(0))).isZero();
        NativeMemory.putLong(sourceAddress, 99);
        sends.patchSend(0, sourceAddress, source.localKey(), 8, 1, 0, SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        assertThat(complete(70)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(completions.opcode(0)).isEqualTo(WorkCompletions.RECEIVE);
        assertThat(completions.length(0)).isEqualTo(8);
        assertThat(NativeMemory.getLongAcquire(targetAddress)).isEqualTo(99);

        sends.patchWriteWithImmediate(
                0, 0, 0, 0, targetAddress, target.remoteKey(), 0xcafe0001, 2, 0, SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        assertThat(complete(71)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(completions.immediate(0)).isEqualTo(0xcafe0001);

        NativeMemory.putLong(targetAddress + 64, 123);
        sends.patchRead(
                0,
                sourceAddress + 64,
                source.localKey(),
                8,
                targetAddress + 64,
                target.remoteKey(),
                3,
                SendRequests.SIGNALED,
                SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        assertThat(complete(3)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(NativeMemory.getLongAcquire(sourceAddress + 64)).isEqualTo(123);
    }

    @Test
    void wrongRemoteKeyIsARemoteAccessErrorAndThenFlushes() {
        sends.patchWrite(
                0,
                sourceAddress,
                source.localKey(),
                8,
                targetAddress,
                0x7,
                8,
                SendRequests.SIGNALED,
                SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        assertThat(complete(8)).isEqualTo(WorkStatus.REMOTE_ACCESS);
        assertThat(first.state()).isEqualTo(QueuePair.State.ERR);
        sends.patchWrite(
                0, sourceAddress, source.localKey(), 8, targetAddress, 0, 9, SendRequests.SIGNALED, SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        assertThat(complete(9)).isEqualTo(WorkStatus.FLUSHED);
    }

    @Test
    void fullQueueRefusesTheRest() {
        int most = first.maxSends();
        // A peer in error acknowledges nothing, so nothing leaves the queue.
        second.toError();
        SendRequests chain = new SendRequests(arena, most + 1);
        for (int index = 0; index <= most; index++) {
            int next = index == most ? SendRequests.NONE : index + 1;
            chain.patchWrite(
                    index, sourceAddress, source.localKey(), DATA, targetAddress, target.remoteKey(), index, 0, next);
        }
        int error = 0;
        for (int turn = 0; turn < 10 && error == 0; turn++) {
            error = first.postSend(chain.address(0));
        }
        assertThat(error).isEqualTo(Errno.ENOMEM);
        assertThat(first.failedRequest()).isBetween(chain.address(0), chain.address(most));
    }

    @Test
    void channelAnnouncesOnceAfterBeingAsked() {
        assertThat(channel.await(0)).isZero();
        assertThat(queue.requestNotify(false)).isZero();
        sends.patchWrite(
                0,
                sourceAddress,
                source.localKey(),
                8,
                targetAddress,
                target.remoteKey(),
                1,
                SendRequests.SIGNALED,
                SendRequests.NONE);
        assertThat(first.postSend(sends.address(0))).isZero();
        assertThat(channel.await(10_000)).isEqualTo(queue.address());
        assertThat(complete(1)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(channel.await(0)).isZero();
    }

    @Test
    void bothWaysOfReadingGidsAgree() {
        PortAttributes port = context.port(1);
        assertThat(port.active()).isTrue();
        assertThat(port.linkLayer()).isEqualTo(PortAttributes.LinkLayer.ETHERNET);
        assertThat(GidTable.readOneByOne(context, port))
                .isEqualTo(GidTable.readAtOnce(context, port))
                .isNotEmpty();
        assertThat(context.attributes().ports()).isPositive();
        assertThat(context.attributes().maxQueuePairs()).isPositive();
        assertThat(context.nextEvent(0)).isEmpty();
    }

    @Test
    void errorsNameWhatWasAsked() {
        assertThatThrownBy(() -> domain.register(16, 4096, Access.LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_reg_mr of 4096 bytes on " + context);
        assertThatThrownBy(() -> domain.registerDmabuf(-1, 0, 4096, 0, Access.LOCAL_WRITE))
                .isInstanceOf(VerbsException.class);
        assertThatThrownBy(() -> context.port(200)).hasMessageContaining("EINVAL");
        assertThatThrownBy(domain::close).hasMessageContaining("EBUSY").hasMessageContaining("still open");
        assertThatThrownBy(() -> domain.createQueuePair(new QueuePairOptions(queue, queue, 1 << 30, 1, 0, false)))
                .hasMessageContaining("1073741824 sends");
        assertThatThrownBy(() -> first.toInit(77, 0)).hasMessageContaining("queue pair 0x");
    }

    @Test
    void postingAndPollingAllocateNothing() {
        Allocations.assertNone(() -> {
            int flags = SendRequests.SIGNALED | SendRequests.INLINE;
            sends.patchWrite(0, sourceAddress, 0, 8, targetAddress, target.remoteKey(), 5, flags, SendRequests.NONE);
            long result = first.postSend(sends.address(0));
            long deadline = System.nanoTime() + DEADLINE_NANOS;
            while (queue.poll(completions) == 0 && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            return result + completions.status(0);
        });
        assertThat(completions.status(0)).isEqualTo(WorkCompletions.SUCCESS);
    }

    @Test
    void softwareDevicesTakeNoCriticalCalls() {
        Device device = context.device();
        assumeTrue(device.name().startsWith("rxe"), () -> device + " may be hardware");
        assertThat(device.software()).isTrue();
        assertThat(device.numaNode()).isEmpty();
        assertThatThrownBy(() -> device.open(true)).hasMessageContaining("enters the kernel");
        assertThat(devices.find(device.name())).containsSame(device);
        assertThat(context.critical()).isFalse();
    }

    @Test
    void closedPairTakesNothing() {
        QueuePair pair = domain.createQueuePair(new QueuePairOptions(queue, queue, 4, 4, 0, true));
        pair.close();
        assertThat(pair.postSend(sends.address(0))).isEqualTo(Errno.EBADF);
        assertThat(pair.postReceive(sends.address(0))).isEqualTo(Errno.EBADF);
    }
}
