package dev.mininccl.core.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Finds names that look like settings and are none. */
final class Unknown {

    private Unknown() {}

    static List<String> warnings(Collection<String> names) {
        List<String> warnings = new ArrayList<>();
        for (String name : names) {
            if (name.startsWith(Setting.PREFIX) && !known(name)) {
                warnings.add("unknown setting " + name + " is ignored; did you mean " + nearest(name) + "?");
            }
        }
        return warnings;
    }

    private static boolean known(String name) {
        for (Setting setting : Setting.values()) {
            if (setting.variable().equals(name)) {
                return true;
            }
        }
        // the launcher's own
        return name.equals("MINI_NCCL_JAVA_HOME") || name.equals("MINI_NCCL_BUILD");
    }

    static String nearest(String name) {
        String best = "";
        int least = Integer.MAX_VALUE;
        for (Setting setting : Setting.values()) {
            int distance = distance(name, setting.variable());
            if (distance < least) {
                least = distance;
                best = setting.variable();
            }
        }
        return best;
    }

    /** Levenshtein's distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
