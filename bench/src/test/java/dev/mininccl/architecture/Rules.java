package dev.mininccl.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/** Which module and which package may use what. Each rule's reason is part of its message. */
final class Rules {

    private static final String BINDINGS = "dev.mininccl.bindings..";
    private static final String CORE = "dev.mininccl.core..";
    private static final String TRANSPORTS = "dev.mininccl.transport..";
    private static final String HERA = "dev.mininccl.hera..";
    private static final String[] LIBRARIES = {BINDINGS, CORE, TRANSPORTS, HERA};

    static final ArchRule ONLY_BINDINGS_IS_NATIVE = noClasses()
            .that(not(resideInAPackage(BINDINGS)))
            .should()
            .accessTargetWhere(calls(Map.of(
                    Linker.class, Set.of("downcallHandle", "upcallStub"),
                    SymbolLookup.class, Set.of("libraryLookup"),
                    MemorySegment.class, Set.of("reinterpret"),
                    AddressLayout.class, Set.of("withTargetLayout"),
                    ModuleLayer.Controller.class, Set.of("enableNativeAccess"),
                    System.class, Set.of("load", "loadLibrary"),
                    Runtime.class, Set.of("load", "loadLibrary"))))
            .because("--enable-native-access names one module, so that there is one place to read for memory safety");

    static final ArchRule GENERATED_CODE_STAYS_INSIDE = noClasses()
            .that(not(resideInAPackage(BINDINGS)))
            .should()
            .dependOnClassesThat(resideInAPackage("dev.mininccl.bindings.(*).gen.."))
            .because("generated code is wrapped by typed handle classes");

    static final ArchRule CORE_KNOWS_NO_TRANSPORT = noClasses()
            .that(resideInAPackage(CORE))
            .should()
            .dependOnClassesThat(resideInAnyPackage(TRANSPORTS, HERA, "dev.mininccl.cli..", "dev.mininccl.bench.."))
            .because("algorithms know no transport; those are found with ServiceLoader");

    static final ArchRule TRANSPORTS_KNOW_NO_ALGORITHM = noClasses()
            .that(resideInAnyPackage(TRANSPORTS, HERA))
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "dev.mininccl.core.schedule..",
                    "dev.mininccl.core.host..",
                    "dev.mininccl.core.gpu..",
                    "dev.mininccl.core.tuning.."))
            .because("a transport moves slots, whatever they are for");

    static final ArchRule BINDINGS_KNOW_NOTHING_ABOVE = noClasses()
            .that(resideInAPackage(BINDINGS))
            .should()
            .dependOnClassesThat(resideInAPackage("dev.mininccl..").and(not(resideInAPackage(BINDINGS))))
            .because("bindings are the lowest layer");

    static final ArchRule SCHEDULES_ARE_PURE = noClasses()
            .that(resideInAPackage("dev.mininccl.core.schedule.."))
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "java.lang.foreign..", "java.io..", "java.net..", "java.nio..", "java.util.concurrent.."))
            .because("a schedule is tested without memory, threads or time");

    static final ArchRule LIBRARIES_STAND_ALONE = classes()
            .that(resideInAnyPackage(LIBRARIES))
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("java..", "javax.crypto..", "jdk.incubator.vector..", "dev.mininccl.."))
            .because("the libraries depend on nothing but the JDK");

    static final ArchRule ONE_EXIT = noClasses()
            .that(not(named("dev.mininccl.cli.Main")))
            .should()
            .accessTargetWhere(calls(Map.of(System.class, Set.of("exit"), Runtime.class, Set.of("exit", "halt"))))
            .because("only the command line's main may end the process");

    static final ArchRule ONE_LOGGER = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.util.logging..", "org.slf4j..", "org.apache.logging.."))
            .because("logs go through System.Logger, which users bridge to what they have");

    static final ArchRule LIBRARIES_DO_NOT_PRINT = noClasses()
            .that(resideInAnyPackage(LIBRARIES))
            .and(not(resideInAPackage("dev.mininccl.bindings.(*).gen..")))
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethod(Throwable.class, "printStackTrace")
            .because("standard output and error belong to the program");

    static final ArchRule LIBRARIES_ARE_GUESTS = noClasses()
            .that(resideInAnyPackage(LIBRARIES))
            .should()
            .accessTargetWhere(calls(Map.of(
                    Runtime.class, Set.of("addShutdownHook"),
                    ClassLoader.class, Set.of("getSystemClassLoader"),
                    Thread.class, Set.of("getContextClassLoader", "setContextClassLoader"))))
            .orShould()
            .callMethod(ServiceLoader.class, "load", Class.class)
            .because(
                    "the library may live in a foreign program, on threads with no context class loader, and leaves no hooks");

    private Rules() {}

    /** Accesses to any of the named methods of the given classes, overloads included. */
    private static DescribedPredicate<JavaAccess<?>> calls(Map<Class<?>, Set<String>> methods) {
        return DescribedPredicate.describe(
                "calls one of " + methods,
                access -> methods.entrySet().stream()
                        .anyMatch(entry -> access.getTargetOwner().isAssignableTo(entry.getKey())
                                && entry.getValue().contains(access.getTarget().getName())));
    }

    private static DescribedPredicate<JavaClass> named(String name) {
        return DescribedPredicate.describe(name, type -> type.getName().equals(name));
    }
}
