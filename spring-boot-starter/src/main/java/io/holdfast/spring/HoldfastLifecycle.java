package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.spi.StoreHealth;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Asks the store when the application starts, and gives all locks back when it ends: after the web server has drained and
 * after the executors and schedulers have ended, which Spring stops in higher phases, and before beans are destroyed.
 */
final class HoldfastLifecycle
        implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, ApplicationContextAware {
    /** Under the executors, which end at half of the greatest, and above connection factories, which end at 0. */
    static final int PHASE = Integer.MAX_VALUE / 4;

    private static final Logger LOG = LoggerFactory.getLogger(HoldfastLifecycle.class);

    private final Holdfast locks;
    private final HoldfastProperties.StartupCheck check;
    private @Nullable ApplicationContext context;
    private volatile boolean running;
    private volatile boolean closing;

    HoldfastLifecycle(Holdfast locks, HoldfastProperties.StartupCheck check) {
        this.locks = locks;
        this.check = check;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        this.context = applicationContext;
    }

    @Override
    public void start() {
        running = true;
        if (check == HoldfastProperties.StartupCheck.OFF) {
            return;
        }
        StoreHealth health = locks.health();
        if (!health.reachable()) {
            if (check == HoldfastProperties.StartupCheck.FAIL) {
                throw new StoreNotReachableException(locks.store(), health.warnings());
            }
            LOG.warn(
                    "the lock store {} does not answer, locks fail until it does: {}",
                    locks.store(),
                    String.join("; ", health.warnings()));
            return;
        }
        health.warnings().forEach(warning -> LOG.warn("the lock store {}: {}", locks.store(), warning));
    }

    /** The context of its own, not a child of it. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            closing = true;
        }
    }

    @Override
    public void stop() {
        running = false;
        // A context that is only stopped may be started again, and a closed client may not.
        if (closing) {
            locks.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /**
     * Spring 7 pauses contexts between tests, and asks by this name; Spring 6 has no such method. Locks that are held go on
     * being held.
     */
    public boolean isPauseable() {
        return false;
    }
}
