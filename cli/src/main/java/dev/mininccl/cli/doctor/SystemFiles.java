package dev.mininccl.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What Linux tells in /proc and /sys, below a folder that tests replace. */
public final class SystemFiles {

    private final Path root;

    /** Below {@code root}, which is / but in tests. */
    public SystemFiles(Path root) {
        this.root = root;
    }

    /** A file's lines; none where it cannot be read. */
    public List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** A file's first line. */
    public Optional<String> line(String file) {
        return lines(file).stream().findFirst().map(String::strip);
    }

    /** How many entries of a folder have names that match. */
    public long count(String folder, String pattern) {
        return names(folder).stream().filter(name -> name.matches(pattern)).count();
    }

    /** The names of a folder's entries, sorted; none where it cannot be read. */
    public List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(root.resolve(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Whether there is a file or folder. */
    public boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

    /** A folder's place with all symbolic links followed, below the root; empty where there is none. */
    public Optional<Path> realPath(String folder) {
        try {
            return Optional.of(root.toRealPath().relativize(root.resolve(folder).toRealPath()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The last name of what a symbolic link points to. */
    public Optional<String> linkTarget(String link) {
        try {
            return Optional.of(
                    Files.readSymbolicLink(root.resolve(link)).getFileName().toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Where a file is. */
    public Path path(String file) {
        return root.resolve(file);
    }
}
