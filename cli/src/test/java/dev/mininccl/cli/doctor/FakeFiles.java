package dev.mininccl.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes the files of another machine below a folder. */
public record FakeFiles(Path root) {

    public SystemFiles files() {
        return new SystemFiles(root);
    }

    public void file(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    public void link(String name, String target) throws IOException {
        Path link = root.resolve(name);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(target));
    }
}
