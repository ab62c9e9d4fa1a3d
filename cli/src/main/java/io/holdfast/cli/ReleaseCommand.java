package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.spi.Names;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast release}: takes a lock from its holder, for a person who knows why. */
@Command(
        name = "release",
        customSynopsis = "holdfast release NAME --owner ID --force [OPTIONS]",
        description = "Takes the lock NAME from its holder, as holdfast locks names it. Those who wait go on at once.",
        sortOptions = false,
        footer = {
            "",
            "The holder is not stopped. It learns that its lease is lost at once or at its next renewal, and works on",
            "until it looks. Only what checks the fencing token refuses what it writes meanwhile. So stop the holder",
            "first, if you can: then its lock is free when the lease is over.",
            "",
            "Exit codes:",
            "    0  released                           1  that owner does not hold it: nothing is changed",
            "   64  wrong usage                       69  the store cannot be reached, or refuses",
            "",
            "Example: holdfast release order:42 --owner 1x5vj7bq3c9wl:31:2h8d0f --force"
        })
final class ReleaseCommand implements Callable<Integer> {
    private static final int NOT_HELD = 1;

    @Parameters(arity = "1", paramLabel = "NAME", description = "The lock's name.")
    private String name = "";

    @Option(
            names = "--owner",
            paramLabel = "ID",
            required = true,
            description = "The holder's owner id, so that nobody else loses the lock.")
    private String owner = "";

    @Option(names = "--force", description = "That you mean it.")
    private boolean force;

    @Mixin
    private final StoreOptions where = new StoreOptions();

    @Override
    public Integer call() {
        check();
        try (StoreChoice chosen = StoreChoice.of(where.store, System.getenv());
                Holdfast client = where.connect(chosen.uri(), LockOptions.DEFAULT)) {
            if (client.forceRelease(name, owner)) {
                Stderr.say("released by force: " + owner + " does not hold '" + name + "' any more");
                return 0;
            }
            Stderr.say(owner + " does not hold '" + name + "' (any more); nothing is changed");
            return NOT_HELD;
        }
    }

    private void check() {
        try {
            Names.check(name);
            Names.checkPrefix(where.prefix);
        } catch (IllegalArgumentException e) {
            throw new Failure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
        if (!force) {
            throw new Failure(
                    ExitCode.USAGE,
                    "whoever holds '" + name
                            + "' goes on working without protection until it notices; stop it first, or"
                            + " say --force");
        }
    }
}
