package io.holdfast.benchmarks.measure;

import io.holdfast.servers.RedisServer;
import java.util.Map;
import java.util.Set;

/**
 * What a Redis server has done for its clients. Commands are those that clients sent: what a script calls is counted by
 * the server as well, and left out here. So are commands that some scripts call and some clients send, such as SET; no
 * contender that this is for sends any.
 */
public record ServerWork(double sent, double micros, double renewals, double bytes) {
    private static final Set<String> DIRECT =
            Set.of("eval", "evalsha", "fcall", "ping", "subscribe", "unsubscribe", "psubscribe", "punsubscribe");

    /** All that came so far. */
    public static ServerWork take(RedisServer server) {
        Map<String, String> stats = server.info("stats");
        return of(server.info("commandstats"), stats);
    }

    /** From the sections of INFO. */
    public static ServerWork of(Map<String, String> commands, Map<String, String> stats) {
        double sent = 0;
        double micros = 0;
        double renewals = 0;
        for (Map.Entry<String, String> entry : commands.entrySet()) {
            String command = entry.getKey().replaceFirst("^cmdstat_", "");
            if (DIRECT.contains(command)) {
                sent += field(entry.getValue(), "calls");
                micros += field(entry.getValue(), "usec");
            }
            if (command.equals("pexpire")) {
                renewals += field(entry.getValue(), "calls");
            }
        }
        double bytes = Reading.number(stats, "total_net_input_bytes") + Reading.number(stats, "total_net_output_bytes");
        return new ServerWork(sent, micros, renewals, bytes);
    }

    /** From {@code calls=3,usec=50}. */
    private static double field(String fields, String name) {
        for (String field : fields.split(",", -1)) {
            if (field.startsWith(name + "=")) {
                return Double.parseDouble(field.substring(name.length() + 1));
            }
        }
        throw new IllegalStateException("no " + name + " in '" + fields + "'");
    }

    /** What came since an earlier one, or beyond a usual one. */
    public ServerWork minus(ServerWork other) {
        return new ServerWork(sent - other.sent, micros - other.micros, renewals - other.renewals, bytes - other.bytes);
    }

    public ServerWork plus(ServerWork other) {
        return new ServerWork(sent + other.sent, micros + other.micros, renewals + other.renewals, bytes + other.bytes);
    }
}
