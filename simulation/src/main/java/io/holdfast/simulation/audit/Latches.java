package io.holdfast.simulation.audit;

import io.holdfast.simulation.net.Commands;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Judges a latch (I9): it opens when it has been counted down so many times, no sooner and no later; each call counts once;
 * and what callers are told is how it stood at some moment of their call. What the applications called and what the server
 * has are compared.
 */
public final class Latches {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long TOO_LATE = -3;

    /** What is not lost is late by no more than this, beside the time a command may take. */
    private static final long SLACK_NANOS = 150_000_000L;

    /** After the server has lost its state, or stepped its clock, nothing is judged for so long. */
    private static final long VOID_NANOS = 20_000_000_000L;

    /** A call of an application. */
    public static final class Call {
        private final long began;
        private final @Nullable Life seen;
        private final int left;
        private long ended = NEVER;

        Call(long began, @Nullable Life seen) {
            this.began = began;
            this.seen = seen;
            this.left = seen == null ? 0 : seen.left();
        }
    }

    /** From its setting until it is forgotten. */
    private static final class Life {
        final String made;
        final int count;
        final long setAt;
        final boolean judged;
        long expiryMillis;
        int counted;
        int sure;
        long openAt = NEVER;
        long endedAt = NEVER;

        Life(String made, int count, long setAt, boolean judged) {
            this.made = made;
            this.count = count;
            this.setAt = setAt;
            this.judged = judged;
        }

        int left() {
            return Math.max(0, count - counted);
        }

        boolean wasThereSince(long moment) {
            return endedAt >= moment;
        }
    }

    private final World world;
    private final String latch;
    private final String waiters;
    private final long commandNanos;
    private final List<Life> lives = new ArrayList<>();
    private final List<Call> countDowns = new ArrayList<>();
    private final List<Call> clears = new ArrayList<>();
    private final Map<String, Long> looks = new LinkedHashMap<>();
    private final Map<String, Long> told = new LinkedHashMap<>();
    /** By whose request whose latch was changed. */
    private final Map<String, String> changedBy = new HashMap<>();

    private List<String> waitedBefore = List.of();
    private int countedBefore;
    private @Nullable Life before;
    private @Nullable Life present;
    private @Nullable Supplier<Server> home;
    private long voidUntil;

    /**
     * Nobody has set it yet.
     *
     * @param commandNanos how long one command may take
     */
    public Latches(World world, String prefix, String name, long commandNanos) {
        this.world = world;
        this.latch = prefix + "~latch:{" + prefix + name + "}";
        this.waiters = prefix + "~waiters:{" + prefix + name + "}";
        this.commandNanos = commandNanos;
    }

    /** Tells which server has it. */
    public void looksAt(Supplier<Server> server) {
        home = server;
    }

    boolean isAt(Server server) {
        return home().equals(server);
    }

    private Server home() {
        Supplier<Server> known = home;
        if (known == null) {
            throw new IllegalStateException("it was not told which server to look at");
        }
        return known.get();
    }

    private RedisModel model() {
        return home().model();
    }

    /** The server has lost its state, or its clock was stepped. */
    public void stateLost() {
        voidUntil = world.now() + VOID_NANOS;
        present = null;
        lives.clear();
        told.clear();
        changedBy.clear();
    }

    private boolean isVoid() {
        return world.now() < voidUntil;
    }

    // --- what the server does

    void before() {
        observe();
        waitedBefore = List.copyOf(model().sortedSet(waiters).keySet());
        before = present;
        countedBefore = present == null ? -1 : present.counted;
    }

    void after(List<String> command, @Nullable Object reply) {
        String op = Commands.argument(command, 0);
        String id = Commands.argument(command, 1);
        observe();
        boolean refused =
                reply instanceof List<?> list && Long.valueOf(TOO_LATE).equals(list.get(0));
        if (refused || reply instanceof RedisModel.ErrorReply) {
            return;
        }
        boolean changed = countedBefore != (present == null ? -1 : present.counted);
        if (changed && Long.parseLong(Commands.argument(command, 4)) / 1_000 < model().nowMillis()) {
            throw new Violation("I9", op + " by " + id + " came too late, and was carried out");
        }
        if (changed && before != null) {
            changed(op, id, before.made);
        }
        for (String key : List.of(latch, waiters)) {
            if (model().expiresAtMillis(key) == -1 && !model().type(key).equals("none")) {
                throw new Violation("H1", key + " has no expiry after " + op);
            }
        }
        told.remove(id);
        if (op.equals("look") && !id.isEmpty()) {
            looks.put(id, world.now());
        }
        Life life = present;
        boolean opened = op.equals("down") && life != null && life.openAt == world.now();
        if (opened || (changed && op.equals("clear"))) {
            if (!model().sortedSet(waiters).isEmpty()) {
                throw new Violation("L2", "the latch is open or gone, and there are some who were not told");
            }
            waitedBefore.forEach(waiter -> told.put(waiter, world.now()));
        }
    }

    private void changed(String op, String id, String made) {
        String first = changedBy.putIfAbsent(id, made);
        if (first != null && !first.equals(made)) {
            throw new Violation("I9", op + " by " + id + " hit the latch of " + first + ", and then that of " + made);
        }
    }

    /** Those who wait for it, and when the server last heard of them. */
    Map<String, Long> looks() {
        return looks;
    }

    /** Those who were told to look, and have not looked since. */
    Map<String, Long> told() {
        return told;
    }

    /** Compares what the server has with what it had. */
    private void observe() {
        Map<String, String> fields = model().hash(latch);
        String state = fields.get("=");
        String made = state == null ? null : state.substring(state.lastIndexOf(' ') + 1);
        Life life = present;
        if (life != null && (!life.made.equals(made) || fields.size() - 1 < life.counted)) {
            forgotten(life);
            life = null;
        }
        if (state == null || made == null) {
            present = null;
            return;
        }
        if (life == null) {
            life = new Life(made, Integer.parseInt(state.split(" ", -1)[1]), world.now(), !isVoid());
            lives.add(life);
            present = life;
        }
        life.expiryMillis = model().expiresAtMillis(latch);
        life.counted = fields.size() - 1;
        isCounted(life);
        if (life.left() == 0 && life.openAt == NEVER) {
            life.openAt = world.now();
        }
    }

    private void forgotten(Life life) {
        life.endedAt = world.now();
        boolean cleared = clears.stream().anyMatch(call -> touches(call, life));
        if (life.judged && !isVoid() && life.expiryMillis > model().nowMillis() && !cleared) {
            throw new Violation("I9", "the latch of " + life.made + " was forgotten, and nobody had cleared it");
        }
    }

    /** Whether a message of that call may have reached it. */
    private boolean touches(Call call, Life life) {
        return call.ended == NEVER || call.ended + commandNanos + SLACK_NANOS >= life.setAt;
    }

    private void isCounted(Life life) {
        long most = countDowns.stream().filter(call -> touches(call, life)).count();
        if (!life.judged || isVoid()) {
            return;
        }
        if (life.counted > most) {
            throw new Violation(
                    "I9", "the latch was counted down " + life.counted + " times, and called for " + most + " times");
        }
        if (life.counted < Math.min(life.sure, life.count)) {
            throw new Violation(
                    "I9", life.sure + " calls have counted the latch down, and it has " + life.counted + " of them");
        }
    }

    // --- what the applications are told

    /** Somebody asks about it, or waits. */
    public Call call() {
        observe();
        return new Call(world.now(), present);
    }

    public Call countsDown() {
        Call call = call();
        countDowns.add(call);
        return call;
    }

    public Call clears() {
        Call call = call();
        clears.add(call);
        return call;
    }

    /** Whatever came of it. */
    public void ended(Call call) {
        call.ended = world.now();
    }

    private boolean isJudged(Call call) {
        observe();
        return !isVoid() && call.began >= voidUntil;
    }

    private boolean isStillThere(Call call) {
        Life seen = call.seen;
        return seen != null && seen.judged && seen.equals(present);
    }

    public void countedDown(Call call) {
        Life seen = call.seen;
        if (isJudged(call) && isStillThere(call) && seen != null) {
            seen.sure++;
            isCounted(seen);
        }
    }

    /** Somebody was told that there is no latch. */
    public void notSet(Call call) {
        if (isJudged(call) && isStillThere(call)) {
            throw new Violation("I9", "the latch was said not to be set, and it was, all the time");
        }
    }

    public void triedToSet(Call call, boolean done) {
        if (!isJudged(call)) {
            return;
        }
        if (done && lives.stream().noneMatch(life -> life.setAt >= call.began)) {
            throw new Violation("I9", "somebody was told to have set the latch, and nobody had");
        }
        if (!done && lives.stream().noneMatch(life -> life.wasThereSince(call.began))) {
            throw new Violation("I9", "somebody was told that the latch is set, and it was not");
        }
    }

    public void awaited(Call call, boolean open) {
        if (!isJudged(call)) {
            return;
        }
        if (open && lives.stream().noneMatch(life -> life.openAt != NEVER && life.wasThereSince(call.began))) {
            throw new Violation("I9", "somebody was let through, and the latch was not open");
        }
        Life seen = call.seen;
        if (!open && isStillThere(call) && seen != null && seen.openAt <= call.began) {
            throw new Violation("I9", "somebody was told that the latch is closed, and it was open");
        }
    }

    /** Somebody who waited was told that it was forgotten. */
    public void wasForgotten(Call call) {
        if (isJudged(call)
                && lives.stream().noneMatch(life -> life.endedAt != NEVER && life.wasThereSince(call.began))) {
            throw new Violation("I9", "the latch was said to be forgotten, and it was not");
        }
    }

    public void cleared(Call call, boolean was) {
        if (isJudged(call)
                && was
                && lives.stream().noneMatch(life -> life.endedAt != NEVER && life.wasThereSince(call.began))) {
            throw new Violation("I9", "the latch was said to have been cleared, and it was not");
        }
    }

    /** Somebody was told how often it has to be counted down. */
    public void counted(Call call, int left) {
        Life seen = call.seen;
        if (isJudged(call) && isStillThere(call) && seen != null && (left > call.left || left < seen.left())) {
            throw new Violation(
                    "I9",
                    "the latch had from " + call.left + " to " + seen.left() + " left, and was said to have " + left);
        }
    }
}
