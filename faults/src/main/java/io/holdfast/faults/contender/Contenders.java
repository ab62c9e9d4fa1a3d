package io.holdfast.faults.contender;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** All of them, by name. */
public final class Contenders {
    private static final List<Contender> ALL = Stream.concat(
                    Stream.of(new HoldfastContender(), new NaiveContender()),
                    Arrays.stream(RedissonContender.Variant.values()).map(RedissonContender::new))
            .toList();

    private Contenders() {}

    public static Contender named(String name) {
        return ALL.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contender is called '" + name + "', only "
                        + ALL.stream().map(Contender::name).toList()));
    }
}
