package dev.mininccl.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class NativeLibrariesTest {
    private static final FunctionDescriptor INT_OF_INT = FunctionDescriptor.of(JAVA_INT, JAVA_INT);

    @Test
    void libcIsPresentAndCalled() throws Throwable {
        NativeLibrary libc = NativeLibraries.libc();
        assertThat(libc.present()).isTrue();
        assertThat(libc.reason()).isEmpty();
        MethodHandle abs = libc.handle("abs", INT_OF_INT);
        assertThat((int) abs.invokeExact(-5)).isEqualTo(5);
        assertThat(libc.address("abs").address()).isNotZero();
        assertThat(libc).hasToString("libc present");
    }

    @Test
    void functionPointersAreCalled() throws Throwable {
        MethodHandle call = NativeLibrary.pointerHandle(INT_OF_INT);
        MemorySegment abs = NativeLibraries.libc().address("abs");
        assertThat((int) call.invokeExact(abs, -7)).isEqualTo(7);
    }

    @Test
    void absentLibraryNamesFileAndRemedy() {
        NativeLibrary absent = NativeLibrary.open("libnone.so.1", List.of("libnone.so.1"), "install none");
        assertThat(absent.present()).isFalse();
        assertThat(absent.reason())
                .hasValue("libnone.so.1: cannot open shared object file: No such file or directory; install none");
        assertThat(absent.has("f")).isFalse();
        assertThatThrownBy(() -> absent.address("f")).hasMessageContaining("libnone.so.1 is absent");
    }

    @Test
    void fileThatIsNoLibraryIsNamed(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("lib.so"), "no library");
        NativeLibrary absent = NativeLibrary.open("lib.so", List.of(file.toString()), "mend it");
        assertThat(absent.reason())
                .hasValueSatisfying(reason -> assertThat(reason)
                        .startsWith(file + ": ")
                        .contains("too short")
                        .endsWith("; mend it"));
    }

    @Test
    void secondFileIsTried() {
        NativeLibrary found = NativeLibrary.open("libc", List.of("libnone.so.1", "libc.so.6"), "install libc");
        assertThat(found.has("abs")).isTrue();
    }

    @Test
    void missingFunctionThrowsWhenCalledAndNotBefore() {
        MethodHandle plain = NativeLibraries.libc().handle("no_such_function", INT_OF_INT);
        assertThatThrownBy(() -> {
                    int _ = (int) plain.invokeExact(1);
                })
                .isInstanceOf(NativeUnavailableException.class)
                .hasMessage("libc has no function no_such_function; a newer release of it is needed");
        MethodHandle capturing =
                NativeLibrary.absent("libnone.so.1", "gone").errnoHandle("f", FunctionDescriptor.ofVoid(JAVA_INT));
        assertThatThrownBy(() -> {
                    capturing.invokeExact(MemorySegment.NULL, 1);
                })
                .hasMessage("f cannot be called: libnone.so.1 is absent: gone");
    }

    @Test
    void everyLibraryIsPresentOrSaysWhyNot() {
        for (NativeLibrary library : List.of(NativeLibraries.ibverbs(), NativeLibraries.cuda())) {
            assertThat(library.present()).isEqualTo(library.reason().isEmpty());
            library.reason().ifPresent(reason -> assertThat(reason).contains(library.name(), "install"));
        }
    }
}
