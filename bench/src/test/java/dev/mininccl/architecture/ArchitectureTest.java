package dev.mininccl.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every class of the project against {@link Rules}, and the rules against {@link Offender}. */
@Timeout(120)
class ArchitectureTest {

    private static final JavaClasses PROJECT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.mininccl");
    private static final JavaClasses OFFENDER = new ClassFileImporter().importClasses(Offender.class);

    static Stream<Named<ArchRule>> rules() {
        return Stream.of(
                        Rules.ONLY_BINDINGS_IS_NATIVE,
                        Rules.GENERATED_CODE_STAYS_INSIDE,
                        Rules.CORE_KNOWS_NO_TRANSPORT,
                        Rules.TRANSPORTS_KNOW_NO_ALGORITHM,
                        Rules.BINDINGS_KNOW_NOTHING_ABOVE,
                        Rules.SCHEDULES_ARE_PURE,
                        Rules.LIBRARIES_STAND_ALONE,
                        Rules.ONE_EXIT,
                        Rules.ONE_LOGGER,
                        Rules.LIBRARIES_DO_NOT_PRINT,
                        Rules.LIBRARIES_ARE_GUESTS)
                .map(rule -> Named.of(rule.getDescription(), rule));
    }

    static Stream<Named<ArchRule>> rulesThatAnyClassCanBreak() {
        return Stream.of(Rules.ONLY_BINDINGS_IS_NATIVE, Rules.ONE_EXIT, Rules.ONE_LOGGER)
                .map(rule -> Named.of(rule.getDescription(), rule));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void projectKeeps(ArchRule rule) {
        rule.check(PROJECT);
    }

    @ParameterizedTest
    @MethodSource("rulesThatAnyClassCanBreak")
    void offenderIsFound(ArchRule rule) {
        assertThat(rule.evaluate(OFFENDER).hasViolation()).isTrue();
    }
}
