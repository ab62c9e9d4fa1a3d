package io.holdfast.spring;

import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Stands for the elections of {@code holdfast.election.names} while the application runs, and tells by events how they went.
 */
final class Candidacies implements SmartLifecycle {
    private final Holdfast locks;
    private final List<String> names;
    private final ApplicationEventPublisher events;
    private final List<Election.Candidacy> standing = new ArrayList<>();

    Candidacies(Holdfast locks, List<String> names, ApplicationEventPublisher events) {
        this.locks = locks;
        this.names = names;
        this.events = events;
    }

    @Override
    public synchronized void start() {
        for (String name : names) {
            standing.add(locks.election(name).stand(lease -> lead(name, lease)));
        }
    }

    /** Leads until it is interrupted, which is how one is deposed. */
    private void lead(String name, Lease lease) throws InterruptedException {
        events.publishEvent(new ElectedEvent(name, lease));
        try {
            new CountDownLatch(1).await();
        } finally {
            events.publishEvent(new DeposedEvent(name, !lease.isValid()));
        }
    }

    @Override
    public synchronized void stop() {
        standing.forEach(Election.Candidacy::close);
        standing.clear();
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
