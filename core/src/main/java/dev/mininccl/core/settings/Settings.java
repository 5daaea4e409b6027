package dev.mininccl.core.settings;

import dev.mininccl.core.InvalidCallException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The values of all settings, checked when made. Immutable. */
public final class Settings {

    private static final System.Logger LOG = System.getLogger("mininccl.settings");

    private final EnumMap<Setting, String> values;

    private Settings(EnumMap<Setting, String> values) {
        this.values = values;
    }

    /**
     * What the environment of this process says.
     *
     * @return the values
     * @throws InvalidCallException if a value is out of its range
     */
    public static Settings fromEnvironment() {
        return from(System.getenv());
    }

    /**
     * What an environment says; an unknown {@code MINI_NCCL_} name is logged with the nearest known one.
     *
     * @param environment values by variable; others than settings are passed over
     * @return the values
     * @throws InvalidCallException if a value is out of its range
     */
    public static Settings from(Map<String, String> environment) {
        EnumMap<Setting, String> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String value = environment.get(setting.variable());
            values.put(setting, checked(setting, value == null ? setting.byDefault() : value.strip()));
        }
        for (String warning : Unknown.warnings(environment.keySet())) {
            LOG.log(Level.WARNING, warning);
        }
        return new Settings(values);
    }

    /**
     * The defaults.
     *
     * @return the values where nothing is set
     */
    public static Settings defaults() {
        return from(Map.of());
    }

    /**
     * These settings with one value changed.
     *
     * @param setting which
     * @param value as in the environment
     * @return other settings; these stay as they are
     * @throws InvalidCallException if the value is out of range
     */
    public Settings with(Setting setting, String value) {
        EnumMap<Setting, String> changed = new EnumMap<>(values);
        changed.put(setting, checked(setting, value));
        return new Settings(changed);
    }

    /**
     * The value as written.
     *
     * @param setting which
     * @return the text; numbers in bytes or milliseconds without unit
     */
    public String text(Setting setting) {
        return values.get(setting);
    }

    /**
     * A count or a number of bytes.
     *
     * @param setting which
     * @return the number
     */
    public long number(Setting setting) {
        return Long.parseLong(values.get(setting));
    }

    /**
     * A count or a number of bytes that fits an int by its range.
     *
     * @param setting which
     * @return the number
     */
    public int integer(Setting setting) {
        return Math.toIntExact(number(setting));
    }

    /**
     * A flag.
     *
     * @param setting which
     * @return true for 1
     */
    public boolean flag(Setting setting) {
        return values.get(setting).equals("1");
    }

    /**
     * A time.
     *
     * @param setting which
     * @return the duration
     */
    public Duration duration(Setting setting) {
        return Duration.ofMillis(number(setting));
    }

    private static String checked(Setting setting, String value) {
        return switch (setting.kind) {
            case TEXT -> value;
            case CHOICE -> choice(setting, value);
            case FLAG, COUNT, BYTES, MILLIS -> numeric(setting, value);
        };
    }

    private static String choice(Setting setting, String value) {
        for (String allowed : List.of(setting.unit().split("\\|"))) {
            if (allowed.equalsIgnoreCase(value)) {
                return allowed;
            }
        }
        throw refused(setting, value);
    }

    private static String numeric(Setting setting, String value) {
        try {
            long number = setting.kind == Setting.Kind.BYTES ? bytes(value) : Long.parseLong(value);
            if (number >= setting.least && number <= setting.most) {
                return Long.toString(number);
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw refused(setting, value);
        }
        throw refused(setting, value);
    }

    /** A number with an optional K, M or G (powers of 1024). */
    private static long bytes(String value) {
        int last = value.length() - 1;
        int unit = last > 0 ? "KMG".indexOf(value.toUpperCase(Locale.ROOT).charAt(last)) : -1;
        return unit < 0
                ? Long.parseLong(value)
                : Math.multiplyExact(Long.parseLong(value.substring(0, last)), 1L << (10 * (unit + 1)));
    }

    private static InvalidCallException refused(Setting setting, String value) {
        return new InvalidCallException(setting.variable() + "=" + value + ": must be " + setting.range()
                + (setting.kind == Setting.Kind.CHOICE || setting.unit().isEmpty() ? "" : " " + setting.unit()));
    }
}
