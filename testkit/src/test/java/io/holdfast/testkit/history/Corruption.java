package io.holdfast.testkit.history;

import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Mode;
import io.holdfast.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Ways to make a right history certainly wrong. Null where a history has no place for it. */
enum Corruption {
    /** A stranger takes all there is in the middle of a hold, for ever; and yet the hold is released. */
    STRANGER_INSIDE {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            Section section = Section.any(right, random, any -> true);
            int all = primitive == Primitive.SEMAPHORE ? Simulation.PERMITS : 1;
            return section == null ? null : with(right, stranger(section, Mode.EXCLUSIVE, all));
        }
    },
    /** A stranger reads in the middle of a write, for ever; and yet the write is released. */
    READER_BESIDE_WRITER {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            if (primitive != Primitive.READ_WRITE) {
                return null;
            }
            Section section = Section.any(right, random, s -> s.grant().mode() == Mode.EXCLUSIVE);
            return section == null ? null : with(right, stranger(section, Mode.SHARED, 1));
        }
    },
    /** A stranger takes one permit more than a hold, of which all is known, has left. */
    ONE_PERMIT_TOO_MANY {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            if (primitive != Primitive.SEMAPHORE) {
                return null;
            }
            Section section =
                    Section.any(right, random, s -> isOpenBook(s.grant().client(), right));
            return section == null
                    ? null
                    : with(
                            right,
                            stranger(
                                    section,
                                    Mode.EXCLUSIVE,
                                    Simulation.PERMITS - section.grant().permits() + 1));
        }
    },
    /** A later grant is moved into a hold that has no room for it, and of which all is known. */
    REORDERED {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            Section section =
                    Section.any(right, random, s -> isOpenBook(s.grant().client(), right));
            if (section == null) {
                return null;
            }
            Operation hold = section.grant();
            Operation later = pick(
                    right,
                    random,
                    o -> o.outcome() == Outcome.GRANTED
                            && !o.client().equals(hold.client())
                            && o.called() > section.release().returned()
                            && (hold.mode() == Mode.EXCLUSIVE || o.mode() == Mode.EXCLUSIVE)
                            && (primitive != Primitive.SEMAPHORE || o.permits() + hold.permits() > Simulation.PERMITS));
            return later == null
                    ? null
                    : with(
                            without(right, later),
                            at(later, hold.returned() + 1, section.release().called() - 1));
        }
    },
    /** A hold, of which all is known, is not given back; and yet another gets the lock. */
    DROPPED_RELEASE {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            if (primitive == Primitive.SEMAPHORE) {
                return null;
            }
            Section section = Section.any(
                    right,
                    random,
                    s -> isOpenBook(s.grant().client(), right)
                            && right.stream()
                                    .anyMatch(o -> o.outcome() == Outcome.GRANTED
                                            && !o.client().equals(s.grant().client())
                                            && o.called() > s.release().returned()
                                            && (o.mode() == Mode.EXCLUSIVE
                                                    || s.grant().mode() == Mode.EXCLUSIVE)));
            return section == null ? null : without(right, section.release());
        }
    },
    /** One who never had anything gives it back. */
    STRANGER_RELEASES {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            Operation near = pick(right, random, any -> true);
            return near == null
                    ? null
                    : with(right, operation(Action.RELEASE, near.mode(), 1, 0, Outcome.DONE, near.called() + 1));
        }
    },
    /** A lock that nobody has asked for yet is refused. */
    REFUSED_WHILE_FREE {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            return with(
                    right,
                    operation(Action.TRY_ACQUIRE, Mode.EXCLUSIVE, 1, 0, Outcome.REFUSED, -2 - random.nextInt(9)));
        }
    },
    /** Two grants, one after the other, have each other's token. */
    SWAPPED_TOKENS {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            return tokens(primitive, right, random, true);
        }
    },
    /** Two grants, one after the other, have the same token. */
    SAME_TOKEN {
        @Override
        @Nullable
        List<Operation> apply(Primitive primitive, List<Operation> right, Random random) {
            return tokens(primitive, right, random, false);
        }
    };

    abstract @Nullable List<Operation> apply(Primitive primitive, List<Operation> right, Random random);

    /** A grant and the release that the client calls next, with time between. */
    record Section(Operation grant, Operation release) {
        static @Nullable Section any(List<Operation> right, Random random, Predicate<Section> condition) {
            List<Section> sections = new ArrayList<>();
            for (Operation grant : right) {
                if (grant.outcome() == Outcome.GRANTED) {
                    right.stream()
                            .filter(o -> o.client().equals(grant.client()) && o.called() > grant.returned())
                            .findFirst()
                            .filter(o -> o.action() == Action.RELEASE && o.outcome() == Outcome.DONE)
                            .filter(grant::sameHold)
                            .map(release -> new Section(grant, release))
                            .filter(condition)
                            .ifPresent(sections::add);
                }
            }
            return sections.isEmpty() ? null : sections.get(random.nextInt(sections.size()));
        }
    }

    private static @Nullable List<Operation> tokens(
            Primitive primitive, List<Operation> right, Random random, boolean swap) {
        if (primitive != Primitive.FENCED) {
            return null;
        }
        Operation first = pick(right, random, o -> o.outcome() == Outcome.GRANTED);
        if (first == null) {
            return null;
        }
        Operation second = pick(right, random, o -> o.outcome() == Outcome.GRANTED && o.called() > first.returned());
        if (second == null) {
            return null;
        }
        List<Operation> rest = with(without(without(right, first), second), withToken(second, first.token()));
        return with(rest, swap ? withToken(first, second.token()) : first);
    }

    /** Whether nothing that the client did is left to guess. */
    private static boolean isOpenBook(String client, List<Operation> right) {
        return right.stream()
                .filter(o -> o.client().equals(client))
                .noneMatch(o -> o.isOpen() || o.outcome() == Outcome.LOST);
    }

    private static @Nullable Operation pick(List<Operation> right, Random random, Predicate<Operation> condition) {
        List<Operation> fitting = right.stream().filter(condition).toList();
        return fitting.isEmpty() ? null : fitting.get(random.nextInt(fitting.size()));
    }

    private static Operation stranger(Section section, Mode mode, int permits) {
        Operation grant = section.grant();
        Operation inside =
                operation(Action.TRY_ACQUIRE, mode, permits, grant.token() + 1, Outcome.GRANTED, grant.returned() + 1);
        return at(inside, inside.called(), section.release().called() - 1);
    }

    private static Operation operation(Action action, Mode mode, int permits, long token, Outcome outcome, long time) {
        return new Operation("stranger", "lock", action, mode, permits, token, outcome, time, time + 1);
    }

    private static Operation at(Operation o, long called, long returned) {
        return new Operation(
                o.client(), o.lock(), o.action(), o.mode(), o.permits(), o.token(), o.outcome(), called, returned);
    }

    private static Operation withToken(Operation o, long token) {
        return o.endedAs(o.outcome(), token, o.returned());
    }

    private static List<Operation> with(List<Operation> right, Operation more) {
        List<Operation> result = new ArrayList<>(right);
        result.add(more);
        return result;
    }

    private static List<Operation> without(List<Operation> right, Operation dropped) {
        List<Operation> result = new ArrayList<>(right);
        result.remove(dropped);
        return result;
    }
}
