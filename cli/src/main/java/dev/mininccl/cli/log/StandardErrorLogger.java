package dev.mininccl.cli.log;

import java.text.MessageFormat;
import java.util.Locale;
import java.util.MissingResourceException;
import java.util.ResourceBundle;

/** Prints one line a message on standard error. */
final class StandardErrorLogger implements System.Logger {

    private final String name;
    private final Level least;

    StandardErrorLogger(String name, Level least) {
        this.name = name;
        this.least = least;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean isLoggable(Level level) {
        return level != Level.OFF && level.getSeverity() >= least.getSeverity();
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        if (isLoggable(level)) {
            print(level, localised(bundle, message) + (thrown == null ? "" : ": " + thrown));
            if (thrown != null && least == Level.ALL) {
                thrown.printStackTrace(System.err);
            }
        }
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... values) {
        if (isLoggable(level)) {
            String text = localised(bundle, format);
            boolean plain = values == null || values.length == 0;
            print(level, plain ? text : new MessageFormat(text, Locale.ROOT).format(values));
        }
    }

    private void print(Level level, String text) {
        System.err.println(level + " " + name + ": " + text);
    }

    private static String localised(ResourceBundle bundle, String key) {
        try {
            return bundle == null ? key : bundle.getString(key);
        } catch (MissingResourceException e) {
            return key;
        }
    }
}
