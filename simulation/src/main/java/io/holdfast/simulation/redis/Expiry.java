package io.holdfast.simulation.redis;

import java.util.Locale;

/** EXPIRE and its kin. */
final class Expiry {
    private Expiry() {}

    /** The end in ms of a time that must be positive. */
    static long absolute(long time, boolean seconds, long base, String command) {
        if (time <= 0) {
            throw RedisError.invalidExpiry(command);
        }
        return end(time, seconds, base, command);
    }

    private static long end(long time, boolean seconds, long base, String command) {
        try {
            return Math.addExact(seconds ? Math.multiplyExact(time, 1000) : time, base);
        } catch (ArithmeticException e) {
            throw RedisError.invalidExpiry(command);
        }
    }

    static Object expire(RedisModel redis, String[] argv, boolean seconds, boolean absolute) {
        Conditions conditions = Conditions.parse(argv);
        long time = Numbers.parseLong(argv[2]);
        Database db = redis.db();
        long at = end(time, seconds, absolute ? 0 : db.now(), argv[0].toLowerCase(Locale.ROOT));
        Database.Entry entry = db.entry(argv[1]);
        if (entry == null || !conditions.allow(entry.expiresAt, at)) {
            return 0L;
        }
        if (at <= db.now()) {
            db.remove(argv[1]);
        } else {
            entry.expiresAt = at;
        }
        return 1L;
    }

    private record Conditions(boolean nx, boolean xx, boolean gt, boolean lt) {
        private static final Conditions NONE = new Conditions(false, false, false, false);

        static Conditions parse(String[] argv) {
            if (argv.length == 3) {
                return NONE;
            }
            boolean nx = false;
            boolean xx = false;
            boolean gt = false;
            boolean lt = false;
            for (int i = 3; i < argv.length; i++) {
                switch (argv[i].toUpperCase(Locale.ROOT)) {
                    case "NX" -> nx = true;
                    case "XX" -> xx = true;
                    case "GT" -> gt = true;
                    case "LT" -> lt = true;
                    default -> throw new RedisError("ERR Unsupported option " + argv[i]);
                }
            }
            if (nx && (xx || gt || lt)) {
                throw new RedisError("ERR NX and XX, GT or LT options at the same time are not compatible");
            }
            if (gt && lt) {
                throw new RedisError("ERR GT and LT options at the same time are not compatible");
            }
            return new Conditions(nx, xx, gt, lt);
        }

        boolean allow(long present, long wanted) {
            boolean none = present == Database.NEVER;
            if (none) {
                return !xx && !gt;
            }
            boolean tooShort = gt && wanted <= present;
            boolean tooLong = lt && wanted >= present;
            return !nx && !tooShort && !tooLong;
        }
    }
}
