package dev.mininccl.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON strictly enough to notice when ours is none: maps, lists, strings, doubles, booleans, {@code null}. */
public final class JsonReader {

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /** The value of a whole text. */
    public static Object read(String text) {
        JsonReader reader = new JsonReader(text.strip());
        Object value = reader.value();
        if (reader.at != reader.text.length()) {
            throw new IllegalArgumentException("more after the value at " + reader.at);
        }
        return value;
    }

    /** The object of a whole text. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> readObject(String text) {
        return (Map<String, Object>) read(text);
    }

    private Object value() {
        return switch (text.charAt(at)) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            default -> word();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        take('{');
        while (!ends('}')) {
            String key = string();
            take(':');
            map.put(key, value());
        }
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        take('[');
        while (!ends(']')) {
            list.add(value());
        }
        return list;
    }

    /** Takes a comma, unless the end comes. */
    private boolean ends(char end) {
        if (text.charAt(at) == end) {
            at++;
            return true;
        }
        if (text.charAt(at) == ',') {
            at++;
        }
        return false;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        take('"');
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw new IllegalArgumentException("unescaped control character at " + at);
            }
            string.append(c == '\\' ? escaped() : c);
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case '"', '\\' -> c;
            default -> throw new IllegalArgumentException("unknown escape at " + at);
        };
    }

    private Object word() {
        int start = at;
        while (at < text.length() && "{}[],:\"".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        return switch (word) {
            case "null" -> null;
            case "true" -> true;
            case "false" -> false;
            default -> Double.valueOf(word);
        };
    }

    private void take(char expected) {
        if (text.charAt(at) != expected) {
            throw new IllegalArgumentException("expected " + expected + " at " + at + " of " + text);
        }
        at++;
    }
}
