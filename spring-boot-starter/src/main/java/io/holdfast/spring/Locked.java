package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method while a lock is held. On a method of a Spring bean, called through the bean.
 *
 * <pre>{@code
 * @Locked(name = "order:#{#order.id}", waitFor = "5s")
 * @Transactional
 * public void ship(Order order) { … }
 * }</pre>
 *
 * <p>The lock is taken before a transaction of the method begins and given back after it has ended. In a transaction that
 * runs already it is given back after that one has ended. A transaction is rolled back with
 * {@link io.holdfast.LeaseLostException} if the lock was lost before the commit. A method that returns a
 * {@code CompletionStage}, a {@code Mono} or a {@code Flux} holds the lock until that has ended. To cancel the stage that the
 * caller got does not cancel the one that the method returned: whether its work would have ended then, nobody knows.
 *
 * <p>A method that declares a parameter of type {@link io.holdfast.Lease} is given the lease; its callers pass null.
 *
 * <p>A thread that holds the lock by such a method and calls another that wants it goes on with the one it has.
 *
 * <p>Repeated, all of the locks are taken or none, as by {@link io.holdfast.Holdfast#allOf}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Locked.AllOf.class)
@Documented
public @interface Locked {

    /**
     * The lock. Text with expressions in <code>#{…}</code>: of the method's arguments as <code>#order</code>, and of beans
     * as <code>@shop</code>. Placeholders <code>${…}</code> are replaced. An expression that comes out null or empty is
     * refused: all who lack a value would otherwise share one lock.
     */
    String name();

    /**
     * How long to wait for the lock at most, such as {@code 5s} or <code>${shop.wait}</code>; {@code 0} is one try. Unless told,
     * {@code holdfast.locked.wait-for}; on a {@code @Scheduled} method, one try.
     */
    String waitFor() default "";

    /** The lease; by default {@code holdfast.lease}. */
    String lease() default "";

    /**
     * For how long the lock is held at least, even if the method ends sooner, so that another instance whose clock is late does
     * not run the same job again; 24 h at most. A shutdown in the meantime gives the lock back.
     */
    String atLeast() default "";

    /**
     * For how long the lock is held at most, even if the method goes on; then it is lost, and another instance may have it.
     * The last renewal may cut off up to a third of a lease.
     */
    String atMost() default "";

    /** Strictly first come, first served, among all threads of all instances. */
    boolean fair() default false;

    /** Alone, or beside others who read. */
    Mode mode() default Mode.WRITE;

    /** If more than 0, a semaphore of so many permits, of which the method takes one. */
    int permits() default 0;

    /** What happens if the lock is not to be had in time. */
    OnTimeout onTimeout() default OnTimeout.DEFAULT;

    /**
     * The resource that the method writes to in its transaction. If given, the {@link io.holdfast.FencingGate} bean is asked to
     * admit the lease's token for it, in the transaction and before the method runs. A call without a transaction is refused,
     * and so is the start of an application that has no transactions at all.
     */
    String gate() default "";

    /** How the lock is shared. */
    enum Mode {
        /** With those who read. */
        READ,
        /** With nobody. */
        WRITE
    }

    /** What a call does that does not get its lock in time. */
    enum OnTimeout {
        /** {@link #SKIP} on a {@code @Scheduled} method, {@link #THROW} elsewhere. */
        DEFAULT,
        /** Throws {@link io.holdfast.LockTimeoutException}. */
        THROW,
        /**
         * Does not run the method. Only for methods that have a way to return nothing: {@code void}, {@code Optional},
         * {@code CompletionStage}, {@code Mono} and {@code Flux}.
         */
        SKIP
    }

    /** Several locks, all or none. Written by the compiler where {@link Locked} is repeated. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface AllOf {
        Locked[] value();
    }
}
