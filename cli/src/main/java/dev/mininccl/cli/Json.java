package dev.mininccl.cli;

import java.util.List;
import java.util.Map;

/** Writes JSON (RFC 8259). Objects are maps in their own order; no number is NaN or infinite. */
public final class Json {

    private Json() {}

    /**
     * The text of a value.
     *
     * @param value a map, a list, a number, a boolean, {@code null}, or anything else as its string
     * @return without line breaks
     */
    public static String text(Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value);
        return text.toString();
    }

    private static void append(StringBuilder text, Object value) {
        switch (value) {
            case null -> text.append("null");
            case Map<?, ?> map -> {
                String separator = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    text.append(separator);
                    quote(text, entry.getKey().toString());
                    text.append(':');
                    append(text, entry.getValue());
                    separator = ",";
                }
                text.append(map.isEmpty() ? "{}" : "}");
            }
            case List<?> list -> {
                text.append('[');
                for (int i = 0; i < list.size(); i++) {
                    text.append(i == 0 ? "" : ",");
                    append(text, list.get(i));
                }
                text.append(']');
            }
            case Number number -> text.append(number);
            case Boolean flag -> text.append(flag);
            default -> quote(text, value.toString());
        }
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> text.append('\\').append(c);
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                default -> text.append(c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
            }
        }
        text.append('"');
    }
}
