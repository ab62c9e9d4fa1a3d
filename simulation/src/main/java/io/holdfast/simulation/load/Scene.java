package io.holdfast.simulation.load;

import io.holdfast.Hold;
import io.holdfast.Loss;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Auditor;
import io.holdfast.simulation.audit.Latches;
import io.holdfast.simulation.audit.Liveness;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.world.Dice;
import io.holdfast.simulation.world.Host;
import io.holdfast.simulation.world.World;
import java.util.ArrayList;
import java.util.List;

/** Everything that one run is made of. */
public final class Scene {
    static final String PREFIX = "hf:";

    private final Setup setup;
    private final Mask mask;
    private final World world;
    private final Hits hits = new Hits();
    private final Network network;
    private final Server server;
    private final ServerAudit audit;
    private final Latches latches;
    private final Auditor auditor;
    private final Liveness liveness;
    private final Director director;
    private final List<Party> parties = new ArrayList<>();
    private final List<Site> sites = new ArrayList<>();
    private final Journal journal;
    private int calls;

    public Scene(Setup setup, Mask mask, World world) {
        this.setup = setup;
        this.journal = new Journal(setup);
        this.mask = mask;
        this.world = world;
        this.network = new Network(world, Dice.of(setup.seed(), 5), hits);
        this.latches = new Latches(world, PREFIX, Counting.NAME, setup.timeoutMillis() * 1_000_000);
        this.audit = new ServerAudit(world, hits, this::isWaiting, latches);
        this.server = new Server(network, new Host(world, "redis", Dice.of(setup.seed(), 6), 1.0, 0), audit);
        audit.looksAt(server);
        latches.looksAt(server);
        if (setup.topology() == Topology.FAILOVER) {
            Dice lag = Dice.of(setup.seed(), 9);
            server.replicate(() -> lag.oneIn(20) ? lag.below(500_000_000L) : lag.below(3_000_000L));
        }
        this.auditor =
                new Auditor(world, server, audit, hits, PREFIX, setup.longestLeaseNanos(), setup.driftBeyondModel());
        this.director = new Director(this);
        this.liveness = new Liveness(
                world, server, network, audit, latches, PREFIX, setup.everyName(), parties, director::disturbedUntil);
    }

    /** Opens the clients and lets their threads go. */
    public void start() {
        if (setup.counterKnown()) {
            long past = server.host().wallMicros() - 10_000_000;
            server.byHand("SET", PREFIX + "~fence", Long.toString(past));
        }
        if (setup.copied()) {
            hits.hit(13);
        }
        if (setup.rates().stream().anyMatch(rate -> rate != 1.0)) {
            hits.hit(9);
        }
        for (int i = 0; i < setup.clients(); i++) {
            Site site = new Site(this, i);
            sites.add(site);
            for (int j = 0; j < setup.actors(); j++) {
                int number = i * 10 + j;
                if (mask.keepsActor(number)) {
                    site.actors.add(new Actor(this, site, number));
                }
            }
        }
        sites.forEach(site -> site.actors.forEach(Actor::start));
        world.afterEvent(auditor::check);
        liveness.start();
        keepSaving();
    }

    private void keepSaving() {
        server.save();
        world.after(700_000_000L, this::keepSaving);
    }

    public Setup setup() {
        return setup;
    }

    Mask mask() {
        return mask;
    }

    World world() {
        return world;
    }

    public Hits hits() {
        return hits;
    }

    Network network() {
        return network;
    }

    Server server() {
        return server;
    }

    Latches latches() {
        return latches;
    }

    public Auditor auditor() {
        return auditor;
    }

    /** How it is to end. */
    public Ending ending() {
        return new Ending(this);
    }

    public Director director() {
        return director;
    }

    long highestToken() {
        return audit.highestToken();
    }

    Liveness liveness() {
        return liveness;
    }

    Journal journal() {
        return journal;
    }

    List<Party> parties() {
        return parties;
    }

    List<Site> sites() {
        return sites;
    }

    public int calls() {
        return calls;
    }

    /** Somebody calls the library. */
    void called() {
        calls++;
        director.called(calls);
    }

    boolean isAnybodyWaiting() {
        return parties.stream()
                .anyMatch(party ->
                        !party.host().isDead() && !Peek.waiting(party.engine()).isEmpty());
    }

    boolean isWaiting(String owner) {
        return parties.stream()
                .anyMatch(party ->
                        !party.host().isDead() && Peek.waiting(party.engine()).contains(owner));
    }

    void lost(Hold hold, Loss loss) {
        liveness.lost(hold.owner());
        auditor.lost(hold, loss);
    }

    /** Whether every thread has done all it had to do. */
    public boolean isDone() {
        return sites.stream().allMatch(site -> site.actors.stream().allMatch(Actor::isDone));
    }

    /** Which threads are not done, for the message. */
    public String stuck() {
        StringBuilder text = new StringBuilder();
        sites.forEach(site -> site.actors.stream()
                .filter(actor -> !actor.isDone())
                .forEach(actor -> text.append(text.isEmpty() ? "" : ", ").append(actor)));
        return text.toString();
    }
}
