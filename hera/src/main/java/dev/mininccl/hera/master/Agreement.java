package dev.mininccl.hera.master;

import dev.mininccl.hera.wire.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Compares what all ranks must have alike: the library's version and the settings that shape the data path. */
final class Agreement {

    private Agreement() {}

    /** What differs, who has which value; {@code null} if nothing does. */
    static String difference(Member first, Message.Register other) {
        String name = Member.name(other.rank(), other.identity());
        List<String> differences = new ArrayList<>();
        compare("Mini-NCCL's version", first, first.asked.version(), name, other.version(), differences);
        Map<String, String> ours = settings(first.asked.configuration());
        Map<String, String> theirs = settings(other.configuration());
        TreeSet<String> all = new TreeSet<>(ours.keySet());
        all.addAll(theirs.keySet());
        for (String setting : all) {
            compare(setting, first, ours.get(setting), name, theirs.get(setting), differences);
        }
        return differences.isEmpty() ? null : String.join("; ", differences) + ": they must be the same on all ranks";
    }

    private static void compare(
            String what, Member first, String ours, String name, String theirs, List<String> differences) {
        String left = ours == null ? "not known" : ours;
        String right = theirs == null ? "not known" : theirs;
        if (!left.equals(right)) {
            differences.add(what + " is " + right + " on " + name + " but " + left + " on " + first);
        }
    }

    private static Map<String, String> settings(String configuration) {
        Map<String, String> settings = new LinkedHashMap<>();
        configuration.lines().filter(line -> !line.isBlank()).forEach(line -> {
            int equals = line.indexOf('=');
            settings.put(equals < 0 ? line : line.substring(0, equals), equals < 0 ? "" : line.substring(equals + 1));
        });
        return settings;
    }
}
