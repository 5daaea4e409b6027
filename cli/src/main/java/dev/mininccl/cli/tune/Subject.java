package dev.mininccl.cli.tune;

import java.util.ArrayList;
import java.util.List;

/**
 * One section of a tuning file and how its candidates are measured.
 *
 * @param section its name
 * @param perf what {@code perf} is told besides the sizes
 * @param from the smallest message, in bytes
 * @param to the largest
 * @param rounds how often each candidate is measured, in turns
 * @param candidates the ways beside the built-in ones
 */
record Subject(String section, List<String> perf, long from, long to, int rounds, List<Candidate> candidates) {

    private static final long K = 1024;
    private static final long M = 1024 * K;

    /** The host engine, over lanes of memory or of a network. */
    static Subject host(String section, int ranks, boolean network, List<String> perf, long to) {
        List<Candidate> candidates = new ArrayList<>();
        candidates.add(new Candidate("one-shot slots", 8, Math.min(to, M)));
        candidates.add(new Candidate("two-shot slots", 8, to));
        if (!network) {
            candidates.add(new Candidate("two-shot reference", Math.min(to, 16 * K), to));
        }
        if (ranks > 2) {
            candidates.add(new Candidate("ring slots", Math.min(to, K), to));
        }
        return new Subject(section, perf, 8, to, 2, candidates);
    }

    /** Two GPUs, by the way between them: nvlink, pcie or host. */
    static Subject gpuPair(String section, String way, List<String> perf, long to) {
        List<Candidate> candidates = new ArrayList<>();
        long last = way.equals("host") ? 256 * K : 512 * K;
        for (String shape : List.of("1 64", "1 256", "4 64", "8 64", "8 256", "32 256", "32 512")) {
            candidates.add(new Candidate("LL2 " + shape + " 0 0", shape.startsWith("32") ? 16 * K : 8, last));
        }
        switch (way) {
            case "nvlink" -> {
                for (String shape : List.of("64 64 0 2", "64 128 0 2", "128 128 0 2", "128 128 1 4", "128 256 0 2")) {
                    candidates.add(new Candidate("LL128 " + shape, 128 * K, 256 * M));
                }
                exchange(candidates, 32 * M, "128 512 16384 4", "128 1024 32768 2");
            }
            case "pcie" ->
                exchange(candidates, 64 * K, "16 512 1024 4", "32 512 4096 4", "64 512 16384 4", "64 1024 16384 4");
            default ->
                exchange(
                        candidates,
                        256 * K,
                        "64 512 512 2",
                        "96 512 512 2",
                        "128 512 512 2",
                        "96 1024 1024 2",
                        "128 512 2048 2",
                        "128 512 2048 4");
        }
        return new Subject(section, perf, 8, to, 1, within(candidates, to));
    }

    /** Three to eight GPUs. What does not fit these ranks' memory fails by itself and is left out. */
    static Subject manyGpus(String section, String way, List<String> perf, long to) {
        List<Candidate> candidates = new ArrayList<>();
        for (String shape : List.of("1 64", "1 256", "8 256", "32 256")) {
            candidates.add(new Candidate("LL " + shape + " 0 0", shape.startsWith("32") ? 4 * K : 8, 64 * K));
        }
        for (String shape : List.of("4 128", "16 128", "32 256")) {
            candidates.add(new Candidate("LL_TWOSHOT " + shape + " 0 0", 4 * K, way.equals("host") ? 64 * K : 256 * K));
        }
        if (way.equals("nvlink")) {
            for (String shape : List.of("64 64", "64 128", "128 256")) {
                candidates.add(new Candidate("LL128_TWOSHOT " + shape + " 0 0", 64 * K, 4 * M));
            }
            for (String shape : List.of("32 512 512 3", "64 512 1024 3", "64 512 2048 3")) {
                candidates.add(new Candidate("MESH " + shape, M, Long.MAX_VALUE));
            }
        }
        for (String shape : List.of("8 512 1024 4", "32 512 " + (way.equals("host") ? "2048" : "8192") + " 4")) {
            candidates.add(new Candidate("RING " + shape, 256 * K, Long.MAX_VALUE));
        }
        return new Subject(section, perf, 8, to, 1, within(candidates, to));
    }

    private static void exchange(List<Candidate> candidates, long from, String... shapes) {
        for (String shape : shapes) {
            candidates.add(new Candidate("EXCHANGE " + shape, from, Long.MAX_VALUE));
        }
    }

    private static List<Candidate> within(List<Candidate> candidates, long to) {
        return candidates.stream()
                .filter(one -> one.from() <= to)
                .map(one -> new Candidate(one.way(), one.from(), Math.min(to, one.to())))
                .toList();
    }
}
