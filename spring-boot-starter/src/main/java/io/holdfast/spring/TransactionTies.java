package io.holdfast.spring;

import io.holdfast.LeaseLostException;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Ties locks to transactions. A lock that is taken in a transaction is kept until that has ended. Before any transaction of
 * a thread commits, every lock that the thread holds by annotation has to be valid still; the check is the last thing that
 * happens before the commit itself, behind all synchronizations. Between the two there is a window that no check closes:
 * only a {@linkplain GateInterceptor gate} does.
 */
final class TransactionTies implements Sections.Ties {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionTies.class);

    private final ThreadHolds ofThread;

    TransactionTies(ThreadHolds ofThread) {
        this.ofThread = ofThread;
    }

    @Override
    public void tie(List<Hold> holds) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return;
        }
        Tie tie = new Tie(holds);
        for (Hold hold : holds) {
            hold.enter();
        }
        TransactionSynchronizationManager.registerSynchronization(tie);
    }

    /** When a transaction has ended, which can no longer be told of a loss. */
    static void leave(List<Hold> holds, boolean rolledBack) {
        for (int i = holds.size() - 1; i >= 0; i--) {
            try {
                holds.get(i).leave();
            } catch (LeaseLostException e) {
                if (!rolledBack) {
                    LOG.warn(
                            "a lock was lost while its transaction was being committed, and another may have had it by"
                                    + " then; only a fencing gate in the transaction closes this window",
                            e);
                }
            }
        }
    }

    /**
     * What lets transaction managers tell. Not a bean of the listener's type, or Boot would add it once more to the managers that
     * it makes.
     */
    static BeanPostProcessor listening(Supplier<TransactionTies> ties) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                if (bean instanceof PlatformTransactionManager
                        && bean instanceof ConfigurableTransactionManager manager) {
                    manager.addListener(ties.get().new Listener());
                }
                return bean;
            }
        };
    }

    /** Hears of every transaction of a manager, on the thread that runs it. */
    private final class Listener implements TransactionExecutionListener {
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            ofThread.all().forEach(hold -> hold.lease().ensureValid());
        }
    }

    /** The locks of one call in the transaction around it. */
    // No record: Spring keeps synchronizations in a set, and two calls with the same locks are two.
    private static final class Tie implements TransactionSynchronization, Ordered {
        private final List<Hold> holds;

        Tie(List<Hold> holds) {
            this.holds = holds;
        }

        /** For managers that do not tell listeners. */
        @Override
        public void beforeCommit(boolean readOnly) {
            holds.forEach(hold -> hold.lease().ensureValid());
        }

        @Override
        public void afterCompletion(int status) {
            leave(holds, status == STATUS_ROLLED_BACK);
        }

        /** After whatever others do when a transaction has ended. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }
    }
}
