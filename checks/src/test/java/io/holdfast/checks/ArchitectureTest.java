package io.holdfast.checks;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.holdfast.checks.planted.Believer;
import io.holdfast.checks.planted.Breaker;
import io.holdfast.checks.planted.Intruder;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Arrows between modules, and the rule that time, threads and chance come through the ports. */
class ArchitectureTest {
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.holdfast");

    private static final String[] PUBLISHED = {
        "io.holdfast",
        "io.holdfast.spi..",
        "io.holdfast.memory..",
        "io.holdfast.internal..",
        "io.holdfast.redis..",
        "io.holdfast.jdbc..",
        "io.holdfast.http..",
        "io.holdfast.micrometer.."
    };

    private static final Map<String, Set<String>> PORTS_ONLY = Map.of(
            "java.lang.System", Set.of("currentTimeMillis", "nanoTime"),
            "java.lang.Thread", Set.of("sleep", "start", "currentThread", "interrupted", "<init>"),
            "java.util.concurrent.locks.LockSupport", Set.of("park", "parkNanos", "parkUntil", "unpark"),
            "java.util.concurrent.ThreadLocalRandom", Set.of("current"),
            "java.util.Random", Set.of("<init>"),
            "java.security.SecureRandom", Set.of("<init>"),
            "java.time.Instant", Set.of("now"),
            "java.time.LocalDateTime", Set.of("now"),
            "java.util.UUID", Set.of("randomUUID"),
            "java.util.concurrent.Executors", Set.of("*"));

    private static final Set<String> MACHINE = Set.of("SystemPlatform", "Stores", "JdkLock", "Carrier");

    private static JavaClass top(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::top).orElse(type);
    }

    static ArchRule portsOnly(String... packages) {
        return noClasses()
                .that(resideInAnyPackage(packages))
                // The places that are the machine, and the two where a message or a class loader needs the thread.
                .and(DescribedPredicate.not(DescribedPredicate.describe(
                        "the machine itself", type -> MACHINE.contains(top(type).getSimpleName()))))
                .should(accessForbidden())
                .because("the whole engine must run under the time, the threads and the chance of a test");
    }

    private static com.tngtech.archunit.lang.ArchCondition<JavaClass> accessForbidden() {
        return callMethodWhere(forbidden())
                .or(com.tngtech.archunit.lang.conditions.ArchConditions.callConstructorWhere(forbiddenConstructor()));
    }

    private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaMethodCall> forbidden() {
        return DescribedPredicate.describe("clock, sleep, thread or chance", ArchitectureTest::isForbidden);
    }

    private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaConstructorCall> forbiddenConstructor() {
        return DescribedPredicate.describe("clock, sleep, thread or chance", ArchitectureTest::isForbidden);
    }

    private static boolean isForbidden(JavaAccess<? extends AccessTarget> access) {
        Set<String> names = PORTS_ONLY.get(access.getTargetOwner().getName());
        return names != null
                && (names.contains("*") || names.contains(access.getTarget().getName()));
    }

    static ArchRule internalsStayInside(String... packages) {
        return noClasses()
                .that(resideInAnyPackage(packages))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.holdfast.internal..")
                .because("backends and users see the API and the SPI only");
    }

    @Test
    void theClassesAreThere() {
        assertThat(LIBRARY.contain("io.holdfast.internal.Engine")).isTrue();
        assertThat(LIBRARY.contain("io.holdfast.redis.RedisStore")).isTrue();
        assertThat(LIBRARY.contain("io.holdfast.micrometer.HoldfastMetrics")).isTrue();
        assertThat(LIBRARY.contain("io.holdfast.spring.Locked")).isTrue();
        assertThat(LIBRARY.contain("io.holdfast.testkit.Faults")).isTrue();
    }

    @Test
    void libraryCode_takesTimeThreadsAndChanceFromThePorts() {
        portsOnly(PUBLISHED).check(LIBRARY);
    }

    /** What a seed does must follow from the seed alone. */
    @Test
    void simulatedWorld_hasNoTimeThreadsOrChanceButItsOwn() {
        portsOnly(
                        "io.holdfast.simulation.world..",
                        "io.holdfast.simulation.net..",
                        "io.holdfast.simulation.redis..",
                        "io.holdfast.simulation.load..",
                        "io.holdfast.simulation.audit..")
                .check(LIBRARY);
    }

    @Test
    void aClassThatReadsTheClock_isFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(Breaker.class);
        assertThatThrownBy(() -> portsOnly("..planted..").check(planted))
                .hasMessageContaining("currentTimeMillis")
                .hasMessageContaining("sleep")
                .hasMessageContaining("java.lang.Thread.<init>")
                .hasMessageContaining("java.util.Random.<init>");
    }

    @Test
    void backends_doNotSeeTheEngine() {
        internalsStayInside(
                        "io.holdfast.redis..",
                        "io.holdfast.jdbc..",
                        "io.holdfast.http..",
                        "io.holdfast.micrometer..",
                        "io.holdfast.spring..",
                        "io.holdfast.testkit..",
                        "io.holdfast.cli..",
                        "io.holdfast.examples..")
                .check(LIBRARY);
    }

    @Test
    void aClassThatReachesIntoTheEngine_isFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(Intruder.class);
        assertThatThrownBy(() -> internalsStayInside("..planted..").check(planted))
                .hasMessageContaining("SystemPlatform");
    }

    @Test
    void core_dependsOnNothingButTheJdkAndSlf4j() {
        classes()
                .that(resideInAnyPackage(
                        "io.holdfast", "io.holdfast.spi..", "io.holdfast.memory..", "io.holdfast.internal.."))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "jdk.jfr..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "io.holdfast",
                        "io.holdfast.spi..",
                        "io.holdfast.memory..",
                        "io.holdfast.internal..")
                .check(LIBRARY);
    }

    /** The driver is the application's business. */
    @Test
    void jdbc_dependsOnNothingButTheJdkAndTheApi() {
        classes()
                .that(resideInAnyPackage("io.holdfast.jdbc.."))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "io.holdfast", "io.holdfast.jdbc..")
                .check(LIBRARY);
    }

    /** What an application may lack is named here, with the few classes that may name it. */
    private static final Map<String, Set<String>> IF_THERE = Map.of(
            "io.holdfast.jdbc..", Set.of("JdbcGateAutoConfiguration"),
            "org.springframework.jdbc..", Set.of("JdbcGateAutoConfiguration"),
            "io.holdfast.micrometer..", Set.of("MetersAutoConfiguration"),
            "io.micrometer..", Set.of("MetersAutoConfiguration"),
            "org.springframework.boot.actuate..", Set.of("ActuatorAutoConfiguration", "LocksEndpoint"),
            "org.springframework.boot.health..", Set.of("ActuatorAutoConfiguration"),
            "org.springframework.integration..", Set.of("IntegrationAutoConfiguration", "HoldfastLockRegistry"),
            "org.springframework.transaction..",
                    Set.of("LockedAutoConfiguration", "TransactionTies", "GateInterceptor", "ReactiveTie"),
            "reactor..", Set.of("ReactiveSections", "ReactiveTie"),
            "org.reactivestreams..", Set.of("ReactiveSections"));

    /** Any other class that named one of these would end the start of an application that does not have it. */
    @Test
    void theStarter_namesWhatAnApplicationMayLack_onlyWhereItHasAsked() {
        IF_THERE.forEach((library, places) -> noClasses()
                .that(resideInAnyPackage("io.holdfast.spring.."))
                .and(DescribedPredicate.describe(
                        "not one of " + places,
                        type -> !places.contains(top(type).getSimpleName())))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(LIBRARY));
    }

    @Test
    void theStarter_dependsOnNothingElse() {
        classes()
                .that(resideInAnyPackage("io.holdfast.spring.."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                "javax.net.ssl..",
                                "javax.sql..",
                                "org.slf4j..",
                                "org.jspecify..",
                                "org.aopalliance..",
                                // What comes with Boot itself.
                                "org.springframework.aop..",
                                "org.springframework.asm..",
                                "org.springframework.beans..",
                                "org.springframework.boot",
                                "org.springframework.boot.autoconfigure..",
                                "org.springframework.boot.context..",
                                "org.springframework.boot.convert..",
                                "org.springframework.boot.diagnostics..",
                                "org.springframework.boot.ssl..",
                                "org.springframework.context..",
                                "org.springframework.core..",
                                "org.springframework.expression..",
                                "org.springframework.lang",
                                "org.springframework.scheduling..",
                                "org.springframework.util..",
                                "io.holdfast",
                                "io.holdfast.spi..",
                                "io.holdfast.spring..")
                        .or(resideInAnyPackage(IF_THERE.keySet().toArray(String[]::new)))
                        .or(DescribedPredicate.describe(
                                "the door of the Redis module",
                                type -> type.getName().equals("io.holdfast.redis.RedisStore"))))
                .check(LIBRARY);
    }

    @Test
    void theStarter_showsTheAnnotationAndTheEvents() {
        assertThat(LIBRARY.stream()
                        .filter(type -> type.getPackageName().equals("io.holdfast.spring") && type.isTopLevelClass())
                        .filter(type ->
                                type.getModifiers().contains(com.tngtech.archunit.core.domain.JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder("Locked", "ElectedEvent", "DeposedEvent");
    }

    /** A runtime may lack the recorder, so nothing else may load it. */
    @Test
    void theFlightRecorder_isUsedInOnePackage() {
        noClasses()
                .that(resideInAnyPackage("io.holdfast.."))
                .and()
                .resideOutsideOfPackage("io.holdfast.internal.flight..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jdk.jfr..")
                .check(LIBRARY);
    }

    private static final String[] SHIPPED = {
        "io.holdfast",
        "io.holdfast.spi..",
        "io.holdfast.memory..",
        "io.holdfast.internal..",
        "io.holdfast.redis..",
        "io.holdfast.jdbc..",
        "io.holdfast.http..",
        "io.holdfast.micrometer..",
        "io.holdfast.spring..",
        "io.holdfast.cli..",
        "io.holdfast.testkit.."
    };

    /** What makes objects, classes or programs of bytes or of names. */
    private static final Set<String> MAKES_CODE_OF_DATA = Set.of(
            "java.io.ObjectInputStream",
            "java.io.ObjectInput",
            "java.beans.XMLDecoder",
            "java.net.URLClassLoader",
            "java.lang.Compiler",
            "sun.misc.Unsafe");

    private static final Map<String, Set<String>> LOADS = Map.of(
            "java.lang.Class", Set.of("forName", "newInstance"),
            "java.lang.ClassLoader", Set.of("loadClass", "defineClass"),
            "java.lang.invoke.MethodHandles$Lookup", Set.of("defineClass", "defineHiddenClass", "findClass"),
            "java.lang.Runtime", Set.of("exec", "load", "loadLibrary"),
            "java.lang.System", Set.of("load", "loadLibrary"));

    static void nothingMakesCodeOfData(JavaClasses of, String... packages) {
        noClasses()
                .that(resideInAnyPackage(packages))
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "deserialise, look up by name, or run scripts",
                        type -> MAKES_CODE_OF_DATA.contains(type.getName())
                                || type.getPackageName().startsWith("javax.naming")
                                || type.getPackageName().startsWith("javax.script")
                                || type.getPackageName().startsWith("java.rmi")))
                .orShould(callMethodWhere(DescribedPredicate.describe(
                        "load classes or programs by name",
                        call -> LOADS.getOrDefault(call.getTargetOwner().getName(), Set.of())
                                .contains(call.getTarget().getName()))))
                .because("what comes from a store, a network or a file is numbers and short texts, and stays that")
                .check(of);
    }

    @Test
    void nothingThatIsShipped_makesCodeOfData() {
        nothingMakesCodeOfData(LIBRARY, SHIPPED);
    }

    @Test
    void aClassThatMakesCodeOfData_isFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(Believer.class);
        assertThatThrownBy(() -> nothingMakesCodeOfData(planted, "..planted.."))
                .hasMessageContaining("java.io.ObjectInputStream")
                .hasMessageContaining("javax.naming.InitialContext")
                .hasMessageContaining("java.lang.Class.forName")
                .hasMessageContaining("java.lang.Runtime.exec");
    }

    /** The command runs programs, and so does the contract; expressions are those of an application's own annotations. */
    @Test
    void programsAndExpressions_areRunWhereThatIsThePoint() {
        noClasses()
                .that(resideInAnyPackage(SHIPPED))
                .and()
                .resideOutsideOfPackages("io.holdfast.cli..", "io.holdfast.testkit.contract..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ProcessBuilder")
                .check(LIBRARY);
        noClasses()
                .that(resideInAnyPackage(SHIPPED))
                .and(DescribedPredicate.describe(
                        "not the name of a lock in an annotation",
                        type -> !top(type).getSimpleName().equals("NameExpression")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.expression..")
                .check(LIBRARY);
    }

    @Test
    void theSpi_doesNotNameABackend() {
        noClasses()
                .that(resideInAnyPackage("io.holdfast", "io.holdfast.spi..", "io.holdfast.internal.."))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.holdfast.redis..", "io.holdfast.jdbc..", "io.holdfast.memory..")
                .check(LIBRARY);
    }

    @Test
    void theRedisModule_hidesAtLeastHalfOfItsTypes() {
        long all = LIBRARY.stream()
                .filter(type -> type.getPackageName().equals("io.holdfast.redis") && type.isTopLevelClass())
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .count();
        long shown = LIBRARY.stream()
                .filter(type -> type.getPackageName().equals("io.holdfast.redis") && type.isTopLevelClass())
                .filter(type -> type.getModifiers().contains(com.tngtech.archunit.core.domain.JavaModifier.PUBLIC))
                .count();
        assertThat(shown * 2).isLessThanOrEqualTo(all);
    }
}
