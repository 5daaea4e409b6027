package dev.mininccl.hera;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version that the build wrote down; all ranks must have the same. */
final class LibraryVersion {

    private LibraryVersion() {}

    static String get() {
        try (InputStream in = LibraryVersion.class.getResourceAsStream("version.properties")) {
            if (in == null) {
                return "unbuilt";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException("version.properties of this library cannot be read", e);
        }
    }
}
