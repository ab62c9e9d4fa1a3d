package io.holdfast.redis.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.Holdfast;
import io.holdfast.StoreRefusedException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.testkit.Faults;
import java.net.URLEncoder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** User, password and database in the URI. */
@Tag("jedis-compat")
class LoginIT {
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.builder().password("admin").start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static Holdfast connect(String login, String database) {
        return Holdfast.connect("redis://" + login + "@127.0.0.1:" + redis.port() + database);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sesame", "p@ss", "p:a:s", "p/a", "100%", "a+b", "ä锁", "?#&="})
    void password_withAnyCharacter_worksWhenEncoded(String password) {
        redis.command("ACL", "SETUSER", "app", "reset", "on", ">" + password, "~*", "&*", "+@all");

        try (Holdfast locks = connect("app:" + URLEncoder.encode(password, UTF_8), "")) {
            assertThat(locks.lock("a").tryLock()).isTrue();
        }
    }

    @Test
    void passwordWithoutUser_isThatOfTheDefaultUser() {
        try (Holdfast locks = connect(":admin", "")) {
            assertThat(locks.lock("a").tryLock()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {":wrong-one", "nobody:wrong-one"})
    @Faults(23)
    void wrongLogin_isATypedErrorThatDoesNotShowIt(String login) {
        try (Holdfast locks = connect(login, "")) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining("lock 'a': redis://127.0.0.1:" + redis.port() + " answered 'WRONGPASS")
                    .withMessageContaining("it does not accept the user or the password")
                    .satisfies(e -> assertThat(e.toString() + e.getCause()).doesNotContain("wrong-one"));
        }
    }

    @Test
    @Faults(23)
    void missingLogin_isATypedErrorWithTheRemedy() {
        try (Holdfast locks = Holdfast.connect("redis://127.0.0.1:" + redis.port())) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining("it wants a password; put it into the store's URI");
            assertThat(locks.health().reachable()).isFalse();
            assertThat(locks.health().warnings()).singleElement().asString().contains("it wants a password");
        }
    }

    @Test
    void database_isWhereTheKeysAre() {
        try (Holdfast locks = connect(":admin", "/3");
                Holdfast others = connect(":admin", "")) {
            assertThat(locks.lock("a").tryLock()).isTrue();
            assertThat(locks.store()).isEqualTo("redis://127.0.0.1:" + redis.port() + "/3");

            assertThat(others.lock("a").tryLock())
                    .as("another database, another lock")
                    .isTrue();
            assertThat(locks.inspect("*")).hasSize(1);
            try (Resp three = Resp.connect("127.0.0.1", redis.port())) {
                three.call("AUTH", "admin");
                three.call("SELECT", "3");
                assertThat(three.call("EXISTS", "distributed_lock:a", "distributed_lock:~fence"))
                        .isEqualTo(2L);
            }
        }
    }

    @Test
    void databases_ofOneServer_doNotDisturbEachOthersWaiters() throws Exception {
        try (Holdfast three = connect(":admin", "/3");
                Holdfast threeToo = connect(":admin", "/3");
                Holdfast zero = connect(":admin", "");
                Holdfast zeroToo = connect(":admin", "")) {
            assertThat(three.lock("x").tryLock()).isTrue();
            var waiter = Crowd.start(() -> {
                threeToo.lock("x").lock();
                return threeToo.lock("x").unlock();
            });
            HandOver.isTold(redis, zero, zeroToo, 2);

            assertThat(waiter.isDone()).isFalse();
            assertThat(three.lock("x").unlock()).isTrue();
            assertThat(Crowd.get(waiter)).isTrue();
        }
    }

    @Test
    void databaseThatIsNotThere_isATypedError() {
        try (Holdfast locks = connect(":admin", "/99")) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining("DB index is out of range");
        }
    }
}
