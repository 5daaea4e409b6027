package dev.mininccl.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What Linux tells in /proc and /sys, below a folder that tests replace. */
final class SystemFiles {

    private final Path root;

    SystemFiles(Path root) {
        this.root = root;
    }

    /** A file's lines; none where it cannot be read. */
    List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** A file's first line. */
    Optional<String> line(String file) {
        return lines(file).stream().findFirst().map(String::strip);
    }

    /** How many entries of a folder have names that match. */
    long count(String folder, String pattern) {
        return names(folder).stream().filter(name -> name.matches(pattern)).count();
    }

    /** The names of a folder's entries, sorted; none where it cannot be read. */
    List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(root.resolve(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

    /** The last name of what a symbolic link points to. */
    Optional<String> linkTarget(String link) {
        try {
            return Optional.of(
                    Files.readSymbolicLink(root.resolve(link)).getFileName().toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    Path path(String file) {
        return root.resolve(file);
    }
}
