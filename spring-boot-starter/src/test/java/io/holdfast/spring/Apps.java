package io.holdfast.spring;

import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts small applications. */
final class Apps {
    private Apps() {}

    /** With the server as the application's own Redis. */
    static ConfigurableApplicationContext start(RedisServer redis, Class<?> source, String... properties) {
        List<String> all = new ArrayList<>(List.of("spring.data.redis.port=" + redis.port()));
        all.addAll(Arrays.asList(properties));
        return start(source, all.toArray(String[]::new));
    }

    static ConfigurableApplicationContext start(Class<?> source, String... properties) {
        return new SpringApplicationBuilder(source)
                .web(WebApplicationType.NONE)
                // A machine that builds is a busy one.
                .properties("spring.main.banner-mode=off", "logging.level.root=warn", "holdfast.command-timeout=10s")
                .properties(properties)
                .registerShutdownHook(false)
                .run();
    }
}
