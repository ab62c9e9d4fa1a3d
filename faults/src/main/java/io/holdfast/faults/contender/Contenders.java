package io.holdfast.faults.contender;

import java.util.List;

/** All of them, by name. */
public final class Contenders {
    private static final List<Contender> ALL =
            List.of(new HoldfastContender(), new RedissonContender(), new NaiveContender());

    private Contenders() {}

    public static Contender named(String name) {
        return ALL.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contender is called '" + name + "', only "
                        + ALL.stream().map(Contender::name).toList()));
    }
}
