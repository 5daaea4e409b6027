package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RegionCacheTest {

    private static final long PAGE = 4096;
    private static final long LIMIT = 8 * PAGE;

    /** What is registered now. */
    private final List<String> registered = new ArrayList<>();

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(64 * PAGE, PAGE);
    private final RegionCache<String> cache = new RegionCache<>(
            new RegionCache.Registrar<>() {
                @Override
                public String register(long address, long bytes) {
                    assertThat(address % PAGE).isZero();
                    assertThat(bytes % PAGE).isZero();
                    String region = (address - memory.address()) / PAGE + "+" + bytes / PAGE;
                    registered.add(region);
                    return region;
                }

                @Override
                public void deregister(String region) {
                    assertThat(registered.remove(region)).isTrue();
                }
            },
            LIMIT);

    @AfterEach
    void nothingStays() {
        cache.close();
        assertThat(registered).isEmpty();
        assertThat(cache.pinned()).isZero();
        arena.close();
    }

    private RegionCache.Entry<String> acquire(long offset, long bytes) {
        return cache.acquire(memory.address() + offset, bytes, memory.scope());
    }

    @Test
    void rangesAreWholePages() {
        assertThat(acquire(PAGE - 1, 2).region()).isEqualTo("0+2");
        assertThat(acquire(5 * PAGE, PAGE).region()).isEqualTo("5+1");
    }

    @Test
    void containedRequestIsAHit() {
        RegionCache.Entry<String> large = acquire(PAGE, 4 * PAGE);
        acquire(6 * PAGE, 1);
        assertThat(acquire(4 * PAGE + 7, 9)).isSameAs(large);
        assertThat(acquire(4 * PAGE + 7, PAGE)).isNotSameAs(large);
        assertThat(cache.hits()).isEqualTo(1);
        assertThat(cache.misses()).isEqualTo(3);
    }

    @Test
    void longestUnusedGoesFirstAndUsedOnesStay() {
        RegionCache.Entry<String> used = acquire(0, 3 * PAGE);
        cache.release(acquire(10 * PAGE, 2 * PAGE));
        cache.release(acquire(20 * PAGE, 2 * PAGE));
        cache.release(acquire(10 * PAGE, 1));
        cache.release(acquire(30 * PAGE, 2 * PAGE));
        assertThat(registered).containsExactlyInAnyOrder("0+3", "10+2", "30+2");
        cache.release(used);
        cache.release(acquire(40 * PAGE, 8 * PAGE));
        assertThat(registered).containsExactly("40+8");
    }

    @Test
    void moreThanTheLimitIsKeptOnlyWhileUsed() {
        RegionCache.Entry<String> large = acquire(0, 20 * PAGE);
        assertThat(cache.pinned()).isEqualTo(20 * PAGE);
        cache.release(large);
        assertThat(registered).isEmpty();
    }

    @Test
    void memoryOfAClosedArenaIsForgotten() {
        try (Arena other = Arena.ofConfined()) {
            cache.release(cache.acquire(other.allocate(PAGE, PAGE).address(), PAGE, other.scope()));
            assertThat(registered).hasSize(1);
        }
        acquire(0, 1);
        assertThat(registered).containsExactly("0+1");
    }

    @Test
    void memoryOfAClosedArenaIsGivenBackWhenAskedTo() {
        RegionCache.Entry<String> used;
        try (Arena other = Arena.ofConfined()) {
            used = cache.acquire(other.allocate(PAGE, PAGE).address(), PAGE, other.scope());
            cache.release(cache.acquire(other.allocate(PAGE, PAGE).address(), PAGE, other.scope()));
            cache.release(acquire(0, 1));
            cache.dropStale();
            assertThat(registered).hasSize(3);
        }
        cache.dropStale();
        assertThat(registered).as("what is used, and what lives").hasSize(2).contains("0+1");
        cache.release(used);
        cache.dropStale();
        assertThat(registered).containsExactly("0+1");
    }

    @Test
    void sameRangeOfAnotherArenaIsAnotherEntry() {
        RegionCache.Entry<String> first = acquire(0, 8);
        assertThat(cache.acquire(memory.address(), 8, Arena.global().scope())).isNotSameAs(first);
    }

    @Test
    void entryServesItsOwnMemoryOnlyWhileThatLives() {
        RegionCache.Entry<String> entry;
        MemorySegment.Scope closed;
        long address;
        try (Arena other = Arena.ofConfined()) {
            closed = other.scope();
            MemorySegment there = other.allocate(2 * PAGE, PAGE);
            address = there.address();
            entry = cache.acquire(address, 2 * PAGE, other.scope());
            assertThat(entry.serves(there.address() + 1, PAGE, there.asSlice(9).scope()))
                    .isTrue();
            assertThat(entry.serves(there.address() + PAGE, PAGE + 1, other.scope()))
                    .isFalse();
            assertThat(entry.serves(there.address(), PAGE, arena.scope())).isFalse();
        }
        assertThat(entry.serves(address, PAGE, closed)).isFalse();
        cache.release(entry);
    }

    @Test
    void releasingTwiceIsRefused() {
        RegionCache.Entry<String> entry = acquire(0, 1);
        cache.release(entry);
        assertThatThrownBy(() -> cache.release(entry)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void keepsWithinTheLimitAndServesWhatIsAskedFor() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<RegionCache.Entry<String>> held = new ArrayList<>();
        for (int turn = 0; turn < 5000; turn++) {
            if (held.size() < 3 && random.nextBoolean()) {
                int first = random.nextInt(60);
                int pages = 1 + random.nextInt(Math.min(4, 64 - first));
                RegionCache.Entry<String> entry = acquire(first * PAGE, pages * PAGE);
                String[] range = entry.region().split("\\+", 2);
                int begin = Integer.parseInt(range[0]);
                assertThat(begin).isLessThanOrEqualTo(first);
                assertThat(begin + Integer.parseInt(range[1])).isGreaterThanOrEqualTo(first + pages);
                assertThat(registered).contains(entry.region());
                held.add(entry);
            } else if (!held.isEmpty()) {
                cache.release(held.remove(random.nextInt(held.size())));
            }
            if (held.isEmpty()) {
                assertThat(cache.pinned()).isLessThanOrEqualTo(LIMIT);
            }
        }
    }
}
