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
        String ptx = KernelText.of(resource);
        assertThat(ptx).startsWith(".version 7.0\n.target sm_70\n");
        String family = resource.substring(0, resource.lastIndexOf('_'));
        for (ReduceOp op : ReduceOp.values()) {
            String entry = family + "_" + op.label();
            String one = KernelText.only(entry, ptx);
            String arguments = family.equals(Family.TWOSHOT.label()) ? registered(entry) : plain(entry);
            assertThat(one).contains(".visible .entry " + entry + "(", arguments);
            assertThat(one.split("\\.visible \\.entry ", -1)).hasSize(2);
            assertThat(one.split("\\.func ", -1)).hasSize(ptx.contains(".func ") ? 2 : 1);
        }
    }

    @Test
    void untypedKernelsTakeTheSameArguments() {
        for (String entry : List.of("wait", "publish")) {
            assertThat(KernelText.only(entry, KernelText.of("steps"))).contains(registered(entry));
        }
        for (String entry : List.of("agreement", "copy")) {
            assertThat(KernelText.only(entry, KernelText.of("steps"))).contains(plain(entry));
        }
        assertThat(KernelText.only("relay", KernelText.of("relay")))
                .contains(PARAMETER.formatted("relay", KernelArguments.BYTES + 8));
        for (String entry : List.of("prove", "prove_lines")) {
            assertThat(KernelText.only(entry, KernelText.of("prove"))).contains(plain(entry));
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void kernelsThatStayOrGoInStepsHaveEveryTypeAndOperation(DataType type) {
        for (ReduceOp op : ReduceOp.values()) {
            String ending = "_" + type.name().toLowerCase(Locale.ROOT);
            String resident = "resident_" + op.label();
            assertThat(KernelText.only(resident, KernelText.of("resident" + ending)))
                    .contains(PARAMETER.formatted(resident, RESIDENCE_BYTES))
                    .doesNotContain(".local ");
            String step = "reduce_" + op.label();
            assertThat(KernelText.only(step, KernelText.of("reduce" + ending))).contains(registered(step));
        }
    }

    @Test
    void kernelsOfPartsTakeTheStride() {
        for (String entry : List.of("gather", "gather_ll")) {
            assertThat(KernelText.only(entry, KernelText.of("gather")))
                    .contains(PARAMETER.formatted(entry, KernelArguments.BYTES + 8));
        }
        for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                for (String entry : List.of("scatter_" + op.label(), "scatter_ll_" + op.label())) {
                    String resource = "scatter_" + type.name().toLowerCase(Locale.ROOT);
                    assertThat(KernelText.only(entry, KernelText.of(resource)))
                            .contains(PARAMETER.formatted(entry, KernelArguments.BYTES + 8));
                }
            }
        }
    }

    @Test
    void overlappingKernelsWaitBeforeAnythingElse() {
        String entry = "ll2_sum";
        String ptx = KernelText.overlapping(KernelText.only(entry, KernelText.of("ll2_float32")));
        assertThat(ptx).startsWith(".version 7.8\n.target sm_90\n.address_size 64\n");
        assertThat(ptx.substring(ptx.indexOf('{')))
                .startsWith("{\ngriddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n");
        assertThat(KernelText.overlapping(KernelText.of("ll2_float32")).split("griddepcontrol.wait;", -1))
                .hasSize(1 + ReduceOp.values().length);
    }

    @Test
    void unknownNamesAreErrors() {
        assertThatThrownBy(() -> KernelText.of("ll_complex64")).hasMessageContaining("ll_complex64.ptx");
        assertThatThrownBy(() -> KernelText.only("ll_xor", KernelText.of("ll_int8")))
                .hasMessageContaining("ll_xor");
    }

    @Test
    void noKernelNeedsTheStack() throws IOException {
        for (String resource : typedResources().toList()) {
            try (InputStream in = KernelText.class.getResourceAsStream(resource + ".ptx")) {
                String ptx = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
                assertThat(ptx).as(resource).doesNotContain(".local ");
            }
        }
    }
}
