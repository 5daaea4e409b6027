package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The committed PTX, as far as it can be checked without a GPU. */
class KernelTextTest {
    private static final String PARAMETER = ".param .align 8 .b8 %s_param_0[%d]";
    private static final long RESIDENCE_BYTES = KernelArguments.BYTES + 40;

    private static String plain(String entry) {
        return PARAMETER.formatted(entry, KernelArguments.BYTES);
    }

    private static String registered(String entry) {
        return PARAMETER.formatted(entry, KernelArguments.MOST_BYTES);
    }

    static Stream<String> typedResources() {
        return Arrays.stream(Family.values())
                .flatMap(family -> Arrays.stream(DataType.values())
                        .map(type -> family.label() + "_" + type.name().toLowerCase(Locale.ROOT)));
    }

    @ParameterizedTest
    @MethodSource("typedResources")
    void everyFamilyHasEveryTypeAndOperation(String resource) {
        String ptx = KernelStore.text(resource);
        assertThat(ptx).startsWith(".version 7.0\n.target sm_70\n");
        String family = resource.substring(0, resource.indexOf('_'));
        for (ReduceOp op : ReduceOp.values()) {
            String entry = family + "_" + op.label();
            String one = KernelStore.only(entry, ptx);
            String arguments = family.equals(Family.TWOSHOT.label()) ? registered(entry) : plain(entry);
            assertThat(one).contains(".visible .entry " + entry + "(", arguments);
            assertThat(one.split("\\.visible \\.entry ", -1)).hasSize(ptx.contains(".func") ? 6 : 2);
        }
    }

    @Test
    void untypedKernelsTakeTheSameArguments() {
        for (String entry : List.of("wait", "publish")) {
            assertThat(KernelStore.only(entry, KernelStore.text("steps"))).contains(registered(entry));
        }
        for (String entry : List.of("agreement", "copy")) {
            assertThat(KernelStore.only(entry, KernelStore.text("steps"))).contains(plain(entry));
        }
        assertThat(KernelStore.only("relay", KernelStore.text("relay"))).contains(plain("relay"));
        for (String entry : List.of("prove", "prove_lines")) {
            assertThat(KernelStore.only(entry, KernelStore.text("prove"))).contains(plain(entry));
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void kernelsThatStayOrGoInStepsHaveEveryTypeAndOperation(DataType type) {
        for (ReduceOp op : ReduceOp.values()) {
            String ending = "_" + type.name().toLowerCase(Locale.ROOT);
            String resident = "resident_" + op.label();
            assertThat(KernelStore.only(resident, KernelStore.text("resident" + ending)))
                    .contains(PARAMETER.formatted(resident, RESIDENCE_BYTES))
                    .doesNotContain(".local ");
            String step = "reduce_" + op.label();
            assertThat(KernelStore.only(step, KernelStore.text("reduce" + ending)))
                    .contains(registered(step));
        }
    }

    @Test
    void unknownNamesAreErrors() {
        assertThatThrownBy(() -> KernelStore.text("ll_complex64")).hasMessageContaining("ll_complex64.ptx");
        assertThatThrownBy(() -> KernelStore.only("ll_xor", KernelStore.text("ll_int8")))
                .hasMessageContaining("ll_xor");
    }

    @Test
    void noKernelNeedsTheStack() throws IOException {
        for (String resource : typedResources().toList()) {
            try (InputStream in = KernelStore.class.getResourceAsStream(resource + ".ptx")) {
                String ptx = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
                assertThat(ptx).as(resource).doesNotContain(".local ");
            }
        }
    }
}
