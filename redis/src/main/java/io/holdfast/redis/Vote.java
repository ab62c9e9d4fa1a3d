package io.holdfast.redis;

import io.holdfast.spi.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * What came of a question to one server: an answer, or why there is none.
 *
 * @param answer null if there is none
 * @param failure null if there is an answer
 */
record Vote<T>(@Nullable T answer, @Nullable StoreFailure failure) {

    static <T> Vote<T> of(T answer) {
        return new Vote<>(answer, null);
    }

    static <T> Vote<T> failed(StoreFailure failure) {
        return new Vote<>(null, failure);
    }
}
