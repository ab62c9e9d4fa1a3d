package io.holdfast.spring;

import io.holdfast.Lease;
import io.holdfast.Loss;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** What a call sees that has some of its locks from a call around it. Those who took them give them back. */
final class SeveralLeases implements Lease {
    private final List<Lease> leases;
    private final CompletableFuture<Loss> lost = new CompletableFuture<>();

    SeveralLeases(List<Lease> leases) {
        this.leases = leases;
        leases.forEach(lease -> lease.lost().thenAccept(lost::complete));
    }

    @Override
    public String lockName() {
        return leases.stream().map(Lease::lockName).collect(Collectors.joining(" + "));
    }

    @Override
    public long token() {
        throw new UnsupportedOperationException("a lease of several locks has a token for each of them: call"
                + " token(lockName) with one of '" + lockName() + "'");
    }

    @Override
    public long token(String lockName) {
        for (Lease lease : leases) {
            OptionalLong token = tokenOf(lease, lockName);
            if (token.isPresent()) {
                return token.getAsLong();
            }
        }
        throw new IllegalArgumentException(
                "this is a lease of '" + lockName() + "', and '" + lockName + "' is not one of them");
    }

    private static OptionalLong tokenOf(Lease lease, String lockName) {
        try {
            return OptionalLong.of(lease.token(lockName));
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty(); // a lease of others
        }
    }

    @Override
    public boolean isValid() {
        return leases.stream().allMatch(Lease::isValid);
    }

    @Override
    public Duration remaining() {
        return leases.stream()
                .map(Lease::remaining)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public void ensureValid() {
        leases.forEach(Lease::ensureValid);
    }

    @Override
    public CompletionStage<Loss> lost() {
        return lost.minimalCompletionStage();
    }

    @Override
    public void extend(Duration duration) {
        leases.forEach(lease -> lease.extend(duration));
    }

    @Override
    public boolean release() {
        throw new UnsupportedOperationException(
                "the calls that took '" + lockName() + "' give them back when they end");
    }

    @Override
    public void close() {
        release();
    }
}
