package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The application's own Redis, from its own properties. */
class RedisAddressTest {
    private static RedisAddress read(String... properties) {
        Map<String, Object> values = new HashMap<>();
        for (String property : properties) {
            int equals = property.indexOf('=');
            values.put("spring.data.redis." + property.substring(0, equals), property.substring(equals + 1));
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", values));
        return RedisAddress.of(environment);
    }

    @Test
    void nothingSet_isBootsOwnDefault() {
        assertThat(read().uri()).isEqualTo("redis://localhost:6379/0");
    }

    @Test
    void hostPortLoginAndDatabase_areTaken() {
        assertThat(read("host=cache", "port=6380", "username=app", "password=p@ss:w/rd +", "database=3")
                        .uri())
                .isEqualTo("redis://app:p%40ss%3Aw%2Frd%20%2B@cache:6380/3");
        assertThat(read("host=cache", "password=secret").uri()).isEqualTo("redis://:secret@cache:6379/0");
        assertThat(read("host=::1").uri()).isEqualTo("redis://[::1]:6379/0");
    }

    @Test
    void url_winsOverHostPortAndLogin_asInBoot() {
        assertThat(read("url=redis://app:secret@cache:6380/2", "host=other", "password=other")
                        .uri())
                .isEqualTo("redis://app:secret@cache:6380/2");
        assertThat(read("url=redis://secret@cache").uri()).isEqualTo("redis://:secret@cache:6379");
        assertThat(read("url=rediss://cache").uri()).isEqualTo("rediss://cache:6379");
    }

    @Test
    void url_isOverTlsIfEnabledOrIfABundleIsNamed_whateverItsScheme() {
        assertThat(read("url=redis://app:secret@cache:6380/2", "ssl.enabled=true")
                        .uri())
                .isEqualTo("rediss://app:secret@cache:6380/2");
        RedisAddress bundled = read("url=redis://secret@cache", "ssl.bundle=cache");
        assertThat(bundled.uri()).isEqualTo("rediss://:secret@cache:6379");
        assertThat(bundled.sslBundle()).isEqualTo("cache");
        assertThat(read("url=rediss://cache", "ssl.enabled=false").uri()).isEqualTo("rediss://cache:6379");
        RedisAddress plain = read("url=redis://cache", "ssl.bundle=cache", "ssl.enabled=false");
        assertThat(plain.uri()).isEqualTo("redis://cache:6379");
        assertThat(plain.sslBundle()).isNull();
    }

    @Test
    void aMalformedUrl_isRefusedWithoutShowingIt() {
        assertThatThrownBy(() -> read("url=redis://app:secret%@cache"))
                .isInstanceOf(HoldfastConfigurationException.class)
                .hasMessageContaining("spring.data.redis.url")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> read("url=http://cache")).hasMessageContaining("redis://");
    }

    @Test
    void sentinels_haveTheLoginOfTheServersAndTheirOwn() {
        RedisAddress address = read(
                "sentinel.master=main",
                "sentinel.nodes=s1:26379,s2:26380",
                "sentinel.username=watch",
                "sentinel.password=w+w",
                "username=app",
                "password=secret",
                "database=1");
        assertThat(address.uri())
                .isEqualTo("redis-sentinel://app:secret@s1:26379,s2:26380/main?database=1&sentinelUser=watch"
                        + "&sentinelPassword=w%2Bw");
        assertThat(address.toString()).doesNotContain("secret").doesNotContain("w%2Bw");
        assertThatThrownBy(() -> read("sentinel.master=main")).hasMessageContaining("sentinel.nodes");
    }

    @Test
    void cluster_isNamedByItsNodes() {
        assertThat(read("cluster.nodes[0]=c1:6379", "cluster.nodes[1]=c2:6379", "ssl.enabled=true")
                        .uri())
                .isEqualTo("rediss-cluster://c1:6379,c2:6379");
    }

    @Test
    void tls_isOnWhenEnabledOrWhenABundleIsNamed() {
        assertThat(read("ssl.enabled=true").uri()).isEqualTo("rediss://localhost:6379/0");
        RedisAddress bundled = read("ssl.bundle=cache");
        assertThat(bundled.uri()).isEqualTo("rediss://localhost:6379/0");
        assertThat(bundled.sslBundle()).isEqualTo("cache");
        assertThat(read("ssl.bundle=cache", "ssl.enabled=false").sslBundle()).isNull();
    }

    @Test
    void masterAndReplicasByName_areRefusedWithARemedy() {
        assertThatThrownBy(() -> read("masterreplica.nodes=a:1,b:2"))
                .isInstanceOfSatisfying(
                        HoldfastConfigurationException.class,
                        refused -> assertThat(refused.remedy()).contains("holdfast.uri"));
    }
}
