package dev.mininccl.hera;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider.Request;
import dev.mininccl.core.spi.Deadline;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No master was started: a rank hosts it. */
@Timeout(30)
class HeraEmbeddedTest {

    private static Request request(int rank, int size, int port) {
        return new Request(rank, size, "localhost", port, null, true, "", Duration.ofSeconds(1));
    }

    private static CompletableFuture<Bootstrap> joining(int rank, int size, int port) {
        return Workers.async(() -> Workers.join(request(rank, size, port)));
    }

    private static void assertWorksAndEnds(List<CompletableFuture<Bootstrap>> joining, int port) throws Exception {
        List<Bootstrap> ranks = new ArrayList<>();
        for (CompletableFuture<Bootstrap> one : joining) {
            ranks.add(one.get(15, TimeUnit.SECONDS));
        }
        assertThat(ranks.stream().map(Bootstrap::rank).distinct()).hasSize(ranks.size());
        Workers.together(ranks.stream()
                .<Callable<List<byte[]>>>map(rank -> () -> rank.allGather(new byte[1], Deadline.after(Workers.LIMIT)))
                .toList());
        // From one thread, rank 0 first: its master must go on for the others, and must not be waited for.
        long start = System.nanoTime();
        ranks.sort((a, b) -> Integer.compare(a.rank(), b.rank()));
        ranks.forEach(Bootstrap::close);
        assertThat(System.nanoTime() - start).isLessThan(1_500_000_000L);
        Deadline deadline = Deadline.after(Workers.LIMIT);
        while (!deadline.expired() && masterThreads(port) > 0) {
            Thread.sleep(5);
        }
        assertThat(masterThreads(port)).isZero();
    }

    private static long masterThreads(int port) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("hera-master-" + port))
                .count();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rankZeroHostsTheMasterInWhateverOrderRanksStart(boolean zeroFirst) throws Exception {
        int port = Workers.freePort();
        List<CompletableFuture<Bootstrap>> joining = new ArrayList<>();
        joining.add(joining(zeroFirst ? 0 : 1, 3, port));
        Thread.sleep(150);
        joining.add(joining(zeroFirst ? 1 : 0, 3, port));
        joining.add(joining(2, 3, port));
        assertWorksAndEnds(joining, port);
    }

    @Test
    void ranksWithoutNumberHostItAfterAWhile() throws Exception {
        int port = Workers.freePort();
        assertWorksAndEnds(List.of(joining(-1, 2, port), joining(-1, 2, port)), port);
    }

    /** As far as its host lives long enough: two seconds. */
    @ParameterizedTest
    @ValueSource(ints = {600, 30_000})
    void aHostThatLeavesWaitsForRanksOfOtherProcesses(int stayMillis) throws Exception {
        int port = Workers.freePort();
        boolean inTime = stayMillis < 2000;
        try (RankProcess other = RankProcess.start(1, 2, port, false, stayMillis)) {
            Bootstrap zero = Workers.join(request(0, 2, port));
            other.awaitJoined();
            long start = System.nanoTime();
            zero.close();
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertThat(millis).isBetween(inTime ? 100L : 1950L, inTime ? 1900L : 3500L);
            if (inTime) {
                assertThat(other.exitStatus()).isZero();
            }
            assertThat(masterThreads(port)).isZero();
        }
    }

    @Test
    void anAddressOfThisMachineThatOthersReachDemandsASecret() throws Exception {
        String address = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(a -> a instanceof Inet4Address && !a.isLoopbackAddress())
                .map(InetAddress::getHostAddress)
                .findFirst()
                .orElse(null);
        assumeTrue(address != null, "this machine has only loopback addresses");
        int port = Workers.freePort();
        Request open = new Request(0, 1, address, port, null, true, "", Duration.ofSeconds(1));
        assertThatThrownBy(() -> Workers.join(open))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(address)
                .hasMessageContaining("MINI_NCCL_SECRET_FILE");
        Request closed = new Request(0, 1, address, port, new byte[] {1, 2, 3}, true, "", Duration.ofSeconds(1));
        try (Bootstrap alone = Workers.join(closed)) {
            assertThat(alone.allGather(new byte[2], Deadline.after(Workers.LIMIT)))
                    .hasSize(1);
        }
    }

    @Test
    void aMasterThatRunsIsNotHostedTwice() throws Exception {
        try (HeraMaster master = Workers.master(2)) {
            assertWorksAndEnds(List.of(joining(0, 2, master.port()), joining(-1, 2, master.port())), master.port());
        }
    }

    @Test
    void aSecondMasterCannotListenThere() {
        try (HeraMaster master = Workers.master(2)) {
            assertThatThrownBy(
                            () -> HeraMaster.start(HeraMaster.Options.ofWorld(2).withPort(master.port())))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("cannot listen at 127.0.0.1:" + master.port());
        }
    }

    @Test
    void whoFindsNobodySaysWhatWasTriedAndWhatToDo() throws Exception {
        int port = Workers.freePort();
        assertThatThrownBy(() ->
                        new HeraBootstrapProvider().join(request(1, 2, port), Deadline.after(Duration.ofMillis(200))))
                .isInstanceOf(CommunicatorException.class)
                .hasMessageMatching(
                        "no master at localhost:" + port + " \\([0-9.:, ]+\\) after [0-9]+ ms and [0-9]+ attempts: "
                                + "Connection refused; start rank 0 on that host or `hera-master 2` there, or correct .*");
        Request nowhere = new Request(1, 2, "no-such-host.invalid", port, null, true, "", Duration.ofSeconds(1));
        assertThatThrownBy(() -> new HeraBootstrapProvider().join(nowhere, Deadline.after(Duration.ofMillis(50))))
                .hasMessageContaining("no-such-host.invalid")
                .hasMessageContaining("cannot be resolved");
    }

    @Test
    void aHostThatGivesUpTellsThoseWhoWait() throws Exception {
        int port = Workers.freePort();
        CompletableFuture<Bootstrap> other = joining(1, 3, port);
        assertThatThrownBy(() ->
                        new HeraBootstrapProvider().join(request(0, 3, port), Deadline.after(Duration.ofMillis(400))))
                .hasMessageContaining("2 of 3 ranks have registered, rank 2 is missing");
        assertThatThrownBy(() -> other.get(10, TimeUnit.SECONDS))
                .hasMessageContaining("which hosts the master, gave up")
                .hasMessageContaining("rank 2 is missing");
    }
}
