package dev.mininccl.cli.tune;

import dev.mininccl.core.tuning.TuningFile;
import java.util.Map;
import java.util.TreeMap;

/**
 * A way to be measured, and what it came to.
 *
 * @param way as a tuning file writes it
 * @param from the smallest message worth measuring, in bytes
 * @param to the largest
 * @param micros the best median so far in µs, by bytes
 */
record Candidate(String way, long from, long to, TreeMap<Long, Double> micros) {

    Candidate(String way, long from, long to) {
        this(way, from, to, new TreeMap<>());
    }

    /** The built-in tables. */
    static Candidate shipped(long from, long to) {
        return new Candidate(TuningFile.SHIPPED, from, to);
    }

    boolean isShipped() {
        return way.equals(TuningFile.SHIPPED);
    }

    /** Keeps the better of two rounds. */
    void add(Map<Long, Double> medians) {
        medians.forEach((bytes, median) -> micros.merge(bytes, median, Math::min));
    }

    /** A file that has all messages of its range go this way. */
    String table(String section) {
        return TuningFile.HEADER + "\n[" + section + "]\n" + to + " " + way + "\n";
    }
}
