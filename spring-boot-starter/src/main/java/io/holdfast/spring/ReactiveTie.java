package io.holdfast.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Ties the locks of one call to the reactive transaction around it: they are kept until that has ended, and have to be valid
 * before it commits. Until then other calls of the transaction find them here: those that come after the one that took them
 * do not stand in its context. Thread safe.
 */
final class ReactiveTie implements TransactionSynchronization, Ordered {
    private static final Object KEY = ReactiveTie.class;

    /** Of all transactions that run in the same context, of which one may have suspended the other. */
    private final Map<String, Hold> ofTransactions;

    private final List<Hold> holds = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private boolean ended;

    private ReactiveTie(Map<String, Hold> ofTransactions, boolean ended) {
        this.ofTransactions = ofTransactions;
        this.ended = ended;
    }

    /**
     * To the transaction of the subscriber; empty if it has never been in one. To be called before anything is waited for: what
     * a transaction knows must not be changed by several threads at once.
     */
    static Mono<ReactiveTie> begin() {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .map(ReactiveTie::in)
                .onErrorResume(NoTransactionException.class, none -> Mono.empty());
    }

    private static ReactiveTie in(TransactionSynchronizationManager context) {
        boolean active = context.isSynchronizationActive() && context.isActualTransactionActive();
        ReactiveTie tie = new ReactiveTie(ofTransactions(context), !active);
        if (active) {
            context.registerSynchronization(tie);
        }
        return tie;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Hold> ofTransactions(TransactionSynchronizationManager context) {
        Object found = context.getResource(KEY);
        if (found == null) {
            found = new ConcurrentHashMap<String, Hold>();
            context.bindResource(KEY, found);
        }
        return (Map<String, Hold>) found;
    }

    /** What transactions around keep, by the names of the locks. */
    Map<String, Hold> held() {
        return ofTransactions;
    }

    /** Keeps what the section has; if there is no transaction, or none any more, does nothing. */
    synchronized void keep(Section section) {
        if (ended) {
            return;
        }
        for (Hold hold : section.holds()) {
            hold.enter();
            holds.add(hold);
            for (String name : hold.shares().keySet()) {
                // One that was suspended may have it, and has it longer.
                if (ofTransactions.putIfAbsent(name, hold) == null) {
                    names.add(name);
                }
            }
        }
    }

    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
        return Mono.fromRunnable(this::ensureValid);
    }

    private synchronized void ensureValid() {
        holds.forEach(hold -> hold.lease().ensureValid());
    }

    /** On a thread that may wait for the store. */
    @Override
    public Mono<Void> afterCompletion(int status) {
        return Mono.<Void>fromRunnable(() -> TransactionTies.leave(end(), status == STATUS_ROLLED_BACK))
                .subscribeOn(Schedulers.boundedElastic());
    }

    private synchronized List<Hold> end() {
        ended = true;
        names.forEach(ofTransactions::remove);
        return List.copyOf(holds);
    }

    /** After whatever others do when a transaction has ended. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
