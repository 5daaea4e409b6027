package dev.mininccl.cli;

import picocli.CommandLine.TypeConversionException;

/** Reads numbers of options, with a message that says what is allowed. */
final class Numbers {

    private Numbers() {}

    static int whole(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw refused(text, Integer.MIN_VALUE, Integer.MAX_VALUE, e);
        }
    }

    static long wholeLong(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw refused(text, Long.MIN_VALUE, Long.MAX_VALUE, e);
        }
    }

    private static TypeConversionException refused(String text, long least, long most, NumberFormatException cause) {
        var refused = new TypeConversionException("'" + text + "': must be a whole number, " + least + " to " + most);
        refused.initCause(cause);
        return refused;
    }
}
