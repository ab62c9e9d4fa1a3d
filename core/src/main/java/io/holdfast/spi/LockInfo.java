package io.holdfast.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One lock as the store sees it.
 *
 * @param name the lock
 * @param owner who holds it: an owner id of this library, or the text another client has put there; empty if it is free
 * @param token the holder's fencing token, if it is one of this library's; the first of them, if it was granted several
 * @param remaining what is left of the lease; zero if the lock is free or never expires
 * @param waiters the owner ids of those who wait, first come first
 * @param sharedBy the owner ids of those who share it; then it has no owner, and what remains is what is left of
 *     the last of their leases
 * @param holders the same one or more who hold it, and since when
 * @param line the same who wait, and since when
 */
public record LockInfo(
        String name,
        Optional<String> owner,
        OptionalLong token,
        Duration remaining,
        List<String> waiters,
        List<String> sharedBy,
        List<Party> holders,
        List<Party> line) {

    private static final Pattern OWNER = Pattern.compile("([0-9a-z]{1,64}):([0-9]{1,18}):[0-9a-z]{1,64}");

    /**
     * One that holds or waits.
     *
     * @param owner its owner id: {@code client:thread:number}, where thread is the number that its JVM gave the thread which
     *     asked; or the text another client has put there
     * @param token its fencing token, if it holds the lock and the store tells
     * @param since when it got the lock, or its place in line, by the store's clock; empty if the store does not tell. Renewals
     *     do not change it. A lock that is passed on within a client is held since the client has it, and a place in line that
     *     one thread leaves to the next of its client is that of the first
     * @param age how long that was ago, by the store's clock
     * @param origin where it runs, as its client has said; empty if the store does not know
     */
    public record Party(
            String owner,
            OptionalLong token,
            Optional<Instant> since,
            Optional<Duration> age,
            Optional<Origin> origin) {

        /** One of whom it is not known where it runs. */
        public Party(String owner, OptionalLong token, Optional<Instant> since, Optional<Duration> age) {
            this(owner, token, since, age, Optional.empty());
        }

        /** One of whom it is not known since when. */
        public static Party of(String owner) {
            return new Party(owner, OptionalLong.empty(), Optional.empty(), Optional.empty());
        }

        /** The client that it is of, by its owner id; empty if that is none of this library's. */
        public Optional<String> client() {
            Matcher parts = OWNER.matcher(owner);
            return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
        }

        /** The number of the thread that asked, by its owner id; empty if that is none of this library's. */
        public OptionalLong thread() {
            Matcher parts = OWNER.matcher(owner);
            return parts.matches() ? OptionalLong.of(Long.parseLong(parts.group(2))) : OptionalLong.empty();
        }
    }

    /** One of which it is not known since when it is held and waited for. */
    public LockInfo(
            String name,
            Optional<String> owner,
            OptionalLong token,
            Duration remaining,
            List<String> waiters,
            List<String> sharedBy) {
        this(
                name,
                owner,
                token,
                remaining,
                waiters,
                sharedBy,
                Stream.concat(
                                owner.map(one -> new Party(one, token, Optional.empty(), Optional.empty())).stream(),
                                sharedBy.stream().map(Party::of))
                        .toList(),
                waiters.stream().map(Party::of).toList());
    }

    /** A lock that is free, or that one has whole. */
    public LockInfo(String name, Optional<String> owner, OptionalLong token, Duration remaining, List<String> waiters) {
        this(name, owner, token, remaining, waiters, List.of());
    }

    /**
     * The same, with where each one runs.
     *
     * @param clients where a client runs, by its id
     */
    public LockInfo located(Function<String, Optional<Origin>> clients) {
        return new LockInfo(
                name, owner, token, remaining, waiters, sharedBy, located(holders, clients), located(line, clients));
    }

    private static List<Party> located(List<Party> parties, Function<String, Optional<Origin>> clients) {
        return parties.stream()
                .map(party -> new Party(
                        party.owner(),
                        party.token(),
                        party.since(),
                        party.age(),
                        party.client().flatMap(clients)))
                .toList();
    }
}
