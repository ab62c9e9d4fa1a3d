package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads what stands in the servers of a quorum, for people. One after the other, so a busy lock may change in between. */
final class RedlockInspection {
    private final List<QuorumNode> nodes;
    private final Quorum quorum;
    private final Keys keys;
    private final Duration timeout;
    private final List<QuorumNode> answering = new ArrayList<>();

    RedlockInspection(List<QuorumNode> nodes, Quorum quorum, Keys keys, Duration timeout) {
        this.nodes = nodes;
        this.quorum = quorum;
        this.keys = keys;
        this.timeout = timeout;
    }

    /** A lock is somebody's if a majority says so. One that nobody has or waits for is not listed. */
    List<LockInfo> locks(String pattern) {
        List<LockInfo> locks = read(pattern).values().stream()
                .map(this::together)
                .filter(lock -> lock.owner().isPresent() || !lock.waiters().isEmpty())
                .toList();
        return Introduction.locate(locks, keys, this::anywhere);
    }

    /** What any of the servers has at single keys: a client says at all of them who it is, and some may have missed it. */
    private List<CompletionStage<RedisLink.Answer>> anywhere(List<String[]> commands) {
        List<CompletionStage<RedisLink.Answer>> known = List.of();
        for (QuorumNode node : answering) {
            List<CompletionStage<RedisLink.Answer>> here = node.link().commands(timeout, commands);
            List<CompletionStage<RedisLink.Answer>> before = known;
            known = IntStream.range(0, commands.size())
                    .mapToObj(i -> before.isEmpty() || !tellsSomething(before.get(i)) ? here.get(i) : before.get(i))
                    .toList();
            if (known.stream().allMatch(RedlockInspection::tellsSomething)) {
                break;
            }
        }
        return known;
    }

    private static boolean tellsSomething(CompletionStage<RedisLink.Answer> answer) {
        try {
            return !Reply.text(get(answer).value()).isEmpty();
        } catch (StoreFailure e) {
            return false;
        }
    }

    /** What each of the servers has, by the name of the lock. */
    private Map<String, List<LockInfo>> read(String pattern) {
        Map<String, List<LockInfo>> found = new LinkedHashMap<>();
        List<String> failures = new ArrayList<>();
        for (QuorumNode node : nodes) {
            try {
                List<LockInfo> here = get(new Inspection(node.link(), keys, timeout).locks(pattern));
                here.forEach(lock -> found.computeIfAbsent(lock.name(), any -> new ArrayList<>())
                        .add(lock));
                answering.add(node);
            } catch (StoreFailure e) {
                failures.add(e.reason());
            }
        }
        if (failures.size() >= quorum.blocking()) {
            throw StoreFailure.unavailable("too few servers can be looked at: " + String.join("; ", failures), null);
        }
        return found;
    }

    /** Under which name an owner has a lock on a majority; null if it has not. */
    @Nullable
    String holder(String name, String owner) {
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (LockInfo lock : read(name).getOrDefault(name, List.of())) {
            lock.owner()
                    .filter(holder -> HolderNames.owner(holder).equals(owner))
                    .ifPresent(holder -> votes.merge(holder, 1, Integer::sum));
        }
        return votes.entrySet().stream()
                .filter(vote -> vote.getValue() >= quorum.majority())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private LockInfo together(List<LockInfo> seen) {
        String name = seen.get(0).name();
        Set<String> waiters = new LinkedHashSet<>();
        Map<String, List<LockInfo>> byOwner = new LinkedHashMap<>();
        for (LockInfo lock : seen) {
            waiters.addAll(lock.waiters());
            lock.owner()
                    .ifPresent(owner -> byOwner.computeIfAbsent(owner, any -> new ArrayList<>())
                            .add(lock));
        }
        for (Map.Entry<String, List<LockInfo>> entry : byOwner.entrySet()) {
            List<LockInfo> theirs = entry.getValue();
            if (theirs.size() >= quorum.majority()) {
                String owner = HolderNames.owner(entry.getKey());
                OptionalLong token = token(theirs);
                LockInfo.Party first = theirs.get(0).holders().get(0);
                return new LockInfo(
                        name,
                        Optional.of(owner),
                        token,
                        remaining(theirs),
                        List.copyOf(waiters),
                        List.of(),
                        List.of(new LockInfo.Party(owner, token, first.since(), first.age())),
                        waiters.stream().map(LockInfo.Party::of).toList());
            }
        }
        return new LockInfo(name, Optional.empty(), OptionalLong.empty(), Duration.ZERO, List.copyOf(waiters));
    }

    /** The token that most of them show. */
    private static OptionalLong token(List<LockInfo> locks) {
        OptionalLong best = OptionalLong.empty();
        long most = 0;
        for (LockInfo lock : locks) {
            long same = locks.stream()
                    .filter(other -> other.token().equals(lock.token()))
                    .count();
            if (same > most) {
                most = same;
                best = lock.token();
            }
        }
        return best;
    }

    /** How long a majority has it. */
    private Duration remaining(List<LockInfo> locks) {
        return locks.stream()
                .map(LockInfo::remaining)
                .sorted()
                .skip(locks.size() - quorum.majority())
                .findFirst()
                .orElse(Duration.ZERO);
    }

    StoreHealth health(Platform platform) {
        List<String> warnings = new ArrayList<>();
        List<Duration> roundTrips = new ArrayList<>();
        for (QuorumNode node : nodes) {
            StoreHealth health = new Checkup(node.link(), platform, timeout, false).run();
            health.warnings().forEach(warning -> warnings.add(node.address() + ": " + warning));
            if (health.reachable()) {
                roundTrips.add(health.roundTrip());
                restart(node).ifPresent(warnings::add);
            }
        }
        boolean reachable = roundTrips.size() >= quorum.majority();
        // That of the slowest of the fastest majority.
        Duration roundTrip = reachable
                ? roundTrips.stream()
                        .sorted()
                        .skip(quorum.majority() - 1L)
                        .findFirst()
                        .orElse(Duration.ZERO)
                : Duration.ZERO;
        return new StoreHealth(reachable, roundTrip, warnings);
    }

    /** Whether a server does not count at present, since it was started. */
    private Optional<String> restart(QuorumNode node) {
        try {
            return Optional.ofNullable(node.tooYoung(timeout))
                    .map(why -> node.address() + ": the server " + why + ", and until then the others have to make up a"
                            + " majority without it; who knows that no lock of before is held may vouch for it");
        } catch (StoreFailure e) {
            // It says so itself, with its address.
            return Optional.of(e.reason() + "; grant +info, and reading the keys of the prefix");
        }
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw StoreFailure.of(e);
        }
    }
}
