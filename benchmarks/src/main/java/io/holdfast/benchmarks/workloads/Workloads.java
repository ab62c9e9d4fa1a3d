package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Primitive;
import java.time.Duration;
import java.util.List;

/** All there are. */
public final class Workloads {
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration CHURN = Duration.ofSeconds(10);

    private static final List<Workload> QUICK = List.of(
            new Uncontended(false),
            new Uncontended(true),
            new ManyNames(32),
            new OneName(16),
            new SeveralJvms(2, 8, 0),
            new SeveralJvms(2, 8, 1));

    private static final List<Workload> ALL = List.of(
            new Uncontended(false),
            new Uncontended(true),
            new ManyNames(32),
            new OneName(16),
            new OneName(64),
            new SeveralJvms(2, 8, 0),
            new SeveralJvms(2, 8, 1),
            new SeveralJvms(4, 8, 0),
            new SeveralJvms(4, 8, 1),
            new HeldLeases(10_000, LEASE, Duration.ZERO),
            new HeldLeases(10_000, LEASE, CHURN),
            new HeldLeases(100_000, LEASE, Duration.ZERO),
            new HeldLeases(100_000, LEASE, CHURN),
            new HandOver(Duration.ofMillis(300)),
            new FirstLock(),
            new WaitingClients(1),
            new WaitingClients(10),
            new WaitingClients(100),
            new WaitingClients(1000),
            new PassedNames(1000),
            new PassedNames(1_000_000),
            new Uncontended(Primitive.FAIR, false),
            new Uncontended(Primitive.FAIR, true),
            new OneName(Primitive.FAIR, 16, 1),
            new SeveralJvms(Primitive.FAIR, 2, 8, 0),
            new Uncontended(Primitive.READ, false),
            new Uncontended(Primitive.READ, true),
            new OneName(Primitive.READ, 16, 16),
            new OneName(Primitive.WRITE, 16, 1),
            new Uncontended(Primitive.PERMIT, false),
            new Uncontended(Primitive.PERMIT, true),
            new OneName(Primitive.PERMIT, 16, 1),
            new OneName(Primitive.PERMIT, 16, 4),
            new Uncontended(Primitive.QUORUM, false),
            new Uncontended(Primitive.QUORUM, true));

    private Workloads() {}

    public static List<Workload> all() {
        return ALL;
    }

    public static List<Workload> quick() {
        return QUICK;
    }

    /** Those whose names start with one of these; {@code a} means both {@code a-idle} and {@code a-hot}. */
    public static List<Workload> only(List<String> starts) {
        for (String start : starts) {
            if (ALL.stream().noneMatch(workload -> workload.name().startsWith(start))) {
                throw new IllegalArgumentException("no workload is called '" + start + "'; there are "
                        + ALL.stream().map(Workload::name).toList());
            }
        }
        return ALL.stream()
                .filter(workload -> starts.stream().anyMatch(workload.name()::startsWith))
                .toList();
    }
}
