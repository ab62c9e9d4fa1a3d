package io.holdfast.simulation.redis;

import org.jspecify.annotations.Nullable;

/** What makes a server answer with an error instead of doing what it is told. The texts are those of Redis 7.0.15. */
public enum ServerMood {
    /** Does what it is told. */
    NORMAL(""),
    /** Has more than maxmemory allows: refuses what may need more. */
    OOM("OOM command not allowed when used memory > 'maxmemory'."),
    /** Is a replica: refuses writes. */
    READONLY("READONLY You can't write against a read only replica."),
    /** Could not save to disk: refuses writes, and PING. */
    MISCONF("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands"
            + " that may modify the data set are disabled, because this instance is configured to report errors during"
            + " writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for"
            + " details about the RDB error."),
    /** Has been started and reads its data: refuses nearly everything. */
    LOADING("LOADING Redis is loading the dataset in memory"),
    /** Runs a script of somebody's that does not end. */
    BUSY("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."),
    /** Lets this user do nothing. */
    NOPERM("NOPERM this user has no permissions to run the '%s' command");

    private final String text;

    ServerMood(String text) {
        this.text = text;
    }

    /** Why a client may not give the command now; null if it may. */
    @Nullable
    RedisError refusal(Command command, String[] argv) {
        boolean refused = switch (this) {
            case NORMAL -> false;
            case OOM -> command.denyOom();
            case READONLY -> command.writes();
            case MISCONF -> command.writes() || command.name().equals("ping");
            case LOADING -> !command.whileLoading();
            case BUSY, NOPERM -> true;
        };
        return refused ? new RedisError(this == NOPERM ? text.formatted(command.fullName(argv)) : text) : null;
    }

    /** Why a script may not give the command; null if it may. A script that has begun to write may write on. */
    @Nullable
    RedisError refusalInScript(Command command, boolean hasWritten) {
        boolean refused = !hasWritten
                && switch (this) {
                    case OOM -> command.denyOom();
                    case READONLY, MISCONF -> command.writes();
                    case NORMAL, LOADING, BUSY, NOPERM -> false;
                };
        return refused ? new RedisError(text) : null;
    }
}
