package dev.mininccl.cli.perf;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads and writes numbers of bytes with K, M, G and T for powers of 1024, as nccl-tests does. */
public final class ByteSize implements ITypeConverter<Long> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,19})([KMGT]?)(I?B)?");

    /** Used by picocli. */
    public ByteSize() {}

    @Override
    public Long convert(String text) {
        Matcher matcher = FORM.matcher(text.toUpperCase(Locale.ROOT));
        if (matcher.matches()) {
            int power = " KMGT".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2));
            try {
                return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * power));
            } catch (ArithmeticException | NumberFormatException e) {
                throw refused(text, e);
            }
        }
        throw refused(text, null);
    }

    private static TypeConversionException refused(String text, Exception cause) {
        var refused = new TypeConversionException(
                "'" + text + "': must be a number of bytes from 0 to " + Long.MAX_VALUE + ", K, M, G or T may follow");
        refused.initCause(cause);
        return refused;
    }

    /** A number of bytes for people, exact. */
    static String text(long bytes) {
        String[] units = {" B", " KiB", " MiB", " GiB", " TiB"};
        int unit = 0;
        long value = bytes;
        while (unit < units.length - 1 && value >= 1024 && value % 1024 == 0) {
            value /= 1024;
            unit++;
        }
        return value + units[unit];
    }
}
