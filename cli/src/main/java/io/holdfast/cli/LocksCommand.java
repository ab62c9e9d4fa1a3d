package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Names;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code holdfast locks}: who holds what, and who waits for it. */
@Command(
        name = "locks",
        customSynopsis = "holdfast locks [OPTIONS]",
        description = "Lists the locks that are held: by whom, where that runs, for how long, and who waits.",
        sortOptions = false,
        footer = {
            "",
            "A line for each holder, with the owner id that holdfast release wants. Where a holder runs is what its",
            "client has told the store; - stands for what is not known, as for clients of other libraries. The store is",
            "read page by page, beside its other work; while that takes long, stderr says so.",
            "",
            "Exit codes:",
            "    0  listed, be it nothing             64  wrong usage",
            "   69  the store cannot be reached, or refuses",
            "",
            "Example: HOLDFAST_STORE=redis://:secret@db1 holdfast locks --pattern 'order:*' --waiters"
        })
final class LocksCommand implements Callable<Integer> {
    @Option(
            names = "--pattern",
            paramLabel = "PATTERN",
            description = "Only locks of such names; * stands for any characters. Default: all.")
    private String pattern = "*";

    @Option(names = "--waiters", description = "Also those who wait, below each lock, first come first.")
    private boolean waiters;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Show so many locks at most, those that are held longest first. Default: 1000.")
    private int limit = 1_000;

    @Mixin
    private final StoreOptions where = new StoreOptions();

    @Override
    public Integer call() {
        check();
        try (StoreChoice chosen = StoreChoice.of(where.store, System.getenv());
                Holdfast client = where.connect(chosen.uri(), LockOptions.DEFAULT)) {
            print(System.out, read(client));
            return 0;
        }
    }

    private List<LockInfo> read(Holdfast client) {
        try (Progress progress = new Progress("reading the store")) {
            List<LockInfo> locks = client.inspect(pattern).stream()
                    .sorted(Comparator.comparing(LocksCommand::age).reversed().thenComparing(LockInfo::name))
                    .toList();
            progress.done();
            return locks;
        }
    }

    private void check() {
        if (limit < 1) {
            throw new Failure(ExitCode.USAGE, "--limit " + limit + " shows nothing: it must be at least 1");
        }
        if (pattern.isEmpty()) {
            throw new Failure(ExitCode.USAGE, "--pattern is empty: leave it out for all locks");
        }
        try {
            Names.checkPrefix(where.prefix);
        } catch (IllegalArgumentException e) {
            throw new Failure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private static Duration age(LockInfo lock) {
        return lock.holders().stream()
                .map(holder -> holder.age().orElse(Duration.ZERO))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private void print(PrintStream out, List<LockInfo> locks) {
        if (locks.isEmpty()) {
            Stderr.say("no lock is held" + (pattern.equals("*") ? "" : " whose name is like that"));
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LOCK", "OWNER", "WHERE", "THREAD", "SINCE", "TOKEN", "LEFT", "WAITING"));
        locks.stream().limit(limit).forEach(lock -> {
            for (LockInfo.Party holder : lock.holders()) {
                rows.add(row(
                        lock.name(),
                        holder,
                        text(lock.remaining()),
                        Integer.toString(lock.line().size())));
            }
            if (waiters) {
                for (LockInfo.Party waiter : lock.line()) {
                    rows.add(row("  waits", waiter, "-", "-"));
                }
            }
        });
        int[] widths = new int[rows.get(0).size()];
        rows.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            out.println(line.toString().stripTrailing());
        }
        if (locks.size() > limit) {
            Stderr.say((locks.size() - limit) + " more are held; name fewer with --pattern, or raise --limit");
        }
    }

    private static List<String> row(String name, LockInfo.Party party, String left, String waiting) {
        return List.of(
                printable(name),
                printable(party.owner()),
                party.origin().map(origin -> printable(origin.toString())).orElse("-"),
                text(party.thread()),
                party.age().map(LocksCommand::text).orElse("-"),
                text(party.token()),
                left,
                waiting);
    }

    private static String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : "-";
    }

    /** As coarse as a person wants it. */
    private static String text(Duration time) {
        long seconds = time.toSeconds();
        if (seconds < 1) {
            return time.toMillis() + "ms";
        }
        return seconds < 120 ? seconds + "s" : seconds < 7_200 ? seconds / 60 + "m" : seconds / 3_600 + "h";
    }

    /** What others have put into the store must not drive the terminal. */
    private static String printable(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints()
                .map(character -> Character.isISOControl(character) || Character.getType(character) == Character.FORMAT
                        ? '?'
                        : character)
                .forEach(shown::appendCodePoint);
        return shown.toString();
    }
}
