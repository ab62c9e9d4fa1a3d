package io.holdfast.spring;

import io.holdfast.Election;
import io.holdfast.Holdfast;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Stands for the elections of {@code holdfast.election.names} while the application runs, and tells by events how they went.
 */
final class Candidacies implements SmartLifecycle {
    private final Holdfast locks;
    private final List<String> names;
    private final ApplicationEventPublisher events;
    private final Map<Leader, Election.Candidacy> standing = new LinkedHashMap<>();

    Candidacies(Holdfast locks, List<String> names, ApplicationEventPublisher events) {
        this.locks = locks;
        this.names = names;
        this.events = events;
    }

    @Override
    public synchronized void start() {
        for (String name : names) {
            Leader leader = new Leader(name, events);
            standing.put(leader, locks.election(name).stand(leader));
        }
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    /**
     * Calls back when all that led have stopped. The client is closed then, and with it goes what makes them leaders. Spring
     * waits no longer than for any phase.
     */
    @Override
    public void stop(Runnable callback) {
        CompletableFuture.allOf(stopAll()).thenRun(callback);
    }

    private synchronized CompletableFuture<?>[] stopAll() {
        // These interrupt, which must not come later than what Leader waits for.
        standing.values().forEach(Election.Candidacy::close);
        CompletableFuture<?>[] ends =
                standing.keySet().stream().map(Leader::stop).toArray(CompletableFuture<?>[]::new);
        standing.clear();
        return ends;
    }

    @Override
    public synchronized boolean isRunning() {
        return !standing.isEmpty();
    }

    /** Gives up leadership before the client is closed, and after the work has ended. */
    @Override
    public int getPhase() {
        return HoldfastLifecycle.PHASE + 1;
    }
}
