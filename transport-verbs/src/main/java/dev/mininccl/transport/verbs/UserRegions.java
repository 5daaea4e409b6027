package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.MemoryRegion;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.bindings.ibverbs.VerbsException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * The memory that the operation under way sends from, registered so that slices leave from where they lie. Lanes look up keys
 * here. Memory of the global scope is left out: nobody knows when it goes, and a registration that outlives it would send what
 * lay there before. So is memory that the device refuses; it is copied, as all memory is where the bound on pinned bytes is 0.
 *
 * <p>Announced by the operation's thread before any lane's thread begins.
 */
final class UserRegions implements AutoCloseable {

    /** {@link #key}: the slice must be copied. Keys have 32 bits. */
    static final long ABSENT = -1;

    /** Shorter slices are copied: that costs less than waiting for the device to be done with them. */
    static final int LEAST_BYTES = 16 << 10;

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    private static final int IN = 0;
    private static final int OUT = 1;
    private static final MemorySegment.Scope GLOBAL = MemorySegment.NULL.scope();

    /** A registration, or a refusal, which is kept so as not to ask again each time. */
    private record Region(MemoryRegion memory) {}

    private final RegionCache<Region> cache;
    private final boolean off;
    private final Holder[] held = {new Holder(), new Holder()};
    private long registeringNanos;
    private boolean refused;

    /** What is held for an input or an output. */
    private static final class Holder {
        RegionCache.Entry<Region> entry;
        long begin;
        long end;
        long key = ABSENT;

        boolean holds(long address, int bytes) {
            return address >= begin && address + bytes <= end;
        }

        void forget() {
            end = 0;
            key = ABSENT;
        }
    }

    /** For one protection domain; keeps at most so many bytes pinned beyond their use. */
    UserRegions(ProtectionDomain domain, long limit) {
        off = limit == 0;
        cache = new RegionCache<>(
                new RegionCache.Registrar<>() {
                    @Override
                    public Region register(long address, long bytes) {
                        return UserRegions.this.register(domain, address, bytes);
                    }

                    @Override
                    public void deregister(Region region) {
                        if (region.memory != null) {
                            region.memory.close();
                        }
                    }
                },
                limit);
    }

    private Region register(ProtectionDomain domain, long address, long bytes) {
        long begin = System.nanoTime();
        try {
            // The device only reads it.
            return new Region(domain.register(address, bytes, 0));
        } catch (VerbsException e) {
            LOG.log(refused ? Level.DEBUG : Level.WARNING, "memory is copied, not sent in place: {0}", e.getMessage());
            refused = true;
            return new Region(null);
        } finally {
            registeringNanos += System.nanoTime() - begin;
        }
    }

    /** What the coming operation sends from; see {@link dev.mininccl.core.spi.Transport#announce}. */
    void announce(MemorySegment in, MemorySegment out, long bytes) {
        if (!off) {
            hold(held[IN], in, bytes);
            hold(held[OUT], out, bytes);
        }
    }

    /** The entry of before is kept acquired, so that the same memory is found at once the next time. */
    private void hold(Holder holder, MemorySegment segment, long bytes) {
        if (segment == null || segment.scope().equals(GLOBAL)) {
            holder.forget();
            return;
        }
        long address = segment.address();
        if (holder.entry != null && holder.entry.serves(address, bytes, segment.scope())) {
            cache.hit();
        } else {
            if (holder.entry != null) {
                cache.release(holder.entry);
            }
            holder.entry = cache.acquire(address, bytes, segment.scope());
        }
        MemoryRegion memory = holder.entry.region().memory;
        holder.begin = address;
        holder.end = memory == null ? 0 : address + bytes;
        holder.key = memory == null ? ABSENT : Integer.toUnsignedLong(memory.localKey());
    }

    /** Gives back what is registered of memory that is gone. */
    void withdraw() {
        for (Holder holder : held) {
            if (holder.entry != null && holder.entry.stale()) {
                holder.forget();
                cache.release(holder.entry);
                holder.entry = null;
            }
        }
        cache.dropStale();
    }

    /** The local key of the memory in which a slice lies, or {@link #ABSENT}. */
    long key(long address, int bytes) {
        if (bytes < LEAST_BYTES) {
            return ABSENT;
        }
        if (held[IN].holds(address, bytes)) {
            return held[IN].key;
        }
        return held[OUT].holds(address, bytes) ? held[OUT].key : ABSENT;
    }

    /** One line for {@code explain()}; empty before anything was announced. */
    String metrics(String device, long sentInPlace) {
        long asked = cache.hits() + cache.misses();
        if (asked == 0) {
            return "";
        }
        double millis = registeringNanos / 1e6;
        return String.format(
                Locale.ROOT,
                "verbs over %s: %d bytes sent in place; registrations: %d, %.0f %% hits, %d bytes pinned, %.2f ms spent, about"
                        + " %.2f ms saved",
                device,
                sentInPlace,
                cache.misses(),
                100.0 * cache.hits() / asked,
                cache.pinned(),
                millis,
                millis / Math.max(1, cache.misses()) * cache.hits());
    }

    @Override
    public void close() {
        cache.close();
    }
}
