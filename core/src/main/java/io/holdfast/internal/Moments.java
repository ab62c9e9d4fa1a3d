package io.holdfast.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases by their next moment: a binary heap in an array, in which every lease knows its place, so that one can be taken out
 * from anywhere. Not safe for use by several threads.
 */
final class Moments {
    private static final int SMALLEST = 16;

    private @Nullable HeldLease[] heap = new @Nullable HeldLease[SMALLEST];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    HeldLease first() {
        return at(0);
    }

    List<HeldLease> all() {
        List<HeldLease> all = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            all.add(at(i));
        }
        return all;
    }

    void add(HeldLease lease) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        rise(size++, lease);
    }

    void remove(HeldLease lease) {
        int place = lease.place;
        HeldLease last = at(--size);
        heap[size] = null;
        lease.place = HeldLease.NOWHERE;
        if (last != lease) {
            sink(place, last);
            if (last.place == place) {
                rise(place, last);
            }
        }
        if (size < heap.length / 4 && heap.length > SMALLEST) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
    }

    void clear() {
        while (size > 0) {
            remove(at(size - 1));
        }
    }

    private void rise(int from, HeldLease lease) {
        int place = from;
        while (place > 0) {
            HeldLease parent = at((place - 1) / 2);
            if (parent.nextNanos - lease.nextNanos <= 0) {
                break;
            }
            put(place, parent);
            place = (place - 1) / 2;
        }
        put(place, lease);
    }

    private void sink(int from, HeldLease lease) {
        int place = from;
        while (2 * place + 1 < size) {
            int child = 2 * place + 1;
            if (child + 1 < size && at(child + 1).nextNanos - at(child).nextNanos < 0) {
                child++;
            }
            if (lease.nextNanos - at(child).nextNanos <= 0) {
                break;
            }
            put(place, at(child));
            place = child;
        }
        put(place, lease);
    }

    private void put(int place, HeldLease lease) {
        heap[place] = lease;
        lease.place = place;
    }

    private HeldLease at(int place) {
        HeldLease lease = heap[place];
        if (lease == null) {
            throw new IllegalStateException("no lease at " + place + " of " + size);
        }
        return lease;
    }
}
