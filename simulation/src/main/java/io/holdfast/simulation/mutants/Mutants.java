package io.holdfast.simulation.mutants;

import io.holdfast.simulation.mutants.Mutant.Edit;
import java.util.List;
import java.util.stream.Stream;

/** The planted bugs. */
final class Mutants {
    private static final String LOCK = "redis/src/main/resources/io/holdfast/redis/lock.lua";
    private static final String RENEW = "redis/src/main/resources/io/holdfast/redis/renew.lua";
    private static final String STORE = "redis/src/main/java/io/holdfast/redis/RedisStore.java";
    private static final String CLOCK = "redis/src/main/java/io/holdfast/redis/ServerClock.java";
    private static final String ENGINE = "core/src/main/java/io/holdfast/internal/Engine.java";
    private static final String ENDINGS = "core/src/main/java/io/holdfast/internal/Endings.java";
    private static final String RELEASES = "core/src/main/java/io/holdfast/internal/Releases.java";
    private static final String LINE = "core/src/main/java/io/holdfast/internal/Line.java";
    private static final String STANDING = "core/src/main/java/io/holdfast/internal/Standing.java";
    private static final String LINES = "core/src/main/java/io/holdfast/internal/Lines.java";
    private static final String PROCESSION = "core/src/main/java/io/holdfast/internal/Procession.java";
    private static final String LOSSES = "core/src/main/java/io/holdfast/internal/Losses.java";
    private static final String ACQUISITION = "core/src/main/java/io/holdfast/internal/Acquisition.java";
    private static final String WISH = "core/src/main/java/io/holdfast/internal/Wish.java";
    private static final String WATCHDOG = "core/src/main/java/io/holdfast/internal/Watchdog.java";
    private static final String HELD = "core/src/main/java/io/holdfast/internal/HeldLease.java";
    private static final String OWNER = "core/src/main/java/io/holdfast/internal/OwnerId.java";
    private static final String CALLER = "core/src/main/java/io/holdfast/internal/Caller.java";
    private static final String NAMED = "core/src/main/java/io/holdfast/internal/NamedLock.java";

    private static final String ALL_LUA = "redis/src/main/resources/io/holdfast/redis/all.lua";
    private static final String LATCH_LUA = "redis/src/main/resources/io/holdfast/redis/latch.lua";
    private static final String GATHERING = "core/src/main/java/io/holdfast/internal/Gathering.java";
    private static final String JOINT = "core/src/main/java/io/holdfast/internal/JointLock.java";
    private static final String JOINT_LEASE = "core/src/main/java/io/holdfast/internal/JointLease.java";
    private static final String INQUIRY = "core/src/main/java/io/holdfast/internal/Inquiry.java";
    private static final String LATCH = "core/src/main/java/io/holdfast/internal/NamedLatch.java";
    private static final String ELECTION = "core/src/main/java/io/holdfast/internal/NamedElection.java";

    private Mutants() {}

    /** All of them, in the order of the table. */
    static final List<Mutant> ALL = Stream.of(mutants(), QuorumBugs.ALL, SentinelBugs.ALL, ClusterBugs.ALL)
            .flatMap(List::stream)
            .toList();

    private static List<Mutant> mutants() {
        return List.of(
                Mutant.of(
                        "a renewal re-creates a lock that is gone",
                        new Edit(
                                RENEW,
                                "  elseif type(value) == 'table' and holds then\n",
                                "  elseif not value then\n"
                                        + "    redis.call('SET', KEYS[i], mine .. '1', 'PX', lease)\n"
                                        + "    renewed = true\n" + "  elseif type(value) == 'table' and holds then\n")),
                Mutant.of(
                        "the owner id is one for each thread, not for each acquisition",
                        new Edit(
                                OWNER,
                                "return new OwnerId(client, thread, platform.draw());",
                                "return new OwnerId(client, thread, 0);")),
                Mutant.of(
                        "validity is counted from the reply to the acquire",
                        new Edit(
                                ACQUISITION,
                                "Validity validity = ask.validity();",
                                "Validity validity = Validity.after(platform.nanoTime(), platform.wallMillis(), options.lease());")),
                Mutant.of(
                        "validity is counted from the reply to the renewal",
                        new Edit(
                                WATCHDOG,
                                "sent.proves(lease.options.lease())",
                                "Validity.after(platform.nanoTime(), platform.wallMillis(), lease.options.lease())")),
                Mutant.of(
                        "a grant that was pushed is trusted, whatever its age",
                        new Edit(
                                STORE,
                                "ServerClock.Moment since = serverClock.notAfter(grant.serverMicros(), life, now());",
                                "ServerClock.Moment since = now();")),
                Mutant.of(
                        "the age of a pushed grant is told by the monotonic clock alone",
                        new Edit(
                                CLOCK,
                                "Math.min(now.wallMillis(), reading.sent().wallMillis() + Math.floorDiv(earliest, 1_000))",
                                "now.wallMillis()")),
                Mutant.of(
                        "a pushed grant is taken while a request is under way",
                        new Edit(
                                ACQUISITION,
                                "        if (phase != Phase.ASKING) {\n" + "            return false;\n" + "        }\n"
                                        + "        again = true;",
                                "        if (owner != null) {\n" + "            return false;\n" + "        }\n"
                                        + "        again = true;"),
                        new Edit(
                                ACQUISITION,
                                "        if (phase != Phase.WAITING || expelled || !owner.equals(grant.owner())) {",
                                "        if ((phase != Phase.WAITING && phase != Phase.ASKING) || !owner.equals(grant.owner())) {")),
                Mutant.of(
                        "a lock that was lent for a moment counts as held for its full lease",
                        new Edit(
                                ACQUISITION,
                                "Validity validity = Validity.after(grant.sinceNanos(), grant.sinceWallMillis(), grant.length());",
                                "Validity validity = Validity.after(grant.sinceNanos(), grant.sinceWallMillis(), options.lease());")),
                Mutant.of(
                        "the lock is set first, and given its expiry in a second step",
                        new Edit(LOCK, "text(token) .. more, 'NX', expiry, ms)", "text(token) .. more, 'NX')"),
                        new Edit(
                                STORE,
                                "        return acquired == null\n",
                                "        if (code == 1) {\n"
                                        + "            return link.command(timeout, \"PEXPIRE\", keys.lock(request.name()), Long.toString(request.lease().toMillis())).thenApply(done -> new ExchangeReply(released, verdicts.read(1, request, reply)));\n"
                                        + "        }\n" + "        return acquired == null\n")),
                Mutant.of(
                        "a release does not compare the owner",
                        new Edit(
                                LOCK,
                                "  local held = isMine\n" + "  if held then",
                                "  local held = isMine\n" + "  if type(value) == 'string' then")),
                Mutant.of(
                        "re-entrancy is counted in the store, so a repeated acquire counts twice",
                        new Edit(
                                LOCK,
                                "  -- Asked again, or granted by another's release: the lease starts anew, and never gets shorter.\n",
                                "  redis.call('HSET', tickets, 'n' .. owner, '1')\n"
                                        + "  redis.call('PEXPIRE', tickets, lease)\n"),
                        new Edit(
                                LOCK,
                                "  local held = isMine\n",
                                "  local held = isMine\n"
                                        + "  if held and redis.call('HDEL', tickets, 'n' .. owner) == 1 then\n"
                                        + "    return { 1, now }\n" + "  end\n")),
                Mutant.of(
                        "a grant to a waiter that never answers lasts for ever",
                        new Edit(
                                LOCK,
                                "'PXAT', text(nowMs + ms), share, weight, of)",
                                "'PXAT', text(nowMs + 86400000), share, weight, of)")),
                Mutant.of(
                        "a ticket has no expiry",
                        new Edit(
                                LOCK,
                                "  redis.call('PEXPIRE', queue, 2 * ticketMs)\n"
                                        + "  redis.call('PEXPIRE', tickets, 2 * ticketMs)\nend\n",
                                "end\n")),
                Mutant.of(
                        "no re-check after the subscription",
                        new Edit(STORE, "            context.events().wakeAll();", "            // nothing")),
                Mutant.of(
                        "no re-check after the subscription was renewed",
                        new Edit(
                                STORE,
                                "        @Override\n"
                                        + "        public void subscribed() {\n"
                                        + "            context.events().wakeAll();",
                                "        private boolean before;\n" + "\n" + "        @Override\n"
                                        + "        public void subscribed() {\n" + "            if (!before) {\n"
                                        + "                context.events().wakeAll();\n" + "            }\n"
                                        + "            before = true;")),
                Mutant.of(
                        "who leaves does not pass the lock on",
                        new Edit(
                                LOCK,
                                "  if not value then\n" + "    passOn()\n" + "  end\n" + "  return { held and 1",
                                "  if not held and not value then\n" + "    passOn()\n" + "  end\n"
                                        + "  return { held and 1")),
                Mutant.of(
                        "an acquire that comes late is carried out, and queues for somebody who has left",
                        new Edit(LOCK, "if now > notAfter then", "if now > notAfter + 86400000000 then")),
                Mutant.of(
                        "a release is not said again although an acquire may follow it",
                        new Edit(
                                STORE,
                                "        if (doubtMicros > 0) {",
                                "        if (doubtMicros > 0 && keys == null) {")),
                Mutant.of(
                        "the counter of tokens is deleted with the lock",
                        new Edit(
                                LOCK,
                                "  if held then\n" + "    redis.call('DEL', lock)",
                                "  if held then\n" + "    redis.call('DEL', lock, fence)"),
                        new Edit(
                                LOCK,
                                "local last = counter and math.max(counter + count, now) or now + 2000000",
                                "local last = (counter or 0) + count")),
                Mutant.of(
                        "tokens are not taken from the clock, and start anew when the counter is lost",
                        new Edit(
                                LOCK,
                                "local last = counter and math.max(counter + count, now) or now + 2000000",
                                "local last = (counter or 0) + count")),
                Mutant.of(
                        "a time-out is counted by the wall clock",
                        new Edit(
                                ACQUISITION,
                                "        Phase was = end();\n" + "        if (was == null) {\n"
                                        + "            return;\n" + "        }\n"
                                        + "        wish.noteWait(false, standing());\n        wish.timedOut",
                                "        if (waits() && (platform.wallMillis() - wish.startWall) * 1_000_000 < wish.patienceNanos()) {\n"
                                        + "            deadline = platform.schedule(5_000_000, this::expire);\n"
                                        + "            return;\n" + "        }\n" + "        Phase was = end();\n"
                                        + "        if (was == null) {\n" + "            return;\n" + "        }\n"
                                        + "        wish.noteWait(false, standing());\n        wish.timedOut"),
                        new Edit(
                                WISH,
                                "        this.startNanos = engine.platform().nanoTime();",
                                "        this.startNanos = engine.platform().nanoTime();\n"
                                        + "        this.startWall = engine.platform().wallMillis();"),
                        new Edit(
                                WISH,
                                "    private final long startNanos;",
                                "    private final long startNanos;\n" + "    final long startWall;")),
                Mutant.of(
                        "a lease is renewed after its release",
                        new Edit(
                                ENDINGS,
                                "        watchdog.remove(lease);\n" + "        return engine.lines().ended(lease);",
                                "        return engine.lines().ended(lease);"),
                        new Edit(
                                WATCHDOG,
                                "                if (lease.phase() == Phase.HELD) {",
                                "                if (lease.phase() != Phase.LOST) {")),
                Mutant.of(
                        "the loss is signalled twice",
                        new Edit(
                                ENGINE,
                                "        if (lease.phase() != Phase.HELD) {\n            return 0;",
                                "        if (lease.phase() != Phase.HELD && lease.phase() != Phase.LOST) {\n            return 0;"),
                        new Edit(
                                HELD,
                                "        return replaces(from, Phase.LOST, loss);",
                                "        return replaces(from, Phase.LOST, loss) || state.phase() == Phase.LOST;")),
                Mutant.of(
                        "the loss is signalled only when the server says so",
                        new Edit(
                                WATCHDOG,
                                "if (lease.remainingNanos(now, wall) <= 0 || stop != null) {",
                                "if (stop != null) {"),
                        new Edit(
                                WATCHDOG,
                                "            } else if (!renewal || lease.isPastMaxHold(now)) {\n"
                                        + "                place(lease, lease.validity().untilNanos());\n",
                                "            } else if (!renewal || lease.isPastMaxHold(now)) {\n"
                                        + "                leases.add(lease, now + 10_000_000, false);\n")),
                Mutant.of(
                        "an interrupt leaves the wait to itself",
                        new Edit(
                                CALLER,
                                "                        whenInterrupted.run();\n",
                                "                        // gone\n")),
                Mutant.of(
                        "who gives up leaves the ticket",
                        new Edit(ACQUISITION, "if (trace && was != Phase.ASKING) {", "if (trace && was == null) {")),
                Mutant.of(
                        "a grant that comes after the caller has left is not given back",
                        new Edit(
                                ACQUISITION,
                                "            if (phase != Phase.ASKING) {\n"
                                        + "                engine.releases().undo(name, grantedOwner, options.lease());\n"
                                        + "                return;\n" + "            }",
                                "            if (phase != Phase.ASKING) {\n" + "                return;\n"
                                        + "            }")),
                Mutant.of(
                        "closing the client leaves what it holds",
                        new Edit(ENGINE, "releases.giveBack(held);", "releases.giveBack(List.of());")),
                Mutant.of(
                        "a repeated acquire does not start the lease anew",
                        new Edit(
                                LOCK,
                                "  if redis.call('PTTL', lock) <= tonumber(lease) then\n"
                                        + "    redis.call('PEXPIRE', lock, lease)\n" + "  end\n" + "  return { 1, now,",
                                "  return { 1, now,")),
                Mutant.of(
                        "a renewal shortens a lease that was extended",
                        new Edit(
                                RENEW,
                                "    if redis.call('PTTL', KEYS[i]) < tonumber(lease) then\n"
                                        + "      redis.call('PEXPIRE', KEYS[i], lease)\n" + "    end\n",
                                "    redis.call('PEXPIRE', KEYS[i], lease)\n")),
                Mutant.of(
                        "a lease counts as held until its release is answered",
                        new Edit(
                                ENDINGS,
                                "if (!engine.isValid(lease) || !lease.moves(Phase.HELD, Phase.RELEASING)) {",
                                "if (!engine.isValid(lease)) {"),
                        new Edit(
                                ENDINGS,
                                "boolean first = lease.moves(Phase.RELEASING, Phase.RELEASED);",
                                "boolean first = lease.moves(Phase.HELD, Phase.RELEASED);")),
                Mutant.of(
                        "a release writes what a full server refuses, first",
                        new Edit(
                                LOCK,
                                "  drop(owner)\n" + "  if ARGV[4] then",
                                "  redis.call('SET', fence, redis.call('GET', fence) or '0')\n" + "  drop(owner)\n"
                                        + "  if ARGV[4] then")),
                Mutant.of(
                        "who waits looks again only after a minute",
                        new Edit(
                                STORE,
                                "        long longest = TICKET.toMillis() / 3;\n"
                                        + "        long left = Math.max(0, Math.min(leftMillis, longest));",
                                "        long longest = 10 * TICKET.toMillis();\n" + "        long left = longest;")),
                Mutant.of(
                        "re-entry succeeds from the local count alone after a loss",
                        new Edit(
                                NAMED,
                                "        engine.ensureValid(entry.lease);\n" + "        entry.count++;",
                                "        entry.count++;")),
                Mutant.of(
                        "elapsed time is read from the monotonic clock alone",
                        new Edit(
                                HELD,
                                "return Math.min(untilNanos - nowNanos, (untilWallMillis - nowWallMillis) * 1_000_000);",
                                "return untilNanos - nowNanos;")),
                Mutant.of(
                        "no allowance is made for clocks that run at different rates",
                        new Edit(HELD, "return lease.toNanos() / 100 + 2_000_000;", "return 0;")),
                Mutant.of(
                        "a dead holder's thread keeps its lock renewed",
                        new Edit(
                                WATCHDOG,
                                "thread != null && !platform.isAlive(thread)",
                                "thread != null && thread == store")),
                Mutant.of(
                        "whoever was sent with others counts as renewed when they are answered",
                        new Edit(WATCHDOG, "            again(lease, now + retryPause(lease));\n", ""),
                        new Edit(
                                WATCHDOG,
                                "            if (stay < moment.size()) {\n",
                                "            for (int i = 0; i < moment.size(); i++) {\n"
                                        + "                moment.lease(i).prove(sent.proves(moment.lease(i).options.lease()));\n"
                                        + "            }\n" + "            if (stay > 0 && stay < moment.size()) {\n")),
                Mutant.of(
                        "of leases that are renewed together none is lost before the last",
                        new Edit(
                                WATCHDOG,
                                "        if (deadline - moment.nanos() < 0) {\n",
                                "        if (deadline - moment.nanos() > 0) {\n")),
                Mutant.of(
                        "a lease is renewed beyond its maxHold",
                        new Edit(WATCHDOG, "!renewal || lease.isPastMaxHold(now)", "!renewal")),
                Mutant.of(
                        "a wake-up that comes while a request is under way is forgotten",
                        new Edit(
                                ACQUISITION,
                                "            if (phase == Phase.ASKING) {\n" + "                again = true;\n"
                                        + "                return;",
                                "            if (phase == Phase.ASKING) {\n" + "                return;")),
                Mutant.of(
                        "what was heard before one came is told to it, however long the store has been silent",
                        new Edit(
                                STANDING,
                                "(heldNanos - waitingSince >= 0 || !asking || now - askingSince < REMARKABLE_NANOS)",
                                "heldNanos != waitingSince")),
                Mutant.of(
                        "one that leaves before it could lead hands on nothing of what was heard",
                        new Edit(LINE, "            leader.learns(known);\n", "")),
                Mutant.of(
                        "a failure of the store is reported as held by another",
                        new Edit(
                                WISH,
                                "        if (failure != null) {\n"
                                        + "            result.completeExceptionally(Failures.asLockException(name, failure));\n"
                                        + "        } else if (!known.isHeldByAnother(",
                                "        if (failure == null && !known.isHeldByAnother(")),
                Mutant.of(
                        "a give-up is not repeated when the store does not answer",
                        new Edit(
                                RELEASES,
                                "            if (!answered && platform",
                                "            if (answered && platform")),
                Mutant.of(
                        "a lock is passed on within a client with the token it had",
                        new Edit(
                                LINE,
                                "heir.inherit(lease, nextToken, now)",
                                "heir.inherit(lease, nextToken - 1, now)")),
                Mutant.of(
                        "a lock is passed on with tokens that were not reserved",
                        new Edit(LINE, "tokensLeft > 0 &&", "tokensLeft > -500 &&")),
                Mutant.of(
                        "a lock is passed on and its release is sent all the same",
                        new Edit(
                                ENDINGS,
                                "        if (passOn(lease)) {\n" + "            return true;",
                                "        if (passOn(lease)) {\n" + "            engine.releases().undo(lease);\n"
                                        + "            return true;")),
                Mutant.of(
                        "a thread takes a lock again for as long as it likes, whoever waits in its client",
                        new Edit(LINE, "return now - turnNanos < TURN_NANOS;", "return turnNanos <= now;")),
                Mutant.of(
                        "one that is called takes the lock although it was taken again",
                        new Edit(
                                LINE,
                                "        if (!ready) {\n" + "            cameInVain = true;",
                                "        if (gone) {")),
                Mutant.of(
                        "what lies ready for one that leaves is given to nobody",
                        new Edit(LINE, "HeldLease lay = ready ? holder : null;", "HeldLease lay = null;")),
                Mutant.of(
                        "a lock that lies ready is taken by one and left ready for another",
                        new Edit(
                                LINE,
                                "            ready = false;\n" + "            return Place.TAKES;",
                                "            return Place.TAKES;")),
                Mutant.of(
                        "the release of a lock that is taken over never ends",
                        new Edit(
                                ACQUISITION,
                                "            engine.lines().leaves(lease);\n" + "        }\n"
                                        + "        engine.requests().end();",
                                "            engine.lines().leaves(lease);\n" + "        }")),
                Mutant.of(
                        "a lease that is passed on begins anew for the next",
                        new Edit(
                                ACQUISITION,
                                "token, now, from.validity());",
                                "token, now, Validity.after(now, platform.wallMillis(), options.lease()));")),
                Mutant.of(
                        "a fair lock is passed on within its client",
                        new Edit(
                                ACQUISITION,
                                "switch (wish.isFair() ? engine.lines().joinRow(this) : engine.lines().join(this)) {",
                                "switch (engine.lines().join(this)) {")),
                Mutant.of(
                        "the shares of all have one end, and the living keep the dead alive",
                        new Edit(
                                RENEW,
                                "    redis.call('ZADD', lock, string.format('%.0f', nowMs + lease), owner)\n",
                                "    for _, one in ipairs(redis.call('ZRANGE', lock, 0, -1)) do\n"
                                        + "      redis.call('ZADD', lock, string.format('%.0f', nowMs + lease), one)\n"
                                        + "    end\n")),
                Mutant.of(
                        "a share whose time is over is renewed",
                        new Edit(RENEW, "  if tonumber(expiry) <= nowMs then\n", "  if tonumber(expiry) <= 0 then\n")),
                Mutant.of(
                        "a share that is over is not taken away before others are counted",
                        new Edit(
                                LOCK,
                                "      if not first[1] or tonumber(first[2]) > nowMs then\n",
                                "      if true then\n")),
                Mutant.of(
                        "the weight of a share that is over is not given back",
                        new Edit(LOCK, "  used = used - (tonumber(weight) or 0)\n", "  used = used - 0\n")),
                Mutant.of(
                        "one in line who hears nothing is passed over although order is promised",
                        new Edit(LOCK, "(share == 'p' or wanted < 1) and expiry", "false and expiry")),
                Mutant.of(
                        "one in line is passed over for a caller, whether it hears or not",
                        new Edit(LOCK, "  if heard[client] then\n", "  if false then\n")),
                Mutant.of(
                        "one in line who hears nothing is passed over where nobody died",
                        new Edit(LOCK, "  if not hasDied or away", "  if away")),
                Mutant.of(
                        "one in line who was passed over once is so when it asks again",
                        new Edit(
                                LOCK,
                                "text(nowMs + ticketMs) .. ' ' .. grantMs",
                                "text(nowMs + ticketMs) .. ' ' .. (string.match(redis.call('HGET', tickets, owner) or '', "
                                        + "'^%d+ (%-)') or '') .. grantMs")),
                Mutant.of(
                        "readers do not wait behind a writer that waits",
                        new Edit(
                                LOCK,
                                "    if not fits(theirShare, theirWeight) then\n" + "      break\n",
                                "    if not fits(theirShare, theirWeight) then\n"
                                        + "      if share == 'r' and fits(share, weight) then\n"
                                        + "        return { 1, now, held, (give(owner, 1, 'PX', lease, share, weight, of)), 1 }\n"
                                        + "      end\n" + "      break\n")),
                Mutant.of(
                        "a writer is let in beside readers",
                        new Edit(
                                LOCK,
                                "  return not kind or share == kind and (share == 'r' or used + weight <= permits)\n",
                                "  return not kind or share == 'x' and kind == 'r' and redis.call('DEL', lock, holds) > 0"
                                        + " or share == kind and (share == 'r' or used + weight <= permits)\n")),
                Mutant.of(
                        "more permits are given out than there are",
                        new Edit(LOCK, "used + weight <= permits)\n", "used <= permits)\n")),
                Mutant.of(
                        "one who wants several permits is overtaken by those who want one",
                        new Edit(
                                LOCK,
                                "    local head, more, count, theirShare, theirWeight, theirPermits, expiry = first()\n",
                                "    local head, more, count, theirShare, theirWeight, theirPermits, expiry = first()\n"
                                        + "    if head and share == 'p' and weight == 1 and fits(share, weight) then\n"
                                        + "      head, more = nil, false\n" + "    end\n")),
                Mutant.of(
                        "one release of several permits lets one in",
                        new Edit(
                                LOCK,
                                "  for _ = 1, MOST_GRANTS do\n" + "    local head, ms,",
                                "  for _ = 1, 1 do\n" + "    local head, ms,"),
                        new Edit(LOCK, "  local head = not value and first()\n", "  local head = nil\n")),
                Mutant.of(
                        "a share that is given back lets nobody in",
                        new Edit(
                                LOCK,
                                "    takeAway(owner)\n" + "    keep()\n" + "    held = true\n",
                                "    takeAway(owner)\n" + "    keep()\n" + "    return { 1, now }\n")),
                Mutant.of(
                        "one that reads on lets those who wait write in between",
                        new Edit(LOCK, "local downgrades = hadAll and share == 'r'\n", "local downgrades = false\n")),
                Mutant.of(
                        "a repeated request for a share is given a second one",
                        new Edit(
                                LOCK,
                                "local expiry = shares(owner)\n" + "if expiry then\n",
                                "local expiry = shares(owner)\n" + "if expiry and share == 'x' then\n")),
                Mutant.of(
                        "a loss does not let the others of the client go on",
                        new Edit(LOSSES, "        next.accept(lease);\n", "")),
                Mutant.of(
                        "who takes the first place in line stands behind the others if the lock is free",
                        new Edit(LOCK, "    stand(place)\n", "")),
                Mutant.of(
                        "who leaves the head of the line lets nobody take its place",
                        new Edit(ACQUISITION, "            next.lead(left);", "            takeBack(left);")),
                Mutant.of(
                        "an exchange that comes too late frees the lock and passes it on to nobody",
                        new Edit(LOCK, "  if before and not value then\n" + "    passOn()\n" + "  end\n", "")),
                Mutant.of(
                        "an exchange leaves the ticket of the one who gives up",
                        new Edit(LOCK, "  drop(before)\n", "")),
                Mutant.of(
                        "an exchange takes the lock from whoever has it",
                        new Edit(
                                LOCK,
                                "  if type(value) == 'string' and string.sub(value, 1, #theirs) == theirs then\n",
                                "  if type(value) == 'string' then\n")),
                Mutant.of(
                        "an exchange whose answer is lost leaves what was to be given up",
                        new Edit(
                                ENDINGS,
                                "        ended(lease);\n" + "        if (error != null) {",
                                "        ended(lease);\n" + "        if (error != null && reply != null) {")),
                Mutant.of(
                        "a repeated acquire is answered with more tokens than were reserved",
                        new Edit(
                                LOCK,
                                "  return tonumber(token), 1 + (tonumber(more) or 0)",
                                "  return tonumber(token), 64 + (tonumber(more) or 0)")),
                Mutant.of(
                        "several that were not all to be had in time are kept as far as they were",
                        new Edit(
                                GATHERING,
                                "        if (!taken) {\n",
                                "        if (!taken && outcome.isPresent()) {\n")),
                Mutant.of(
                        "several that are given up while one is waited for are kept as far as they were had",
                        new Edit(
                                GATHERING,
                                "            engine.endings().releaseInBackground(mine);\n" + "        }\n"
                                        + "        result.cancel(false);\n",
                                "        }\n" + "        result.cancel(false);\n")),
                Mutant.of(
                        "what an answer brings for several that were given up is kept",
                        new Edit(
                                GATHERING,
                                "            engine.endings().releaseInBackground(leases);\n",
                                "            leases.clear();\n")),
                Mutant.of(
                        "several are taken in the order in which they were named",
                        new Edit(
                                JOINT,
                                "Map<String, NamedLock> sorted = new TreeMap<>();",
                                "Map<String, NamedLock> sorted = new java.util.LinkedHashMap<>();"),
                        new Edit(JOINT_LEASE, "Collections.binarySearch(names, lockName)", "names.indexOf(lockName)")),
                Mutant.of(
                        "one of several that was lost while the others were waited for counts as held",
                        new Edit(
                                GATHERING,
                                "            if (!engine.isValid(lease)) {\n",
                                "            if (!engine.isValid(lease) && lease.loss() == null) {\n")),
                Mutant.of(
                        "the validity of several is counted from the answer",
                        new Edit(
                                GATHERING,
                                "                ask.validity(index));\n",
                                "                Validity.after(platform.nanoTime(), platform.wallMillis(),"
                                        + " ask.requests().get(index).lease()));\n")),
                Mutant.of(
                        "one that was re-entered stays taken twice if the rest was not to be had",
                        new Edit(
                                JOINT,
                                "        members.stream().filter(NamedLock::isTakenByThisThread).forEach(NamedLock::unlock);\n",
                                "")),
                Mutant.of(
                        "a closed client waits on for several",
                        new Edit(
                                GATHERING,
                                "                    fail(known(error));\n",
                                "                    if (!(known(error) instanceof ClientClosedException)) {\n"
                                        + "                        fail(known(error));\n"
                                        + "                    }\n")),
                Mutant.of(
                        "one try for several has no limit while others stand before it",
                        new Edit(
                                GATHERING,
                                "            limit(patience);\n" + "        } else if (members",
                                "        } else if (members")),
                Mutant.of(
                        "all or none: those before one that is not to be had are not given up again",
                        new Edit(ALL_LUA, "    if not part then\n", "    if false then\n")),
                Mutant.of(
                        "the release of several leaves the last of them",
                        new Edit(
                                ALL_LUA,
                                "    local reply = run(i, { 'R', ARGV[1 + i] })\n",
                                "    local reply = i > 1 and i == n and 1 or run(i, { 'R', ARGV[1 + i] })\n")),
                Mutant.of(
                        "a latch counts a message that comes twice as two",
                        new Edit(
                                LATCH_LUA,
                                "redis.call('HSETNX', latch, id, '1')",
                                "redis.call('HSETNX', latch, id .. string.format('%.0f', now), '1')")),
                Mutant.of(
                        "a latch counts a message that comes too late",
                        new Edit(LATCH_LUA, "op == 'down' or op == 'clear') and now", "op == 'clear') and now")),
                Mutant.of(
                        "a latch is forgotten by a message that comes too late",
                        new Edit(LATCH_LUA, "op == 'down' or op == 'clear') and now", "op == 'down') and now")),
                Mutant.of(
                        "a count or a clear that is asked again hits the next latch",
                        new Edit(LATCH_LUA, "if (op == 'down' or op == 'clear') and made", "if false and made")),
                Mutant.of(
                        "a latch that opens tells nobody",
                        new Edit(LATCH_LUA, "    if left == 0 then\n" + "      tell()\n" + "    end\n", "")),
                Mutant.of(
                        "those who wait for a latch are struck from its list, and not told",
                        new Edit(
                                LATCH_LUA,
                                "    redis.call('PUBLISH', channel .. string.match(waiter, '^[^:]*'), waiter .. ' ' .. ARGV[4])\n",
                                "")),
                Mutant.of(
                        "a latch that is set is set again",
                        new Edit(
                                LATCH_LUA,
                                "  if left == -1 then\n",
                                "  if left > 0 then\n" + "    redis.call('DEL', latch)\n" + "  end\n"
                                        + "  if left ~= 0 then\n")),
                Mutant.of(
                        "a latch opens one too early",
                        new Edit(
                                LATCH_LUA,
                                "  return left < 0 and -2 or left, made\n",
                                "  return left == 1 and tonumber(count) > 1 and 0 or left, made\n")),
                Mutant.of(
                        "a latch that is not set counts as open",
                        new Edit(LATCH, "return state.isOpen() ?", "return state.left() == 0 ?")),
                Mutant.of(
                        "who waits for a latch does not look again by itself",
                        new Edit(
                                INQUIRY,
                                "                rest(RECHECK_NANOS / 2 + platform.random(RECHECK_NANOS / 2));\n",
                                "")),
                Mutant.of(
                        "a closed client waits on for a latch",
                        new Edit(INQUIRY, "        fail(new ClientClosedException(name));\n", "")),
                Mutant.of(
                        "a leader that is deposed is not interrupted",
                        new Edit(ELECTION, "            lease.lost().thenAccept(loss -> interrupt(lease));\n", "")),
                Mutant.of(
                        "those of other clients are passed over by a row of one client",
                        new Edit(
                                LOCK,
                                "    if string.sub(other, 1, #client) ~= client then\n" + "      break\n" + "    end\n"
                                        + "    list = list .. ',' .. string.sub(other, #client + 1)\n",
                                "    if string.sub(other, 1, #client) == client then\n"
                                        + "      list = list .. ',' .. string.sub(other, #client + 1)\n"
                                        + "    end\n")),
                Mutant.of(
                        "who comes to a row takes its place behind the holder, whoever waits",
                        new Edit(
                                LOCK,
                                "local before, last = tail[1] or holder or '', tail[2]",
                                "local before, last = holder or tail[1] or '', tail[2]")),
                Mutant.of(
                        "who was passed the lock while it asked leaves its ticket, row or no row",
                        new Edit(ACQUISITION, "if (!engine.lines().takesBack(name, late)) {", "if (late.isEmpty()) {")),
                Mutant.of("a row has one token for all", new Edit(PROCESSION, "            nextToken++;\n", "")),
                Mutant.of(
                        "what waits for one that asks stays where it is when that was answered",
                        new Edit(PROCESSION, "        return ready() > 0;\n", "        return false;\n")),
                Mutant.of(
                        "a row ends, and the tickets of those who were served stay",
                        new Edit(
                                ENDINGS,
                                "store.release(lease.name(), lease.owner(), served))",
                                "store.release(lease.name(), lease.owner()))")),
                Mutant.of(
                        "a row whose lease is lost leaves the tickets of those who were served",
                        new Edit(ENDINGS, "        engine.lines().lost(lease);\n", "")),
                Mutant.of(
                        "one of a row that has another lease in mind is passed over",
                        new Edit(
                                PROCESSION,
                                "            if (id == null || heir == null) {\n" + "                return null;\n",
                                "            if (id == null || heir == null) {\n"
                                        + "                if (next++ < behind.size()) {\n"
                                        + "                    continue;\n"
                                        + "                }\n"
                                        + "                return null;\n")),
                Mutant.of(
                        "a permit for one that was passed another is left lying",
                        new Edit(
                                LINES,
                                "procession == null || !procession.hasServed(grant.owner())",
                                "procession == null || procession.hasServed(grant.owner())")),
                Mutant.of(
                        "a permit that went to the next is taken back along with the tickets of those who were served",
                        new Edit(PROCESSION, "                isTakenBack(grant.owner());\n", "")),
                Mutant.of(
                        "one permit is passed on to one that wants several",
                        new Edit(ACQUISITION, "!share.isRead() && share.weight() == 1", "!share.isRead()"),
                        new Edit(
                                ACQUISITION,
                                " && name.equals(lock) && wish.share().equals(share);\n",
                                " && name.equals(lock);\n")),
                Mutant.of(
                        "whoever comes for a permit is told that it is the first",
                        new Edit(
                                LOCK,
                                "local before, last = tail[1] or holder or '', tail[2]",
                                "local before, last = not of and tail[1] or holder or '', tail[2]")),
                Mutant.of(
                        "one that was told by another's thread that it stands in line sleeps on in the store",
                        new Edit(
                                ACQUISITION,
                                "            result().whenComplete((lease, failure) -> platform.unpark(caller));\n",
                                "")),
                Mutant.of(
                        "an answer that comes after the end of a wait leaves its caller asleep in the store",
                        new Edit(
                                ACQUISITION,
                                "        } else if (result().isDone()) {\n"
                                        + "            // The end came while it waited for this answer.\n"
                                        + "            platform.unpark(caller);\n",
                                "")),
                Mutant.of(
                        "a lock that is given back together with others leaves its row behind",
                        new Edit(
                                ENDINGS,
                                "if (next == null && !engine.lines().hasProcession(lease)) {",
                                "if (next == null) {")),
                Mutant.of(
                        "the loss of a lock that was released by force is told to nobody before it is renewed",
                        new Edit(
                                ENGINE,
                                "            for (HeldLease lease : lost(name, owner, loss)) {\n",
                                "            for (HeldLease lease : List.<HeldLease>of()) {\n")));
    }
}
