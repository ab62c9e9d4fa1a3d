package io.holdfast.simulation.load;

import io.holdfast.Hold;
import io.holdfast.Loss;
import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Auditor;
import io.holdfast.simulation.audit.Latches;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.ServerAudit;
import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.net.Network;
import io.holdfast.simulation.net.Server;
import io.holdfast.simulation.world.Dice;
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
    private final ServerAudit audit;
    private final Latches latches;
    private final Stage stage;
    private final Auditor auditor;
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
        network.readAlong(this::told);
        this.latches = new Latches(world, PREFIX, Counting.NAME, setup.timeoutMillis() * 1_000_000);
        this.audit = new ServerAudit(world, hits, this::isWaiting, latches);
        this.director = new Director(this);
        this.stage = newStage();
        this.auditor = new Auditor(
                world,
                stage.truth(),
                setup.everyName(),
                hits,
                setup.longestLeaseNanos(),
                setup.driftBeyondModel(),
                this::isUndisturbed);
    }

    private Stage newStage() {
        return switch (setup.topology()) {
            case SINGLE, FAILOVER -> new OneServer(this, audit);
            case SENTINEL -> new SentinelStage(this, audit);
            case CLUSTER -> new ClusterStage(this, audit);
            case QUORUM3, QUORUM5 -> new QuorumStage(this);
        };
    }

    /** Opens the clients and lets their threads go. */
    public void start() {
        stage.start();
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
        stage.lookout().start();
        keepSaving();
    }

    private void keepSaving() {
        stage.servers().forEach(Server::save);
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

    Stage stage() {
        return stage;
    }

    ServerAudit audit() {
        return audit;
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
        if (loss.cause() != Loss.Cause.FORCED) {
            // Not what was taken away: whatever the store may have of that is to be given back.
            stage.lookout().lost(hold.owner());
        }
        if (isNeedless(loss) && !auditor.isLostByForce(hold)) {
            // Not here: whatever a listener throws is taken for its own affair.
            world.after(0, () -> {
                throw new Violation("L5", "nothing was wrong, and " + hold.owner() + " has lost its lock: " + loss);
            });
        }
        auditor.lost(hold, loss);
    }

    /** A client was told something: of a forced release whose it was, "!", by whom, and which lock. */
    private void told(String text) {
        int mark = text.indexOf(" !");
        if (mark > 0) {
            auditor.wasToldOfForce(text.substring(text.lastIndexOf(PREFIX) + PREFIX.length()), text.substring(0, mark));
        }
    }

    /** Whether nothing has befallen this client, the others or the servers since then, and what had is over. */
    private boolean isUndisturbed(Party party, long since) {
        return director.disturbedUntil() < since
                && !party.host().isAsleep()
                && party.host().sleptUntil() < since
                && parties.stream()
                        .filter(one -> !one.host().isDead())
                        .allMatch(one -> network.isSound(one.host().name()));
    }

    /** What is renewed is lost only if something was wrong lately. Shares cannot be renewed while their slot moves. */
    private boolean isNeedless(Loss loss) {
        boolean renewed = loss.cause() == Loss.Cause.GONE
                || (loss.cause() == Loss.Cause.EXPIRED && loss.detail().startsWith("no renewal was confirmed"));
        boolean judged =
                !setup.topology().isQuorum() && !setup.readWrite() && setup.permits() == 0 && !setup.driftBeyondModel();
        return renewed && judged && world.now() > director.harmedUntil() + setup.longestLeaseNanos();
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
