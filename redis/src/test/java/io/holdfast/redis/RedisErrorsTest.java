package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisErrors.Answer;
import io.holdfast.spi.StoreFailure;
import io.holdfast.testkit.Faults;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** The table of errors, with the words of real servers; also of those that one server alone cannot be brought to say. */
class RedisErrorsTest {
    private static final String ADDRESS = "redis://10.0.0.7:6379";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            RECONNECT | READONLY You can't write against a read only replica. script: 5f2c, on @user_script:70.
            RECONNECT | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.
            RECONNECT | CLUSTERDOWN Hash slot not served
            RECONNECT | CLUSTERDOWN The cluster is down
            RECONNECT | LOADING Redis is loading the dataset in memory
            RETRY     | TRYAGAIN Multiple keys request during rehashing of slot
            RETRY     | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
            RETRY     | UNKILLABLE Sorry the script already executed write commands against the dataset.
            RETRY     | NOREPLICAS Not enough good replicas to write.
            RETRY     | ERR Script attempted to access a non local key in a cluster node script: 5f2c, on @user_script:70.
            RECONNECT | ERR Script attempted to execute a command while the cluster is down script: 5f2c, on @user_script:70.
            SEND_TEXT | NOSCRIPT No matching script. Please use EVAL.
            RETRY     | ERR max number of clients reached
            REFUSE    | MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.
            REFUSE    | OOM command not allowed when used memory > 'maxmemory'. script: 5f2c, on @user_script:70.
            REFUSE    | NOAUTH Authentication required.
            REFUSE    | WRONGPASS invalid username-password pair or user is disabled.
            REFUSE    | NOPERM this user has no permissions to run the 'evalsha' command
            REFUSE    | WRONGTYPE Operation against a key holding the wrong kind of value
            REDIRECT  | MOVED 3999 10.0.0.8:6381
            REDIRECT  | ASK 3999 10.0.0.8:6381
            REFUSE    | CROSSSLOT Keys in request don't hash to the same slot
            REFUSE    | DENIED Redis is running in protected mode because protected mode is enabled
            REFUSE    | ERR unknown command 'HELLO'
            REFUSE    | ERR something that nobody has heard of
            """)
    @Faults({22, 23, 26, 39})
    void error_ofAServer_hasItsRowAndNamesAddressAndReason(Answer expected, String message) {
        JedisDataException error = new JedisDataException(message);

        StoreFailure failure = JedisErrors.failure(ADDRESS, error);

        assertThat(RedisErrors.answer(String.valueOf(error.getMessage()))).isEqualTo(expected);
        assertThat(failure.kind())
                .isEqualTo(
                        expected == Answer.REFUSE || expected == Answer.REDIRECT
                                ? StoreFailure.Kind.REFUSED
                                : StoreFailure.Kind.UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining(ADDRESS)
                .hasMessageContaining(message)
                .hasCause(error);
    }

    /** The error of a command inside a script, as servers before 7 tell it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            RECONNECT | ERR Error running script (call to f_5f2c): @user_script:70: @user_script: 70: -READONLY You can't write against a read only replica.
            REFUSE    | ERR Error running script (call to f_5f2c): @user_script:70: @user_script: 70: -OOM command not allowed when used memory > 'maxmemory'.
            RETRY     | ERR Error running script (call to f_5f2c): @user_script:70: @user_script: 70: -NOREPLICAS Not enough good replicas to write.
            REFUSE    | ERR Error running script (call to f_5f2c): @user_script:70: WRONGTYPE Operation against a key holding the wrong kind of value
            """)
    @Faults(26)
    void error_wrappedByAnOlderServer_isStillFound(Answer expected, String message) {
        assertThat(RedisErrors.answer(message)).isEqualTo(expected);
    }

    @Test
    @Faults(26)
    void error_thatOnlyBeginsLikeACode_isNotTakenForIt() {
        assertThat(RedisErrors.answer("BUSYKEY Target key name already exists."))
                .isEqualTo(Answer.REFUSE);
        assertThat(RedisErrors.answer("ASKING for trouble")).isEqualTo(Answer.REFUSE);
    }

    @Test
    @Faults(50)
    void connectionFailure_namesAddressAndEveryReasonOfTheChain() {
        JedisConnectionException error =
                new JedisConnectionException("Failed to connect", new ConnectException("Connection refused"));

        StoreFailure failure = JedisErrors.failure(ADDRESS, error);

        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.UNAVAILABLE);
        assertThat(failure).hasMessage("cannot reach " + ADDRESS + ": Failed to connect: Connection refused");
    }

    @Test
    @Faults(21)
    void timeout_isFoundBehindWhatJedisMakesOfIt() {
        assertThat(JedisErrors.isTimeout(new JedisConnectionException(new SocketTimeoutException("Read timed out"))))
                .isTrue();
        assertThat(JedisErrors.isTimeout(new JedisConnectionException(new ConnectException("Connection refused"))))
                .isFalse();
    }

    /** An Error, such as the end of the stack in a deep reply, was not passed on: a release to be said again never was. */
    @Test
    void errorOfTheClient_failsTheStage() {
        assertThat(JedisLink.answer(ADDRESS, () -> {
                    throw new StackOverflowError();
                }))
                .isCompletedExceptionally();
    }
}
