package dev.mininccl.transport.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Registrations of user memory in one protection domain, kept beyond their use since registering pins pages and takes long.
 * Ranges are whole pages; a request is served by any kept range that contains it. Unused ones go, the longest unused
 * first, once more bytes are pinned than the limit. One goes too when its memory's arena has closed: the address may come back
 * with other pages, and the old registration would still name the former ones. Used by one thread at a time.
 *
 * @param <R> a registration
 */
final class RegionCache<R> implements AutoCloseable {

    private static final long PAGE = 4096;

    /** Pins and unpins memory. */
    interface Registrar<R> {

        R register(long address, long bytes);

        void deregister(R region);
    }

    /** A range in the cache. It stays registered at least until it is released as often as it was acquired. */
    static final class Entry<R> {

        private final long begin;
        private final long end;
        private final R region;
        /** Weak, or memory of an automatic arena would never be freed; cleared before such memory goes. */
        private final WeakReference<MemorySegment.Scope> scope;

        private int users;

        private Entry(long begin, long end, R region, MemorySegment.Scope scope) {
            this.begin = begin;
            this.end = end;
            this.region = region;
            this.scope = new WeakReference<>(scope);
        }

        R region() {
            return region;
        }

        /** Whether it serves a range of memory with a given scope, now. */
        boolean serves(long address, long bytes, MemorySegment.Scope wanted) {
            return address >= begin && address + bytes <= end && scope.refersTo(wanted) && wanted.isAlive();
        }

        /** Whether its memory is gone. */
        boolean stale() {
            MemorySegment.Scope alive = scope.get();
            return alive == null || !alive.isAlive();
        }

        private long bytes() {
            return end - begin;
        }
    }

    private final Registrar<R> registrar;
    private final long limit;
    /** By first address. */
    private final TreeMap<Long, List<Entry<R>>> byBegin = new TreeMap<>();
    /** Those without users, the longest unused first. */
    private final Map<Entry<R>, Entry<R>> unused = new LinkedHashMap<>();

    private long longest;
    private long pinned;
    private long hits;
    private long misses;

    RegionCache(Registrar<R> registrar, long limit) {
        this.registrar = registrar;
        this.limit = limit;
    }

    /** A registration that contains a range of native memory; to be released. */
    Entry<R> acquire(long address, long bytes, MemorySegment.Scope scope) {
        dropStale();
        long begin = address & -PAGE;
        long end = (address + bytes + PAGE - 1) & -PAGE;
        Entry<R> entry = find(begin, end, scope);
        if (entry == null) {
            entry = add(begin, end, scope);
        } else {
            hits++;
        }
        unused.remove(entry);
        entry.users++;
        return entry;
    }

    void release(Entry<R> entry) {
        if (entry.users <= 0) {
            throw new IllegalStateException("released more often than acquired");
        }
        if (--entry.users == 0) {
            unused.put(entry, entry);
            trim(limit);
        }
    }

    private Entry<R> find(long begin, long end, MemorySegment.Scope scope) {
        if (end - begin > longest) {
            return null;
        }
        // No kept range is longer than the longest, so none that begins further left can reach here.
        for (List<Entry<R>> entries :
                byBegin.subMap(end - longest, true, begin, true).descendingMap().values()) {
            for (Entry<R> entry : entries) {
                if (entry.serves(begin, end - begin, scope)) {
                    return entry;
                }
            }
        }
        return null;
    }

    private Entry<R> add(long begin, long end, MemorySegment.Scope scope) {
        misses++;
        trim(Math.max(0, limit - (end - begin)));
        Entry<R> entry = new Entry<>(begin, end, registrar.register(begin, end - begin), scope);
        byBegin.computeIfAbsent(begin, key -> new ArrayList<>()).add(entry);
        pinned += entry.bytes();
        longest = Math.max(longest, entry.bytes());
        return entry;
    }

    private void trim(long most) {
        drop(entry -> pinned > most);
    }

    /** Gives back what nobody uses of memory that is gone. */
    void dropStale() {
        drop(Entry::stale);
    }

    private void drop(Predicate<Entry<R>> which) {
        for (Iterator<Entry<R>> entries = unused.keySet().iterator(); entries.hasNext(); ) {
            Entry<R> entry = entries.next();
            if (which.test(entry)) {
                entries.remove();
                remove(entry);
            }
        }
    }

    private void remove(Entry<R> entry) {
        List<Entry<R>> entries = byBegin.get(entry.begin);
        entries.remove(entry);
        if (entries.isEmpty()) {
            byBegin.remove(entry.begin);
        }
        pinned -= entry.bytes();
        registrar.deregister(entry.region);
    }

    /** One that is in use served again. */
    void hit() {
        hits++;
    }

    long pinned() {
        return pinned;
    }

    long hits() {
        return hits;
    }

    long misses() {
        return misses;
    }

    /** Takes back every registration, used or not; nothing may be under way. */
    @Override
    public void close() {
        unused.clear();
        List.copyOf(byBegin.values()).forEach(entries -> List.copyOf(entries).forEach(this::remove));
    }
}
