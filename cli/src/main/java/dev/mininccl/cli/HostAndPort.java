package dev.mininccl.cli;

/**
 * A host name or address with a port.
 *
 * @param host as given, without the brackets of an IPv6 address
 * @param port 0 to 65535
 */
public record HostAndPort(String host, int port) {

    /**
     * Reads {@code HOST}, {@code HOST:PORT}, {@code [IPv6]} or {@code [IPv6]:PORT}.
     *
     * @param flag names the value in an error
     * @param text what was given
     * @param defaultPort the port where none is given
     * @return both parts
     * @throws IllegalArgumentException if the text is none of these
     */
    public static HostAndPort parse(String flag, String text, int defaultPort) {
        int bracket = text.startsWith("[") ? text.indexOf(']') : -1;
        int colon = text.indexOf(':', Math.max(bracket, 0));
        boolean plainIpv6 = bracket < 0 && colon != text.lastIndexOf(':');
        int end = plainIpv6 || colon < 0 ? text.length() : colon;
        String host = bracket > 0 ? text.substring(1, bracket) : text.substring(0, end);
        String port = end == text.length() ? Integer.toString(defaultPort) : text.substring(end + 1);
        boolean wellFormed = bracket < 0 ? !text.startsWith("[") : end == bracket + 1;
        if (host.isEmpty() || !wellFormed || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
            throw new IllegalArgumentException(
                    flag + " " + text + ": must be HOST or HOST:PORT with a port of at most 65535");
        }
        return new HostAndPort(host, Integer.parseInt(port));
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
