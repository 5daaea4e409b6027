package dev.mininccl.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the documentation names is there. */
@Timeout(30)
class DocsTest {

    private static final Path ROOT = Path.of("..");

    /** A link to a file of this repository. */
    private static final Pattern LINK = Pattern.compile("\\]\\(([^):#]+)(#[^)]*)?\\)");

    /** A type, also with a method, or a file with kernels. */
    private static final Pattern NAME = Pattern.compile("`(?:([A-Z][a-z]\\w*)(?:\\.\\w+)?|(\\w+\\.cuh?))`");

    private static final Set<String> OF_THE_JDK = Set.of("ServiceLoader.java", "System.java");

    @Test
    void linksLeadToFiles() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages()) {
            for (Matcher link = LINK.matcher(Files.readString(page)); link.find(); ) {
                if (!Files.exists(page.resolveSibling(link.group(1)))) {
                    dead.add(page + ": " + link.group(1));
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    @Test
    void architectureAndDecisionsNameWhatExists() throws IOException {
        Set<String> names = names();
        List<String> unknown = new ArrayList<>();
        for (Path page : pages()) {
            if (!page.endsWith("docs/ARCHITECTURE.md") && !page.getParent().endsWith("decisions")) {
                continue;
            }
            for (Matcher name = NAME.matcher(Files.readString(page)); name.find(); ) {
                String file = name.group(1) == null ? name.group(2) : name.group(1) + ".java";
                if (!names.contains(file) && !OF_THE_JDK.contains(file)) {
                    unknown.add(page + ": " + name.group());
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> here = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            List<Path> pages = Stream.concat(here, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .toList();
            assertThat(pages).hasSizeGreaterThan(10);
            return pages;
        }
    }

    /** All source files, by name. */
    private static Set<String> names() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .flatMap(DocsTest::files)
                    .collect(Collectors.toSet());
        }
    }

    private static Stream<String> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> file.getFileName().toString()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
