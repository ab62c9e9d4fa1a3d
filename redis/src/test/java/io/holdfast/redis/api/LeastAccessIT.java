package io.holdfast.redis.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.redis.SharedRedis;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No part of the access list is there for nothing. */
@Tag("slow")
class LeastAccessIT {
    private final AccessList access = new AccessList(SharedRedis.empty());

    @AfterEach
    void removeTheUser() {
        access.removeUser();
    }

    static Stream<String> commands() {
        return AccessList.COMMANDS.stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void userWithoutOneOfThem_fails(String missing) {
        access.allow(AccessList.COMMANDS.stream()
                .filter(command -> !command.equals(missing))
                .toList());

        assertThat(catchThrowable(access::doEverything))
                .as("without " + missing)
                .isNotNull();
    }
}
