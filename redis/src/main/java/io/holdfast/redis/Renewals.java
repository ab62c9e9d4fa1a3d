package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Renewals in the form that the script wants and answers. */
final class Renewals {
    private static final long SHARED = 3;

    private Renewals() {}

    static List<String> keys(Keys keys, List<RenewItem> batch, boolean shares) {
        List<String> all = new ArrayList<>(3 * batch.size());
        for (RenewItem item : batch) {
            all.add(keys.lock(item.name()));
        }
        for (RenewItem item : batch) {
            all.add(keys.queue(item.name()));
        }
        if (shares) {
            for (RenewItem item : batch) {
                all.add(keys.holds(item.name()));
            }
        }
        return all;
    }

    static List<String> args(List<RenewItem> batch) {
        List<String> args = new ArrayList<>(2 * batch.size());
        Duration lease = Duration.ZERO;
        String millis = "0";
        for (RenewItem item : batch) {
            // Written once for all of the same length, which most are.
            if (!item.lease().equals(lease)) {
                lease = item.lease();
                millis = Long.toString(lease.toMillis());
            }
            args.add(item.owner());
            args.add(millis);
        }
        return args;
    }

    /** The same for the keys of one lock and of who shares it. */
    static List<String> sharesOnly(List<String> args) {
        List<String> all = new ArrayList<>(args);
        all.add("shares");
        return all;
    }

    /** Whether the only lock of a batch is shared, and its key alone was not enough. */
    static boolean isShared(Reply reply) {
        return reply.list(1).size() == 1 && reply.part(0).count() == SHARED;
    }

    static List<RenewReply> read(Reply reply, RedisLink from, int size) {
        List<RenewReply> replies = new ArrayList<>(size);
        for (Object code : reply.list(size)) {
            replies.add(read(new Reply(from, code), from));
        }
        return replies;
    }

    private static RenewReply read(Reply reply, RedisLink from) {
        long code = reply.count();
        if (code > SHARED) {
            throw reply.nonsense();
        }
        if (code == SHARED) {
            return new RenewReply.Failed(StoreFailure.unavailable(
                    from.address() + " is moving the lock, which is shared, to another node", null));
        }
        return code == 0 ? new RenewReply.Gone() : new RenewReply.Renewed(code == 2);
    }
}
