package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFailure;

/** What the script's final answers to an acquire mean. */
final class Verdicts {
    private final RedisLink link;
    private final Keys keys;

    Verdicts(RedisLink link, Keys keys) {
        this.link = link;
        this.keys = keys;
    }

    AcquireReply read(int code, AcquireRequest request, Reply reply) {
        return switch (code) {
            case 1 -> granted(reply);
            case 3 -> new AcquireReply.Busy();
            case 5 ->
                refused("has something without an expiry at the key '" + keys.lock(request.name())
                        + "', which no lock of this library ever is; if no other program needs it, delete it");
            case 6 ->
                refused("has no number below 2^53 at the key '" + keys.fence(request.name())
                        + "', so no fencing token can follow; if nobody relies on tokens as high as what stands there,"
                        + " delete it: they then go on from the server's clock");
            case 8 -> usedOtherwise(request, reply.part(3).count());
            default -> throw reply.nonsense();
        };
    }

    private static AcquireReply granted(Reply reply) {
        long tokens = reply.part(4).count();
        if (tokens < 1 || tokens > Integer.MAX_VALUE) {
            throw reply.nonsense();
        }
        return new AcquireReply.Granted(reply.part(3).count(), (int) tokens);
    }

    private AcquireReply usedOtherwise(AcquireRequest request, long permits) {
        String here = permits == 0 ? "no semaphore" : "a semaphore of " + permits + " permits";
        String asked = request.share().kind() == Share.Kind.PERMITS
                ? "one of " + request.share().permits()
                : "a lock";
        return refused("has " + here + " at the key '" + keys.lock(request.name()) + "', and was asked for " + asked
                + "; let all who use the name agree, or use another");
    }

    private AcquireReply refused(String reason) {
        return new AcquireReply.Failed(StoreFailure.refused(link.address() + " " + reason, null));
    }
}
