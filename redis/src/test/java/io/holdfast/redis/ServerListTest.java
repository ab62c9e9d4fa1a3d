package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.Faults;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;

/** The URIs that name several servers. */
class ServerListTest {

    private static SentinelUri sentinel(String uri) {
        return SentinelUri.parse(new StoreUri(uri));
    }

    private static Object parse(String text) {
        StoreUri uri = new StoreUri(text);
        return uri.scheme().endsWith("-cluster") ? ClusterUri.parse(uri) : SentinelUri.parse(uri);
    }

    @Test
    void sentinelUri_isUnderstood() {
        SentinelUri uri = sentinel(
                "rediss-sentinel://u:a%40b+c@h1,h2:7,[::1]:8/my.master?database=3&sentinelUser=s&sentinelPassword=p%26q");

        assertThat(uri.sentinels())
                .containsExactly(
                        new RedisUri(true, "h1", 26379, "s", "p&q", 0),
                        new RedisUri(true, "h2", 7, "s", "p&q", 0),
                        new RedisUri(true, "::1", 8, "s", "p&q", 0));
        assertThat(uri.master()).isEqualTo("my.master");
        assertThat(uri.server(new HostAndPort("m", 9))).isEqualTo(new RedisUri(true, "m", 9, "u", "a@b+c", 3));
        assertThat(uri).hasToString("rediss-sentinel://h1:26379,h2:7,[::1]:8/my.master?database=3");
    }

    @Test
    void sentinelUri_ofTheSimplestForm_isUnderstood() {
        SentinelUri uri = sentinel("redis-sentinel://h/mymaster");

        assertThat(uri.sentinels()).containsExactly(new RedisUri(false, "h", 26379, null, null, 0));
        assertThat(uri.server(new HostAndPort("m", 9))).isEqualTo(new RedisUri(false, "m", 9, null, null, 0));
        assertThat(uri).hasToString("redis-sentinel://h:26379/mymaster");
    }

    @Test
    void limits_areTakenAsTheyAre() {
        assertThat(sentinel("redis-sentinel://h:65535/m?database=0").sentinels())
                .containsExactly(new RedisUri(false, "h", 65_535, null, null, 0));
        assertThat(sentinel("redis-sentinel://:p@h:1/m").server(new HostAndPort("x", 9)))
                .as("no user before the colon")
                .isEqualTo(new RedisUri(false, "x", 9, null, "p", 0));
        assertThat(ClusterUri.parse(new StoreUri("redis-cluster://:p~@h")).node(new HostAndPort("n", 9)))
                .as("the last character that can be written as it is")
                .isEqualTo(new RedisUri(false, "n", 9, null, "p~", 0));
    }

    @Test
    void clusterUri_isUnderstood() {
        ClusterUri uri = ClusterUri.parse(new StoreUri("rediss-cluster://:sesame@h1,h2:7/"));

        assertThat(uri.seeds()).containsExactly(new HostAndPort("h1", 6379), new HostAndPort("h2", 7));
        assertThat(uri.node(new HostAndPort("n", 9))).isEqualTo(new RedisUri(true, "n", 9, null, "sesame", 0));
        assertThat(uri).hasToString("rediss-cluster://h1:6379,h2:7");
    }

    @Test
    void list_isShownWithoutItsLogin() {
        StoreUri uri = new StoreUri("redis-cluster://u:sesame@h1,h2:7");

        assertThat(ServerList.parse(uri, 6379, IllegalArgumentException::new)).hasToString("h1:6379,h2:7");
    }

    static Stream<Arguments> badUris() {
        return Stream.of(
                Arguments.of("redis-sentinel:h/m", "has no // before its hosts"),
                Arguments.of("redis-sentinel:///m", "names no host"),
                Arguments.of("redis-sentinel://h1,,h2/m", "names no host, or has a comma too many"),
                Arguments.of("redis-sentinel://h1,/m", "names no host, or has a comma too many"),
                Arguments.of("redis-sentinel://h1,my_host/m", "has 'my_host' where host:port belongs"),
                Arguments.of("redis-sentinel://h1:x/m", "has 'h1:x' where host:port belongs"),
                Arguments.of("redis-sentinel://[::1/m", "has '[::1' where host:port belongs"),
                Arguments.of("redis-sentinel://h:0/m", "has port 0, which is not between 1 and 65535"),
                Arguments.of("redis-sentinel://h:65536/m", "has port 65536, which is not between 1 and 65535"),
                Arguments.of("redis-sentinel://h,h:26379/m", "names h:26379 twice"),
                Arguments.of("redis-sentinel://h", "does not say which master"),
                Arguments.of("redis-sentinel://h/", "does not say which master"),
                Arguments.of("redis-sentinel://h/a/b", "has 'a/b' where the name of the master belongs"),
                Arguments.of("redis-sentinel://h/m#0", "has no // before its hosts, or a fragment"),
                Arguments.of("redis-sentinel://h/m?db=1", "has the parameter 'db'; there are database"),
                Arguments.of("redis-sentinel://h/m?database=one", "has 'one' where the number of a database belongs"),
                Arguments.of("redis-sentinel://h/m?database=1&database=2", "has the parameter database twice"),
                Arguments.of("redis-sentinel://h/m?database=", "has a parameter without a name or a value"),
                Arguments.of("redis-sentinel://h/m?=x", "has a parameter without a name or a value"),
                Arguments.of("redis-sentinel://h/m\u007f", "has a space, a control character or one beyond ASCII"),
                Arguments.of("redis-sentinel://h/m?", "has a parameter without a name or a value"),
                Arguments.of("redis-sentinel://h/m?sentinelUser=u", "has a sentinelUser and no sentinelPassword"),
                Arguments.of("redis-sentinel://user@h/m", "has a user and no password"),
                Arguments.of("redis-cluster://@h", "has a user and no password"),
                Arguments.of("redis-cluster://@u:p@h", "has an @ inside its login; write it as %40"),
                Arguments.of("redis-sentinel://h h/m", "has a space"),
                Arguments.of("redis-cluster://", "names no host"),
                Arguments.of("redis-cluster://h/0", "has '0' behind its hosts, and a cluster has only database 0"),
                Arguments.of("redis-cluster://h?a=1", "has parameters, which mean nothing here"),
                Arguments.of("redis-cluster://:a%zz@h", "has a % in its password that two hexadecimal digits"));
    }

    @ParameterizedTest
    @MethodSource("badUris")
    @Faults(59)
    void badUri_isRefusedWithTheRuleAndAnExample(String text, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageStartingWith("store URI 'redis-")
                .withMessageContaining(rule)
                .withMessageContaining("; it should look like redis-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-cluster://u:ses@ame@h",
                "redis-cluster://u:ses/ame@h",
                "redis-cluster://u:ses#ame@h",
                "redis-cluster://u:ses%ame@h",
                "redis-cluster://sesame@h",
                "redis-cluster:u:sesame@h",
                "redis-sentinel://u:ses?ame@h/m",
                "redis-sentinel://u:ses ame@h/m",
                "redis-sentinel://:sesame@h/m?x=1",
                "redis-sentinel://h/m?sentinelPassword=sesame&x=1",
                "redis-sentinel://h/m?sentinelPassword=ses%zame",
                "redis-sentinel://h/m?sentinelPassword=ses&ame=2",
                "redis-sentinel://h/m?sentinelPassword=ses@ame",
                "redis-sentinel://h/m?sentinelPassword=sesame#x",
            })
    @Faults(59)
    void badUri_neverShowsThePassword(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("ses").contains("***"));
    }
}
