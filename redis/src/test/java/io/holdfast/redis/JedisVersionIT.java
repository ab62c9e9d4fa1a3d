package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A run on another Jedis that silently used the usual one would prove nothing. */
@Tag("jedis-compat")
class JedisVersionIT {

    @Test
    void jedisOnTheClassPath_isTheOneThisRunIsAbout() throws IOException {
        assertThat(System.getProperty("holdfast.test.jedis")).isNotBlank().isEqualTo(version());
    }

    @Test
    void jedisOnTheClassPath_isThereOnce() throws IOException {
        assertThat(Jedis.class
                        .getClassLoader()
                        .getResources("redis/clients/jedis/Jedis.class")
                        .asIterator())
                .toIterable()
                .hasSize(1);
    }

    private static String version() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Jedis.class.getResourceAsStream("pom.properties")) {
            properties.load(in);
        }
        return properties.getProperty("version", "none in its pom.properties");
    }
}
