package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import java.util.ArrayList;
import java.util.List;

/** Renewals in the form that the script wants and answers. */
final class Renewals {
    private static final long SHARED = 3;

    private Renewals() {}

    static List<String> keys(Keys keys, List<RenewItem> batch, boolean shares) {
        List<String> all = new ArrayList<>(3 * batch.size());
        batch.forEach(item -> all.add(keys.lock(item.name())));
        batch.forEach(item -> all.add(keys.queue(item.name())));
        if (shares) {
            batch.forEach(item -> all.add(keys.holds(item.name())));
        }
        return all;
    }

    static List<String> args(List<RenewItem> batch) {
        List<String> args = new ArrayList<>(2 * batch.size());
        for (RenewItem item : batch) {
            args.add(item.owner());
            args.add(Long.toString(item.lease().toMillis()));
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
        return reply.list(size).stream()
                .map(code -> read(new Reply(from, code), from))
                .toList();
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
