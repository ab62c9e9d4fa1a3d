package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is out of bounds is refused with the value and the rule, before anything is sent. */
@Faults(59)
interface LimitsContract extends Contract {

    @Test
    default void badNames_areRefusedWithTheRule() {
        Holdfast client = bench().client();
        Map<String, String> rules = new LinkedHashMap<>();
        rules.put("", "must not be empty");
        rules.put("~mine", "must not start with '~'");
        rules.put("a\nb", "control characters");
        rules.put("a\u0000", "control characters");
        rules.put("x".repeat(513), "512 bytes");
        rules.put("ä".repeat(257), "512 bytes");
        rules.put("x".repeat(1 << 20), "512 bytes");
        rules.put("half\ud800", "valid Unicode");
        rules.put("{", "{tag}");
        rules.put("a}", "{tag}");
        rules.put("{}", "{tag}");
        rules.put("{a}{b}", "{tag}");
        rules.put("}a{", "{tag}");

        rules.forEach((name, rule) -> assertThatThrownBy(() -> client.lock(name))
                .as(rule)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lock name")
                .hasMessageContaining(rule)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300)));
        assertThat(bench().store().calls()).isEmpty();
    }

    @Test
    default void longestNames_areLocksLikeOthers() {
        Holdfast client = bench().client();
        for (String name : new String[] {
            (bench().name() + "x".repeat(512)).substring(0, 512), "{" + bench().name() + "}tagged", "ä".repeat(256), " "
        }) {
            DistributedLock lock = client.lock(name);
            assertThat(lock.getLockName()).isEqualTo(name);
            assertThat(lock.tryLock()).isTrue();
            assertThat(client.lock(name).unlock()).isTrue();
        }
    }

    @Test
    default void badLeases_areRefusedWithValueRuleAndLock() throws InterruptedException {
        Holdfast client = bench().client();
        DistributedLock lock = client.lock(bench().name());
        Lease lease = lock.acquire(Duration.ZERO);
        bench().store().forgetCalls();

        assertThatThrownBy(() -> client.lock(bench().name(), options -> options.lease(Duration.ofMillis(5))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("5 ms", "100 ms", bench().name());
        assertThatThrownBy(() -> lock.tryLock(0, 0, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("0 ms", "100 ms", bench().name());
        assertThatThrownBy(() -> lock.tryLock(0, -1, TimeUnit.SECONDS)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.tryLock(0, Long.MAX_VALUE, TimeUnit.DAYS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("24 h", bench().name());
        assertThatThrownBy(() -> lease.extend(Duration.ofDays(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("24 h", bench().name());
        assertThatThrownBy(() -> LockOptions.builder().lease(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1000 ms");
        assertThatThrownBy(() -> LockOptions.builder().lease(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(bench().store().calls()).isEmpty();
        assertThat(lease.release()).isTrue();
    }

    @Test
    default void longestLease_isALeaseLikeOthers() throws InterruptedException {
        try (Lease lease = bench().lock(LockOptions.MAX_LEASE).acquire(Duration.ZERO)) {
            assertThat(lease.remaining()).isGreaterThan(Duration.ofHours(23));
        }
    }
}
