package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Renewals in the form that the script wants and answers. */
final class Renewals {
    static final int GONE = 0;
    static final int RENEWED = 1;
    /** It is shared, and its key alone was not enough. */
    static final int SHARED = 2;

    private static final RenewReply DONE = new RenewReply.Renewed();

    private Renewals() {}

    /**
     * The keys of these locks.
     *
     * @param shares whether one of them may be shared
     */
    static List<String> keys(Keys keys, List<RenewItem> batch, boolean shares) {
        List<String> all = new ArrayList<>((shares ? 2 : 1) * batch.size());
        for (RenewItem item : batch) {
            all.add(keys.lock(item.name()));
        }
        if (shares) {
            for (RenewItem item : batch) {
                all.add(keys.holds(item.name()));
            }
        }
        return all;
    }

    /** The owners and leases; a lease is written once if it is that of all, which it mostly is. */
    static List<String> args(List<RenewItem> batch) {
        List<String> args = new ArrayList<>(batch.size() + 2);
        args.add(Integer.toString(batch.size()));
        Duration lease = batch.isEmpty() ? Duration.ZERO : batch.get(0).lease();
        boolean equal = true;
        for (RenewItem item : batch) {
            args.add(item.owner());
            equal &= item.lease().equals(lease);
        }
        for (RenewItem item : equal ? batch.subList(0, Math.min(1, batch.size())) : batch) {
            args.add(Long.toString(item.lease().toMillis()));
        }
        return args;
    }

    /** What became of each of so many. */
    static int[] codes(Reply reply, int size) {
        int[] codes = new int[size];
        Arrays.fill(codes, RENEWED);
        List<?> parts = reply.list(1);
        int others = (parts.size() - 1) / 2;
        if (reply.part(0).count() != size - others || parts.size() % 2 == 0) {
            throw reply.nonsense();
        }
        long last = 0;
        for (int i = 1; i < parts.size(); i += 2) {
            long which = reply.part(i).count();
            long code = reply.part(i + 1).count();
            if (which <= last || which > size || (code != GONE && code != SHARED)) {
                throw reply.nonsense();
            }
            codes[(int) which - 1] = (int) code;
            last = which;
        }
        return codes;
    }

    /**
     * The same, as the engine is answered.
     *
     * @param whole whether it was named by its key alone because it is none that is shared: then it is somebody else's
     */
    static List<RenewReply> read(Reply reply, RedisLink from, int size, boolean whole) {
        int[] codes = codes(reply, size);
        if (reply.list(1).size() == 1) {
            return Collections.nCopies(size, DONE);
        }
        List<RenewReply> replies = new ArrayList<>(size);
        for (int code : codes) {
            replies.add(
                    code == RENEWED
                            ? DONE
                            : code == SHARED && !whole
                                    ? new RenewReply.Failed(StoreFailure.unavailable(
                                            from.address() + " is moving the lock, which is shared, to another node",
                                            null))
                                    : new RenewReply.Gone());
        }
        return replies;
    }
}
