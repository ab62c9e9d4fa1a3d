package io.holdfast.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases by their next moment: a binary heap of moments in an array, in which every lease knows its moment, and every moment its
 * place, so that one can be taken out from anywhere. Not safe for use by several threads.
 */
final class Moments {
    private static final int SMALLEST = 16;

    private @Nullable Moment[] heap = new @Nullable Moment[SMALLEST];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    Moment first() {
        return at(0);
    }

    List<HeldLease> all() {
        List<HeldLease> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Moment moment = at(i);
            for (int j = 0; j < moment.size(); j++) {
                all.add(moment.lease(j));
            }
        }
        return all;
    }

    /** Puts a lease under a moment of its own, wherever it stood before. */
    void add(HeldLease lease, long nanos, boolean renewal) {
        // First whatever needs memory, or one that is out of it would find the heap with a hole.
        Moment own = new Moment(nanos, renewal);
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        remove(lease);
        own.takes(lease);
        size++;
        rise(size - 1, own);
    }

    /** All of them stand under another moment from now on. */
    void move(Moment moment, long nanos, boolean renewal) {
        moment.isAt(nanos, renewal);
        settle(moment.place, moment);
    }

    /** It stands together with those from now on. */
    void join(HeldLease lease, Moment those) {
        those.makeRoom();
        remove(lease);
        those.takes(lease);
    }

    void remove(HeldLease lease) {
        Moment moment = lease.moment;
        if (moment != null) {
            moment.leaves(lease);
            if (moment.size() == 0) {
                remove(moment);
            }
        }
    }

    private void remove(Moment moment) {
        Moment last = at(--size);
        heap[size] = null;
        if (last != moment) {
            settle(moment.place, last);
        }
        if (size < heap.length / 4 && heap.length > SMALLEST) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
    }

    void clear() {
        while (size > 0) {
            Moment last = at(size - 1);
            remove(last.lease(last.size() - 1));
        }
    }

    private void settle(int place, Moment moment) {
        sink(place, moment);
        if (moment.place == place) {
            rise(place, moment);
        }
    }

    private void rise(int from, Moment moment) {
        int place = from;
        while (place > 0) {
            Moment parent = at((place - 1) / 2);
            if (parent.nanos() - moment.nanos() <= 0) {
                break;
            }
            put(place, parent);
            place = (place - 1) / 2;
        }
        put(place, moment);
    }

    private void sink(int from, Moment moment) {
        int place = from;
        while (2 * place + 1 < size) {
            int child = 2 * place + 1;
            if (child + 1 < size && at(child + 1).nanos() - at(child).nanos() < 0) {
                child++;
            }
            if (moment.nanos() - at(child).nanos() <= 0) {
                break;
            }
            put(place, at(child));
            place = child;
        }
        put(place, moment);
    }

    private void put(int place, Moment moment) {
        heap[place] = moment;
        moment.place = place;
    }

    private Moment at(int place) {
        Moment moment = heap[place];
        if (moment == null) {
            throw new IllegalStateException("no moment at " + place + " of " + size);
        }
        return moment;
    }
}
