package io.holdfast.simulation.redis;

/** An error reply on its way out of a command. Has no stack trace: it is an answer, not a fault of the model. */
final class RedisError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

    private final String text;

    RedisError(String text) {
        super(text, null, false, false);
        this.text = text;
    }

    String text() {
        return text;
    }

    static RedisError syntax() {
        return new RedisError("ERR syntax error");
    }

    static RedisError wrongType() {
        return new RedisError("WRONGTYPE Operation against a key holding the wrong kind of value");
    }

    static RedisError arguments(String command) {
        return new RedisError("ERR wrong number of arguments for '" + command + "' command");
    }

    static RedisError invalidExpiry(String command) {
        return new RedisError("ERR invalid expire time in '" + command + "' command");
    }
}
