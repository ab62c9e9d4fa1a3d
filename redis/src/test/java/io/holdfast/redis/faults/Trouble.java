package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.until;

import io.holdfast.LockException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.servers.RespError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** The errors that one server can be brought to answer with, each by the first word of its message. */
enum Trouble {
    READONLY(true) {
        @Override
        void begin(Rig rig) {
            rig.redis().command("REPLICAOF", "127.0.0.1", "1");
        }

        @Override
        void end(Rig rig) {
            rig.redis().command("REPLICAOF", "NO", "ONE");
        }
    },
    MASTERDOWN(true) {
        @Override
        void begin(Rig rig) {
            rig.configure("replica-serve-stale-data", "no");
            READONLY.begin(rig);
        }

        @Override
        void end(Rig rig) {
            READONLY.end(rig);
        }
    },
    NOREPLICAS(true) {
        @Override
        void begin(Rig rig) {
            rig.configure("min-replicas-to-write", "1");
        }

        @Override
        void end(Rig rig) {
            set(rig, "min-replicas-to-write", "0");
        }
    },
    BUSY(true) {
        @Override
        void begin(Rig rig) {
            rig.configure("busy-reply-threshold", "1");
            rig.start(calls(rig, "EVAL", "while true do end", "0"));
            until("the server is busy", () -> answersWith(rig, "BUSY"));
        }

        @Override
        void end(Rig rig) {
            rig.redis().command("SCRIPT", "KILL");
        }
    },
    LOADING(true) {
        @Override
        void begin(Rig rig) {
            rig.redis().command("DEBUG", "POPULATE", "20000", "data", "100");
            rig.configure("key-load-delay", "400");
            rig.start(calls(rig, "DEBUG", "RELOAD"));
            until("the server is loading", () -> answersWith(rig, "LOADING"));
        }

        @Override
        void end(Rig rig) {
            set(rig, "key-load-delay", "0");
            until("the server has loaded", () -> !answersWith(rig, "LOADING"));
        }
    },
    MISCONF(false) {
        @Override
        void begin(Rig rig) {
            blockSnapshot(rig.redis(), true);
            rig.configure("save", "3600 1");
            rig.redis().command("BGSAVE");
            until("the snapshot has failed", () -> snapshotIs(rig, "err"));
        }

        @Override
        void end(Rig rig) {
            blockSnapshot(rig.redis(), false);
            rig.redis().command("BGSAVE");
            until("the snapshot is there", () -> snapshotIs(rig, "ok"));
        }
    },
    OOM(false) {
        @Override
        void begin(Rig rig) {
            rig.configure("maxmemory", "1");
        }

        @Override
        void end(Rig rig) {
            set(rig, "maxmemory", "0");
        }
    },
    NOPERM(false) {
        @Override
        void begin(Rig rig) {
            rig.redis().command("ACL", "SETUSER", "default", "-evalsha", "-eval");
        }

        @Override
        void end(Rig rig) {
            rig.redis().command("ACL", "SETUSER", "default", "+@all");
        }
    },
    NOAUTH(false) {
        @Override
        void begin(Rig rig) {
            rig.redis().command("ACL", "SETUSER", "default", "resetpass", ">secret");
            rig.redis().killClients();
        }

        @Override
        void end(Rig rig) {
            rig.redis().command("ACL", "SETUSER", "default", "nopass");
        }
    },
    WRONGTYPE(false) {
        @Override
        void begin(Rig rig) {
            rig.redis().command("RPUSH", Rig.key("a"), "no lock");
            rig.redis().command("PEXPIRE", Rig.key("a"), "60000");
        }

        @Override
        void end(Rig rig) {
            rig.redis().command("DEL", Rig.key("a"));
        }
    };

    private final boolean passes;

    Trouble(boolean passes) {
        this.passes = passes;
    }

    abstract void begin(Rig rig);

    abstract void end(Rig rig);

    /** Whether it goes by, so that those who wait try again. */
    boolean passes() {
        return passes;
    }

    Class<? extends LockException> type() {
        return passes ? StoreUnavailableException.class : StoreRefusedException.class;
    }

    private static void set(Rig rig, String parameter, String value) {
        rig.redis().command("CONFIG", "SET", parameter, value);
    }

    private static boolean answersWith(Rig rig, String code) {
        try {
            rig.redis().command("GET", "any");
            return false;
        } catch (RespError e) {
            return e.code().equals(code);
        }
    }

    /** A command on a connection of its own, for those that take long. */
    private static Callable<String> calls(Rig rig, String... command) {
        int port = rig.redis().port();
        return () -> {
            try (Resp other = Resp.connect("127.0.0.1", port)) {
                return String.valueOf(other.call(command));
            }
        };
    }

    private static boolean snapshotIs(Rig rig, String status) {
        return status.equals(rig.redis().info("persistence").get("rdb_last_bgsave_status"));
    }

    /** Puts a folder where the snapshot belongs, or takes it away. */
    private static void blockSnapshot(RedisServer redis, boolean blocked) {
        Path snapshot = redis.dir().resolve("dump.rdb");
        Path obstacle = snapshot.resolve("in-the-way");
        try {
            if (Files.isDirectory(snapshot)) {
                Files.deleteIfExists(obstacle);
            }
            Files.deleteIfExists(snapshot);
            if (blocked) {
                Files.createDirectories(obstacle);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
