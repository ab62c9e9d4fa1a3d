package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

/** What a lease that is held and renewed takes of the heap, apart from its name and from its places in tables. */
class LeaseSizeTest {
    private static final int HEADER = 12;

    /** By its fields, as a JVM lays them out that has less than 32 GB of heap. */
    private static long size(Class<?> type) {
        long size = HEADER;
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                size += Modifier.isStatic(field.getModifiers()) ? 0 : size(field);
            }
        }
        return (size + 7) / 8 * 8;
    }

    private static int size(Field field) {
        Class<?> type = field.getType();
        if (type == long.class || type == double.class) {
            return 8;
        }
        return type == boolean.class || type == byte.class ? 1 : 4;
    }

    /** There may be a hundred thousand. Eight bytes more for each are to be worth it. */
    @Test
    void leaseAndItsHandle_takeNoMoreThanWasPlanned() {
        assertThat(size(HeldLease.class)).isLessThanOrEqualTo(88);
        assertThat(size(LeaseHandle.class)).isLessThanOrEqualTo(16);
        assertThat(size(HeldLease.Grip.class)).isLessThanOrEqualTo(32);
    }
}
