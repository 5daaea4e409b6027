package dev.mininccl.core.tuning;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code mini-nccl tune} measured: for each kind of lanes the way that serves messages up to a size. Ranks must have the same.
 *
 * <p>A text: a first line {@code mini-nccl tuning 1}, then sections, each a line {@code [name]} and rows {@code BYTES WAY} in
 * ascending order, where the way {@code shipped} leaves the sizes to the built-in table, as are those above the last row. What follows
 * {@code #} is a comment.
 */
public final class TuningFile {

    /** The first line. */
    public static final String HEADER = "mini-nccl tuning 1";

    /** The way that leaves a size to the built-in table. */
    public static final String SHIPPED = "shipped";

    private static final TuningFile NONE = new TuningFile("", Map.of());
    private static final int HASH_DIGITS = 16;

    private final String name;
    private final Map<String, List<Row>> sections;

    private TuningFile(String name, Map<String, List<Row>> sections) {
        this.name = name;
        this.sections = sections;
    }

    /**
     * A row.
     *
     * @param limit the largest message it serves, in bytes
     * @param way what follows, its words separated by one space
     * @param place file and line, for messages
     */
    public record Row(long limit, String way, String place) {

        /** Whether the built-in table decides. */
        public boolean shipped() {
            return way.equals(SHIPPED);
        }

        /** An error in this row. */
        public InvalidCallException refused(String allowed) {
            return new InvalidCallException("tuning file " + place + ", '" + way + "': must be " + allowed);
        }
    }

    /** No file: the built-in tables decide. */
    public static TuningFile none() {
        return NONE;
    }

    /**
     * What the setting TUNING_FILE names.
     *
     * @throws InvalidCallException if it cannot be read or is wrong, naming file and line
     */
    public static TuningFile of(Settings settings) {
        String file = settings.text(Setting.TUNING_FILE);
        if (file.isEmpty()) {
            return NONE;
        }
        try {
            return parse(file, Files.readString(Path.of(file)));
        } catch (IOException e) {
            throw new InvalidCallException(
                    Setting.TUNING_FILE.variable() + "=" + file + ": must be a file that can be read (" + e + ")");
        }
    }

    /** Reads a file's text; {@code name} is for messages. */
    public static TuningFile parse(String name, String text) {
        Map<String, List<Row>> sections = new LinkedHashMap<>();
        List<Row> rows = null;
        boolean begun = false;
        int number = 0;
        for (String line : text.split("\n", -1)) {
            String place = name + " line " + ++number;
            String words = line.replaceFirst("#.*", "").strip().replaceAll("\\s+", " ");
            if (words.isEmpty()) {
                continue;
            }
            if (!begun) {
                if (!words.equals(HEADER)) {
                    throw refused(place, words, "'" + HEADER + "'");
                }
                begun = true;
            } else if (words.matches("\\[.+]")) {
                rows = sections.computeIfAbsent(words.substring(1, words.length() - 1), key -> new ArrayList<>());
            } else if (rows == null) {
                throw refused(place, words, "a section, as [" + hostSection(2, false) + "]");
            } else {
                rows.add(row(place, words, rows));
            }
        }
        if (!begun) {
            throw refused(name, "", "a file that begins with '" + HEADER + "'");
        }
        return new TuningFile(name, sections);
    }

    private static Row row(String place, String words, List<Row> before) {
        String[] parts = words.split(" ", 2);
        long least = before.isEmpty() ? 0 : before.getLast().limit + 1;
        if (parts.length != 2 || !parts[0].matches("\\d{1,18}") || Long.parseLong(parts[0]) < least) {
            throw refused(place, words, "BYTES WAY, with at least " + least + " bytes");
        }
        return new Row(Long.parseLong(parts[0]), parts[1], place);
    }

    private static InvalidCallException refused(String place, String words, String allowed) {
        return new InvalidCallException("tuning file " + place + ", '" + words + "': must be " + allowed);
    }

    /** The section of the host engine. */
    public static String hostSection(int ranks, boolean network) {
        return "host ranks=" + ranks + (network ? " network" : " memory");
    }

    /** The section of GPUs; {@code lane} is nvlink, pcie or host. */
    public static String gpuSection(int ranks, String lane) {
        return "gpu ranks=" + ranks + " " + lane;
    }

    /** A section's rows; none if it is not there. */
    public List<Row> rows(String section) {
        return sections.getOrDefault(section, List.of());
    }

    /** Sixteen hex digits that differ where rows do, whatever the file is called and its comments say; {@code none} without a file. */
    public String hash() {
        if (sections.isEmpty()) {
            return "none";
        }
        StringBuilder text = new StringBuilder();
        sections.forEach((section, rows) -> {
            text.append('[').append(section).append("]\n");
            rows.forEach(
                    row -> text.append(row.limit).append(' ').append(row.way).append('\n'));
        });
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(digest, HASH_DIGITS / 2));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return sections.isEmpty() ? "none" : name + " (" + hash() + ")";
    }
}
