package dev.mininccl.cli.perf;

import java.util.Arrays;
import java.util.List;

/** Checks of options; each message names the flag, the value given and what is allowed. */
final class Usage {

    private Usage() {}

    static void range(String flag, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(flag + " " + value + ": must be " + least + " to " + most);
        }
    }

    static void choice(String flag, String value, String... allowed) {
        if (!Arrays.asList(allowed).contains(value)) {
            throw new IllegalArgumentException(flag + " " + value + ": must be " + either(allowed));
        }
    }

    static void refuse(boolean refused, String message) {
        if (refused) {
            throw new IllegalArgumentException(message);
        }
    }

    private static String either(String... allowed) {
        List<String> list = Arrays.asList(allowed);
        return list.size() == 1
                ? list.getFirst()
                : String.join(", ", list.subList(0, list.size() - 1)) + " or " + list.getLast();
    }
}
