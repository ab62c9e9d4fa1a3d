package io.holdfast.examples;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StaleTokenException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The pattern to copy: work under a lock, with an answer to everything that can go wrong. Thread safe.
 *
 * <p>It relies on two things about the work. What is not committed is rolled back, and the commit carries the fencing
 * token, so that a holder who has lost the lock without noticing cannot overwrite what the next one has done.
 */
public final class OrderService {

    /** What came of it. */
    public enum Outcome {
        /** Done, and committed. */
        SHIPPED,
        /** Others had the lock all the time. Nothing was done; try again, or leave it to them. */
        BUSY,
        /** The lock was lost on the way. Nothing was committed; try again. */
        ROLLED_BACK,
        /** The store did not answer. Nothing was done; try again later, and not in a tight loop. */
        TRY_LATER
    }

    private final Holdfast locks;
    private final Orders orders;
    private final Duration patience;
    private final Consumer<String> warehouse;
    private final Consumer<String> alarm;

    /**
     * @param patience how long to wait for the lock of an order
     * @param warehouse packs an order, which takes a while
     * @param alarm wakes a person
     */
    public OrderService(
            Holdfast locks, Orders orders, Duration patience, Consumer<String> warehouse, Consumer<String> alarm) {
        this.locks = locks;
        this.orders = orders;
        this.patience = patience;
        this.warehouse = warehouse;
        this.alarm = alarm;
    }

    /** Ships an order, unless somebody else is at it. */
    public Outcome ship(String order) throws InterruptedException {
        DistributedLock lock = locks.lock("shop:order:" + order);
        Outcome outcome = Outcome.ROLLED_BACK;
        try (Lease lease = lock.acquire(patience);
                Orders.Change change = orders.begin(order)) {
            warehouse.accept(order);
            change.set("SHIPPED");
            lease.ensureValid(); // the last look before the commit; costs no round trip
            change.commit(lease.token()); // refused if a newer holder has committed
            outcome = Outcome.SHIPPED;
        } catch (LockTimeoutException e) {
            outcome = Outcome.BUSY; // others had it; nothing was done
        } catch (StoreUnavailableException e) {
            outcome = Outcome.TRY_LATER; // nobody can know who has it; nothing was done
        } catch (StoreRefusedException e) {
            alarm.accept(e.getMessage()); // waiting does not help, a person does
            throw e;
        } catch (LeaseLostException | StaleTokenException e) {
            // Before the commit: change.close() has rolled back. After it: the gate had let it through.
            alarm.accept(e.getMessage());
        }
        return outcome;
    }
}
