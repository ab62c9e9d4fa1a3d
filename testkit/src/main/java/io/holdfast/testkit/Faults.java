package io.holdfast.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says which faults of the library's fault catalogue a test covers, so that a report can tell which ones nobody does.
 *
 * <pre>{@code
 * @Test
 * @Faults({15, 19})
 * void acquire_whoseReplyIsLost_isRetriedUnderTheSameOwner() { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Faults {

    /** Numbers of the catalogue; on a class they hold for all its tests. */
    int[] value();
}
