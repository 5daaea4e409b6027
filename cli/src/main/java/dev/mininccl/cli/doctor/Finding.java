package dev.mininccl.cli.doctor;

/**
 * What a check found.
 *
 * @param level how bad it is
 * @param subject what was looked at, one or two words
 * @param text what was found
 * @param fix what to do about it; empty where nothing needs to be done
 */
public record Finding(Level level, String subject, String text, String fix) {

    /** How bad a finding is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Works, but slower or with less than it could. */
        WARN,
        /** Something cannot work. */
        FAIL
    }

    static Finding ok(String subject, String text) {
        return new Finding(Level.OK, subject, text, "");
    }

    static Finding warn(String subject, String text, String fix) {
        return new Finding(Level.WARN, subject, text, fix);
    }

    static Finding fail(String subject, String text, String fix) {
        return new Finding(Level.FAIL, subject, text, fix);
    }
}
