package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Looks for what weakens the locks on one server. Reads what it is allowed to, and says once what it is not; blocks
 * meanwhile.
 */
final class Checkup {
    private static final List<String> NEEDED = List.of("redis_version", "role", "maxmemory_policy", "aof_enabled");
    private static final Pattern VERSION = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4}).*");
    /** Those that run scripts without looking at min-replicas-to-write; 7.0 never did, and 6.2.7 does not any more. */
    private static final Pattern UNGUARDED = Pattern.compile("6\\.2\\.[0-6]");

    private static final Pattern REPLICA =
            Pattern.compile("slave[0-9]+:ip=(.*),port=([0-9]+),state=([a-z_]+),.*\\blag=(-?[0-9]{1,9}).*");

    /** The oldest that is tested. */
    private static final int OLDEST_MAJOR = 6;

    private static final int OLDEST_MINOR = 2;

    /** A replica speaks up every second. */
    private static final long LONGEST_LAG_SECONDS = 3;

    private final RedisLink link;
    private final Platform platform;
    private final Duration timeout;
    private final boolean inCluster;
    private final long deadline;

    Checkup(RedisLink link, Platform platform, Duration timeout, boolean inCluster) {
        this.link = link;
        this.platform = platform;
        this.timeout = timeout;
        this.inCluster = inCluster;
        this.deadline = platform.nanoTime() + timeout.toNanos() + timeout.toNanos() / 2;
    }

    StoreHealth run() {
        try {
            // The first may have to connect, which is no part of a round trip.
            ask("PING");
            long sent = platform.nanoTime();
            ask("PING");
            Duration roundTrip = Duration.ofNanos(platform.nanoTime() - sent);
            return new StoreHealth(true, roundTrip, List.copyOf(warnings()));
        } catch (StoreFailure e) {
            return new StoreHealth(false, Duration.ZERO, List.of(e.reason()));
        }
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        try {
            String info = Reply.text(ask("INFO").value());
            warnings.addAll(judge(info, inCluster));
            if ("1".equals(RedisErrors.field(info, "aof_enabled"))) {
                warnings.addAll(fileSync());
            }
        } catch (StoreFailure e) {
            warnings.add(unreadable(e.reason()));
        }
        warnings.addAll(link.weaknesses(left()));
        return warnings;
    }

    /** What stands in an answer to INFO. */
    static List<String> judge(String info, boolean inCluster) {
        List<String> missing = NEEDED.stream()
                .filter(field -> RedisErrors.field(info, field) == null)
                .toList();
        Stream<String> found = Stream.of(
                        missing.isEmpty()
                                ? List.<String>of()
                                : List.of(unreadable("its answer to INFO lacks " + String.join(", ", missing))),
                        version(info),
                        eviction(info),
                        persistence(info),
                        replicas(info, inCluster))
                .flatMap(List::stream);
        return found.toList();
    }

    private static List<String> version(String info) {
        String version = RedisErrors.field(info, "redis_version");
        Matcher numbers = VERSION.matcher(version == null ? "" : version);
        if (!numbers.matches()) {
            return List.of();
        }
        int major = Integer.parseInt(numbers.group(1));
        int minor = Integer.parseInt(numbers.group(2));
        return major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)
                ? List.of()
                : List.of("the server is of version " + version + ": nothing before " + OLDEST_MAJOR + "."
                        + OLDEST_MINOR + " is tested, so what is promised of the locks may not hold there; upgrade it");
    }

    private static List<String> eviction(String info) {
        String policy = RedisErrors.field(info, "maxmemory_policy");
        boolean limited = !"0".equals(RedisErrors.field(info, "maxmemory"));
        if (policy == null || !limited || policy.equals("noeviction")) {
            return List.of();
        }
        return List.of(
                "maxmemory-policy is " + policy + ": when memory runs out the server may evict a lock that is held,"
                        + " and two may hold it at once; set maxmemory-policy noeviction");
    }

    private static List<String> persistence(String info) {
        return "0".equals(RedisErrors.field(info, "aof_enabled"))
                ? List.of(
                        "appendonly is no: a restart of the server forgets the locks that are held, and others may take"
                                + " them before their holders notice; set appendonly yes and appendfsync always, or check the"
                                + " token where you write")
                : List.of();
    }

    private List<String> fileSync() {
        try {
            String policy =
                    new Reply(link, ask("CONFIG", "GET", "appendfsync")).part(1).text();
            return policy.equals("always")
                    ? List.of()
                    : List.of("appendfsync is " + policy + ": when the machine of the server fails, the locks of "
                            + (policy.equals("everysec") ? "up to the last second" : "the last half minute or more")
                            + " are forgotten, and others may take them; set appendfsync always, or check the token"
                            + " where you write");
        } catch (StoreFailure e) {
            return List.of("appendfsync cannot be read (" + e.reason()
                    + "): if it is not always, locks are forgotten when the machine of the server fails; grant"
                    + " +config|get, or see to it yourself");
        }
    }

    private static List<String> replicas(String info, boolean inCluster) {
        String role = RedisErrors.field(info, "role");
        if (role == null) {
            return List.of();
        }
        if (!role.equals("master")) {
            return List.of("the server is a replica: it refuses locks, or grants locks that its master does not know;"
                    + " use the master's address, or redis-sentinel:// or redis-cluster://");
        }
        List<String> found = new ArrayList<>();
        List<Matcher> replicas =
                info.lines().map(REPLICA::matcher).filter(Matcher::matches).toList();
        for (Matcher replica : replicas) {
            String name = "the replica " + replica.group(1) + ":" + replica.group(2);
            long lag = Long.parseLong(replica.group(4));
            if (!replica.group(3).equals("online")) {
                found.add(name + " does not follow yet (" + replica.group(3)
                        + "): a failover to it forgets the locks that are held; see its log");
            } else if (lag > LONGEST_LAG_SECONDS) {
                found.add(name + " was last heard of " + lag
                        + " s ago: a failover to it forgets the locks that were taken since; see its log and the"
                        + " network");
            }
        }
        String version = RedisErrors.field(info, "redis_version");
        if (!replicas.isEmpty() && version != null && UNGUARDED.matcher(version).matches()) {
            found.add(
                    "the server is of version " + version + ", which runs scripts also while fewer replicas follow than"
                            + " min-replicas-to-write demands: a master that is cut off goes on granting locks, which the failover"
                            + " forgets; upgrade it to 6.2.7 or newer, or take locks with minReplicas");
        }
        // Only a server that wants some tells how many are good.
        if (!replicas.isEmpty() && RedisErrors.field(info, "min_slaves_good_slaves") == null) {
            found.add("min-replicas-to-write is 0: a master that is cut off goes on granting locks, which the failover"
                    + " forgets; set min-replicas-to-write 1, or take locks with minReplicas");
        }
        if (inCluster && replicas.isEmpty()) {
            found.add("this master has no replica: when it fails, its locks cannot be had until it is back; add a"
                    + " replica");
        }
        return found;
    }

    private static String unreadable(String reason) {
        return "the server's settings cannot be read (" + reason
                + "): see that maxmemory-policy is noeviction and appendonly is yes, or grant +info";
    }

    private RedisLink.Answer ask(String... command) {
        try {
            return link.command(left(), command).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw StoreFailure.of(e);
        }
    }

    private Duration left() {
        long left = Math.max(1_000_000, deadline - platform.nanoTime());
        return Duration.ofNanos(Math.min(left, timeout.toNanos()));
    }
}
