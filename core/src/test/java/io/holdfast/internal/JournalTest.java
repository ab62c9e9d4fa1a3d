package io.holdfast.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class JournalTest {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        assertThat(LoggerFactory.getLogger("io.holdfast.lost").isWarnEnabled())
                .as("tests run with warnings on")
                .isTrue();
        System.setErr(new PrintStream(said, true, UTF_8));
    }

    @AfterEach
    void restore() {
        System.setErr(before);
    }

    private List<String> warnings() {
        return said.toString(UTF_8)
                .lines()
                .filter(line -> line.contains("WARN"))
                .toList();
    }

    @Test
    void lostLease_isOneWarningWithItsFacts() throws Exception {
        try (Holdfast locks = Holdfast.connect("memory:")) {
            Lease lease = locks.lock(
                            "order:1", o -> o.lease(Duration.ofMillis(100)).renewal(false))
                    .acquire(Duration.ZERO);
            await().atMost(Duration.ofSeconds(10)).until(() -> !warnings().isEmpty());
            assertThat(lease.isValid()).isFalse();
            assertThat(lease.release()).isFalse();

            assertThat(warnings())
                    .singleElement()
                    .asString()
                    .contains(
                            "io.holdfast.lost",
                            "lock=order:1",
                            "token=" + lease.token(),
                            "cause=EXPIRED",
                            "owner=",
                            "lock 'order:1' lost: ");
        }
        assertThat(warnings()).hasSize(1);
    }
}
