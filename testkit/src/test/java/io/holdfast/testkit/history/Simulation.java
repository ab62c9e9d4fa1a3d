package io.holdfast.testkit.history;

import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Mode;
import io.holdfast.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Clients at a lock that does right, with all that goes wrong around it: answers that never come, leases that end before
 * or after their client knows, clients that die.
 */
final class Simulation {
    /** Something that occupies the lock; a ghost is one that no client relies on. */
    private static final class Held {
        final String client;
        final long token;
        final Mode mode;
        final int permits;
        boolean ghost;

        Held(String client, long token, Mode mode, int permits) {
            this.client = client;
            this.token = token;
            this.mode = mode;
            this.permits = permits;
        }
    }

    private static final class Client {
        final String name;
        final List<Held> holds = new ArrayList<>();

        @Nullable
        Held lost;

        boolean dead;
        // Of the operation that is going on.
        @Nullable
        Action action;

        @Nullable
        Held wanted;

        @Nullable
        Outcome outcome;

        long called;
        boolean known = true;

        Client(String name) {
            this.name = name;
        }
    }

    static final int PERMITS = 4;

    private final Primitive primitive;
    private final Random random;
    private final boolean tokens;
    /** How many of a thousand steps go wrong in each of the ways. */
    private final int faults;

    private final List<Held> store = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private long last;
    private long time;

    private Simulation(Primitive primitive, long seed, int clientCount, int faults) {
        this.primitive = primitive;
        this.random = new Random(seed);
        this.faults = faults;
        tokens = primitive == Primitive.FENCED || random.nextBoolean();
        for (int i = 0; i < clientCount; i++) {
            clients.add(new Client("c" + i));
        }
    }

    static History run(Primitive primitive, long seed, int clientCount, int operationCount, int faults) {
        Simulation simulation = new Simulation(primitive, seed, clientCount, faults);
        while (simulation.operations.size() < operationCount) {
            simulation.step();
        }
        Set<String> dead = new HashSet<>();
        for (Client client : simulation.clients) {
            if (client.dead) {
                dead.add(client.name);
            }
            if (client.action != null) {
                simulation.end(client, client.outcome == Outcome.LOST ? Outcome.LOST : Outcome.UNKNOWN);
            }
            if (client.lost != null) {
                // All losses are learnt in the end.
                simulation.begin(client);
                simulation.end(client, Outcome.LOST);
            }
        }
        return History.of(simulation.operations).crashed(dead::contains);
    }

    private void step() {
        time += 10;
        if (random.nextInt(10) == 0) {
            store.stream().filter(held -> held.ghost).findAny().ifPresent(store::remove);
        }
        Client client = clients.get(random.nextInt(clients.size()));
        if (client.dead) {
            return;
        }
        if (goesWrong()
                && random.nextInt(5) == 0
                && clients.stream().filter(c -> !c.dead).count() > 2) {
            die(client);
        } else if (client.action == null) {
            begin(client);
        } else if (client.outcome == null) {
            takeEffect(client);
        } else {
            end(client, client.known ? client.outcome : Outcome.UNKNOWN);
        }
    }

    private boolean goesWrong() {
        return random.nextInt(1000) < faults;
    }

    private void die(Client client) {
        client.dead = true;
        client.holds.forEach(held -> held.ghost = true);
        if (client.outcome == Outcome.GRANTED) {
            wanted(client).ghost = true;
        }
        if (client.action != null) {
            end(client, Outcome.UNKNOWN);
        }
    }

    private void begin(Client client) {
        client.called = time;
        client.known = !goesWrong();
        if (client.lost != null) {
            learn(client, client.lost);
        } else if (!client.holds.isEmpty() && goesWrong()) {
            lose(client, client.holds.get(random.nextInt(client.holds.size())));
        } else if (client.holds.isEmpty() && random.nextInt(15) == 0) {
            client.action = Action.RELEASE;
            client.wanted = new Held(client.name, 0, Mode.EXCLUSIVE, 1);
            client.outcome = Outcome.NOT_HELD;
            client.known = true;
        } else if (client.holds.isEmpty() || random.nextInt(100) < primitive.againPercent) {
            client.action = random.nextInt(3) == 0 ? Action.TRY_ACQUIRE : Action.ACQUIRE;
            Mode mode = primitive == Primitive.READ_WRITE && random.nextInt(3) > 0 ? Mode.SHARED : Mode.EXCLUSIVE;
            client.wanted =
                    new Held(client.name, 0, mode, primitive == Primitive.SEMAPHORE ? 1 + random.nextInt(3) : 1);
        } else {
            client.action = random.nextInt(4) == 0 ? Action.RENEW : Action.RELEASE;
            client.wanted = client.holds.get(random.nextInt(client.holds.size()));
        }
    }

    /** From here on others may be let in, or only when the store notices. */
    private void lose(Client client, Held held) {
        client.lost = held;
        for (Held other : List.copyOf(client.holds)) {
            if (other.token == held.token && other.mode == held.mode) {
                client.holds.remove(other);
                if (random.nextBoolean()) {
                    store.remove(other);
                } else {
                    other.ghost = true;
                }
            }
        }
    }

    private void learn(Client client, Held lost) {
        client.action = List.of(Action.LOSE, Action.RENEW, Action.RELEASE).get(random.nextInt(3));
        client.wanted = lost;
        client.outcome = Outcome.LOST;
        client.known = true;
        client.lost = null;
    }

    private void takeEffect(Client client) {
        Held wanted = wanted(client);
        // One whose answer is lost may have been lost on its way there.
        boolean arrives = client.known || random.nextBoolean();
        if (client.action == Action.RENEW) {
            client.outcome = Outcome.DONE;
        } else if (client.action == Action.RELEASE) {
            client.outcome = Outcome.DONE;
            client.holds.remove(wanted);
            wanted.ghost = true;
            if (arrives) {
                store.remove(wanted);
            }
        } else if (!arrives) {
            client.outcome = Outcome.TIMED_OUT;
        } else if (hasRoom(wanted)) {
            grant(client, wanted);
        } else if (client.action == Action.TRY_ACQUIRE) {
            client.outcome = Outcome.REFUSED;
        } else if (random.nextInt(10) == 0) {
            client.outcome = Outcome.TIMED_OUT;
        }
    }

    private void grant(Client client, Held wanted) {
        long token = 0;
        if (tokens) {
            boolean again = primitive == Primitive.REENTRANT && !client.holds.isEmpty();
            token = again ? client.holds.get(0).token : last + 1 + random.nextInt(3);
            last = Math.max(last, token);
        }
        Held held = new Held(client.name, token, wanted.mode, wanted.permits);
        client.wanted = held;
        client.outcome = Outcome.GRANTED;
        held.ghost = !client.known;
        store.add(held);
        if (client.known) {
            client.holds.add(held);
        }
    }

    private boolean hasRoom(Held wanted) {
        return switch (primitive) {
            case MUTEX, FENCED -> store.isEmpty();
            case REENTRANT ->
                store.isEmpty() || store.stream().anyMatch(held -> !held.ghost && held.client.equals(wanted.client));
            case READ_WRITE ->
                wanted.mode == Mode.SHARED
                        ? store.stream().allMatch(held -> held.mode == Mode.SHARED)
                        : store.isEmpty();
            case SEMAPHORE -> store.stream().mapToInt(held -> held.permits).sum() + wanted.permits <= PERMITS;
        };
    }

    private static Held wanted(Client client) {
        if (client.wanted == null) {
            throw new IllegalStateException("nothing was asked");
        }
        return client.wanted;
    }

    private void end(Client client, Outcome outcome) {
        Action action = client.action;
        if (action == null) {
            throw new IllegalStateException("nothing is going on");
        }
        Held held = wanted(client);
        boolean acquires = action == Action.ACQUIRE || action == Action.TRY_ACQUIRE;
        long token = acquires && outcome == Outcome.UNKNOWN ? 0 : held.token;
        operations.add(new Operation(
                client.name, "lock", action, held.mode, held.permits, token, outcome, client.called, time));
        client.action = null;
        client.outcome = null;
        client.wanted = null;
    }
}
