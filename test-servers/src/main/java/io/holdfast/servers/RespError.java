package io.holdfast.servers;

/** An error reply of the server, such as {@code OOM command not allowed when used memory > 'maxmemory'.} */
public final class RespError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RespError(String message) {
        super(message);
    }

    /** The first word of the message: {@code ERR}, {@code WRONGTYPE}, {@code NOSCRIPT}. */
    public String code() {
        String message = String.valueOf(getMessage());
        int space = message.indexOf(' ');
        return space < 0 ? message : message.substring(0, space);
    }
}
