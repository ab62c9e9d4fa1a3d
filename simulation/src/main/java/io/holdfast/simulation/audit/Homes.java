package io.holdfast.simulation.audit;

import io.holdfast.simulation.net.Server;
import io.holdfast.spi.Share;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Locks of which each is on one server: the only one, the master, or the node that has its slot. */
public final class Homes implements Truth {
    private final Function<String, Server> home;
    private final Function<String, String> counter;
    private final ServerAudit audit;
    private final String prefix;

    /**
     * What servers have of which each has whole locks.
     *
     * @param home where a lock is
     * @param counter the key that its tokens are counted at
     */
    public Homes(Function<String, Server> home, Function<String, String> counter, ServerAudit audit, String prefix) {
        this.home = home;
        this.counter = counter;
        this.audit = audit;
        this.prefix = prefix;
    }

    @Override
    public @Nullable String instead(String name, String owner, long token, Share share) {
        Server server = home.apply(name);
        if (!server.isUp()) {
            return null;
        }
        String value = server.model().value(prefix + name);
        Shares shares = Shares.of(server.model(), prefix + name, prefix + "~queue:{" + prefix + name + "}");
        boolean known = share.isWhole()
                ? ServerAudit.covers(value, owner, token)
                : shares.covers(owner, token, server.model().nowMillis());
        return known ? null : String.valueOf(value == null ? shares : value);
    }

    @Override
    public List<String> holders(String name) {
        Server server = home.apply(name);
        String owner = ServerAudit.owner(server.model().value(prefix + name));
        return owner != null
                ? List.of(owner)
                : Shares.of(server.model(), prefix + name, prefix + "~queue:{" + prefix + name + "}")
                        .living(server.model().nowMillis());
    }

    @Override
    public boolean isGranted(String name, long token) {
        return audit.isGranted(prefix + name, token);
    }

    @Override
    public Set<String> queue(String name) {
        return home.apply(name)
                .model()
                .sortedSet(prefix + "~queue:{" + prefix + name + "}")
                .keySet();
    }

    @Override
    public boolean isWaiting(String owner) {
        return audit.isToBeServedInTurn(owner);
    }

    @Override
    public long highestToken(String name) {
        return audit.highestToken(prefix + name);
    }

    @Override
    public long nextToken(String name) {
        Server server = home.apply(name);
        String counted = server.model().value(counter.apply(name));
        return counted == null || !counted.matches("[0-9]+")
                ? server.host().wallMicros() + 2_000_000
                : Math.max(Long.parseLong(counted) + 1, server.host().wallMicros());
    }
}
