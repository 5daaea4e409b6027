package dev.mininccl.cli.perf;

import java.util.List;

/**
 * What a report tells about the run as a whole.
 *
 * @param plan what is measured
 * @param version this library's
 * @param ranks how many
 * @param memory where the buffers lie: {@code host} or {@code cuda}
 * @param transport the transports in use, joined by {@code +}
 * @param engine what runs the schedule
 * @param notes lines for the header
 * @param peers the other libraries measured
 */
record Run(
        Plan plan,
        String version,
        int ranks,
        String memory,
        String transport,
        String engine,
        List<String> notes,
        List<PeerName> peers) {

    /** Another library. */
    record PeerName(String name, String version) {}

    /** The bus bandwidth that belongs to a measurement, in 10^9 bytes a second. */
    double busbwGBs(Row row, Measurement measurement) {
        return measurement.algbwGBs(row.bytes()) * Collectives.busFactor(plan.collective(), ranks);
    }
}
