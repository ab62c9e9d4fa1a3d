package io.holdfast.testkit.history;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What clients did and saw, in the order in which they began it. Immutable. */
public final class History {
    private final List<Operation> operations;

    private History(Stream<Operation> operations) {
        this.operations =
                operations.sorted(Comparator.comparingLong(Operation::called)).toList();
    }

    /** Of these, in any order. Their times are of one clock. */
    public static History of(List<Operation> operations) {
        return new History(operations.stream());
    }

    /**
     * Reads the files of several recorders whose clocks are the same: processes of one machine that take
     * {@code System.nanoTime}, where that is the machine's clock, as on Linux. A last line that was cut off is left out,
     * and what has not returned is open.
     */
    public static History read(List<Path> files) throws IOException {
        List<Operation> all = new ArrayList<>();
        for (Path file : files) {
            all.addAll(Lines.parse(Files.readString(file, StandardCharsets.UTF_8)));
        }
        return of(all);
    }

    /** Writes it in the form that {@link #read} takes, one event to a line. */
    public void write(Path file) throws IOException {
        Files.writeString(file, Lines.print(operations), StandardCharsets.UTF_8);
    }

    /** In the order of their calls. */
    public List<Operation> operations() {
        return operations;
    }

    /** This one and another as one. */
    public History and(History other) {
        return new History(Stream.concat(operations.stream(), other.operations.stream()));
    }

    /**
     * The same, but these clients died: what they have not given back may be lost at any moment after the last at which
     * they knew that they had it.
     */
    public History crashed(Predicate<String> clients) {
        List<Operation> losses = new ArrayList<>();
        Map<String, List<Operation>> dead = operations.stream()
                .filter(operation -> clients.test(operation.client()))
                .collect(groupingBy(Operation::client, TreeMap::new, toList()));
        dead.values()
                .forEach(own -> own.stream()
                        .filter(operation ->
                                operation.outcome() == Operation.Outcome.GRANTED && isOutstanding(operation, own))
                        .map(operation -> operation.lossAfter(own))
                        .forEach(losses::add));
        return new History(Stream.concat(operations.stream(), losses.stream().distinct()));
    }

    /** Whether fewer permits were given back than were taken. */
    private static boolean isOutstanding(Operation grant, List<Operation> own) {
        int permits = 0;
        for (Operation operation : own) {
            if (operation.sameHold(grant)) {
                permits = switch (operation.outcome()) {
                    case GRANTED -> permits + operation.permits();
                    case DONE ->
                        operation.action() == Operation.Action.RELEASE ? permits - operation.permits() : permits;
                    case LOST -> 0;
                    default -> permits;
                };
            }
        }
        return permits > 0;
    }

    @Override
    public String toString() {
        return Lines.print(operations);
    }
}
