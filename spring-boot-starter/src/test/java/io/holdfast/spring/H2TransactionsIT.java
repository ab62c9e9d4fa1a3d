package io.holdfast.spring;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** On H2. */
@Tag("slow")
class H2TransactionsIT extends TransactionsContract {
    @BeforeAll
    static void start() {
        begin("jdbc:h2:mem:bank;LOCK_MODE=3;USER=sa");
    }

    @AfterAll
    static void stop() {
        end();
    }
}
