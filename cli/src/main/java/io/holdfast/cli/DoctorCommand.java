package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.redis.LeastRights;
import io.holdfast.spi.Names;
import io.holdfast.spi.StoreHealth;
import io.holdfast.spi.StoreUri;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code holdfast doctor}: looks at the store, and says what weakens the locks in it. */
@Command(
        name = "doctor",
        customSynopsis = "holdfast doctor [OPTIONS]",
        description =
                "Looks at the store, and says what weakens the locks in it and what to do about it. Changes nothing.",
        sortOptions = false,
        footer = {
            "",
            "It reads the settings of the server as far as the user may (INFO, CONFIG GET), and ends with the least",
            "rights that a user of the store needs, as a command for redis-cli.",
            "",
            "Exit codes:",
            "    0  nothing that weakens the locks     1  something does",
            "   64  wrong usage                       69  the store cannot be reached, or refuses",
            "",
            "Example: HOLDFAST_STORE=redis://:secret@db1 holdfast doctor --lease 5s"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int FINDINGS = 1;

    @Mixin
    private final StoreOptions where = new StoreOptions();

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "The lease of your locks, which the round trip is measured against. Default: 30s.")
    private Duration lease = Duration.ofSeconds(30);

    @Override
    public Integer call() {
        LockOptions options = checkedOptions();
        try (StoreChoice chosen = StoreChoice.of(where.store, System.getenv());
                Holdfast client = where.connect(chosen.uri(), options)) {
            StoreHealth health = client.health();
            if (!health.reachable()) {
                throw new Failure(ExitCode.UNAVAILABLE, String.join("; ", health.warnings()));
            }
            report(System.out, client.store(), health);
            rights(System.out, chosen.uri());
            return health.warnings().isEmpty() ? 0 : FINDINGS;
        }
    }

    /** Before a server is started for it. */
    private LockOptions checkedOptions() {
        try {
            Names.checkPrefix(where.prefix);
            return LockOptions.builder().lease(lease).build();
        } catch (IllegalArgumentException e) {
            throw new Failure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private static void report(PrintStream out, String address, StoreHealth health) {
        out.println("store       " + address);
        out.printf(Locale.ROOT, "round trip  %.1f ms%n", health.roundTrip().toNanos() / 1e6);
        out.println();
        if (health.warnings().isEmpty()) {
            out.println("nothing that weakens the locks");
        }
        for (String warning : health.warnings()) {
            int remedy = warning.lastIndexOf("; ");
            out.println("- " + (remedy < 0 ? warning : warning.substring(0, remedy)));
            if (remedy >= 0) {
                out.println("  > " + warning.substring(remedy + 2));
            }
        }
    }

    private void rights(PrintStream out, String uri) {
        out.println();
        out.println("the least rights of a user (with " + String.join(" ", LeastRights.TO_CHECK)
                + " this check can read the settings too):");
        out.println(LeastRights.of(uri, where.prefix).rule("<user>"));
        if (new StoreUri(uri).scheme().endsWith("-sentinel")) {
            out.println("and on the Sentinels:");
            out.println(LeastRights.ofSentinels().rule("<user>"));
        }
    }
}
