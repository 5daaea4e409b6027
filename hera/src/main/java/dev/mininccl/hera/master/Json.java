package dev.mininccl.hera.master;

import java.util.List;
import java.util.stream.Collectors;

/** Writes one JSON object. */
final class Json {

    private final StringBuilder out = new StringBuilder("{");

    Json add(String name, long value) {
        return member(name, Long.toString(value));
    }

    Json add(String name, String value) {
        return member(name, quote(value));
    }

    Json add(String name, Json value) {
        return member(name, value.toString());
    }

    Json add(String name, List<Json> values) {
        return member(name, values.stream().map(Json::toString).collect(Collectors.joining(",", "[", "]")));
    }

    private Json member(String name, String text) {
        out.append(out.length() > 1 ? "," : "").append(quote(name)).append(':').append(text);
        return this;
    }

    private static String quote(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }

    @Override
    public String toString() {
        return out + "}";
    }
}
