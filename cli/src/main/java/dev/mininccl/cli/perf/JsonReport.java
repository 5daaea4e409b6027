package dev.mininccl.cli.perf;

import dev.mininccl.cli.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One JSON object for the whole run. Times are µs, bandwidths 10^9 bytes a second. */
final class JsonReport implements Report {

    private final Output output;

    JsonReport(Output output) {
        this.output = output;
    }

    @Override
    public void end(Run run, Summary summary) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("version", run.version());
        object.put("ranks", run.ranks());
        object.put("memory", run.memory());
        object.put("transport", run.transport());
        object.put("engine", run.engine());
        object.put("collective", run.plan().collective().label());
        object.put("type", run.plan().typeLabel());
        object.put("op", run.plan().operationLabel());
        object.put("results", results(run, summary.rows()));
        object.put("peers", peers(run, summary));
        output.write(Json.text(object) + "\n");
    }

    private static List<Object> peers(Run run, Summary summary) {
        List<Object> peers = new ArrayList<>();
        for (int i = 0; i < run.peers().size(); i++) {
            int peer = i;
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("name", run.peers().get(i).name());
            object.put("version", run.peers().get(i).version());
            List<Row> rows =
                    summary.rows().stream().map(row -> row.peers().get(peer)).toList();
            object.put("results", results(run, rows));
            peers.add(object);
        }
        return peers;
    }

    private static List<Object> results(Run run, List<Row> rows) {
        List<Object> results = new ArrayList<>();
        for (Row row : rows) {
            for (boolean inPlace : run.plan().modes()) {
                if (row.of(inPlace) != null) {
                    results.add(result(run, row, inPlace));
                }
            }
        }
        return results;
    }

    private static Map<String, Object> result(Run run, Row row, boolean inPlace) {
        Measurement measurement = row.of(inPlace);
        Map<String, Object> times = new LinkedHashMap<>();
        times.put("min", measurement.minUs());
        times.put("median", measurement.medianUs());
        times.put("p99", measurement.p99Us());
        Map<String, Object> result = new LinkedHashMap<>();
        if (run.plan().types().size() > 1 || run.plan().operations().size() > 1) {
            result.put("type", row.type().label());
            result.put("op", Collectives.label(run.plan().collective(), row.op()));
        }
        result.put("bytes", row.bytes());
        result.put("count", row.count());
        result.put("inPlace", inPlace);
        result.put("timeUs", times);
        result.put("algbwGBs", measurement.algbwGBs(row.bytes()));
        result.put("busbwGBs", run.busbwGBs(row, measurement));
        result.put("wrong", measurement.wrong() == Measurement.UNCHECKED ? null : measurement.wrong());
        return result;
    }
}
