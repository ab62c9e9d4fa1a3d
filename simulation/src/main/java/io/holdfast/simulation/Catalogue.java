package io.holdfast.simulation;

import io.holdfast.simulation.load.Topology;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Which faults of the catalogue (docs/faults.md) a topology can show. */
final class Catalogue {
    private Catalogue() {}

    /**
     * For one server. Not here: what needs several servers (12, 24, 25, 29 to 31, 36, 38), other primitives (55 to 57) or
     * stores (60 to 62), what is refused before anything is sent (59), and what is not built yet (49).
     */
    static List<Integer> of(Topology topology) {
        return Stream.concat(ofSingleServer().stream(), topology.moreOfTheCatalogue().stream())
                .filter(fault -> !topology.lessOfTheCatalogue().contains(fault))
                .sorted()
                .toList();
    }

    private static List<Integer> ofSingleServer() {
        return IntStream.rangeClosed(1, 58)
                .filter(fault -> fault != 12
                        && !(fault >= 24 && fault <= 25)
                        && !(fault >= 29 && fault <= 31)
                        && fault != 36
                        && fault != 38
                        && fault != 49
                        && !(fault >= 55 && fault <= 57))
                .boxed()
                .toList();
    }
}
