package dev.mininccl.cli.log;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;

/**
 * Gives the command line's loggers: one line a message on standard error, from the level on that {@code MINI_NCCL_DEBUG}
 * names. {@code INFO} shows what {@link Level#DEBUG} holds, the settings and the choice of transports, too.
 */
public final class StandardErrorLoggers extends System.LoggerFinder {

    private final Level least;

    /** Found by {@link java.util.ServiceLoader}. */
    public StandardErrorLoggers() {
        this(System.getenv("MINI_NCCL_DEBUG"));
    }

    StandardErrorLoggers(String debug) {
        least = switch (debug == null ? "WARN" : debug.strip().toUpperCase(Locale.ROOT)) {
            case "OFF" -> Level.OFF;
            case "ERROR" -> Level.ERROR;
            case "INFO" -> Level.DEBUG;
            case "TRACE" -> Level.ALL;
            // The library refuses other values with a message of its own.
            default -> Level.WARNING;
        };
    }

    @Override
    public Logger getLogger(String name, Module module) {
        boolean ours = name.startsWith("mininccl");
        return new StandardErrorLogger(name, ours || least == Level.OFF ? least : Level.WARNING);
    }
}
