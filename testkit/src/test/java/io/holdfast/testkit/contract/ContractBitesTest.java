package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.Capability;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.PlantedStore.Mistake;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A contract that every store passes is none: for each mistake there are tests that do not. */
class ContractBitesTest {
    private static final Map<Mistake, List<String>> CAUGHT_BY = Map.of(
            Mistake.GRANTS_WHAT_IS_HELD,
            List.of("tryLock_whileAnotherClientHolds_isFalse", "counter_ofManyClients_losesNoUpdate"),
            Mistake.RELEASES_WITHOUT_COMPARING,
            List.of(
                    "release_repeated_leavesTheNextOwnerAlone",
                    "release_byWhoNeverHadIt_changesNothing",
                    "unlock_ofWhatWasTakenAwayUnnoticed_isFalse"),
            Mistake.COMPARES_BY_PREFIX,
            List.of("release_byWhoNeverHadIt_changesNothing"),
            Mistake.RENEWS_WHAT_IS_GONE,
            List.of("renew_byWhoDoesNotHoldIt_neitherExtendsNorRecreates", "renew_afterExpiry_bringsNothingBack"),
            Mistake.REPEATS_WITHOUT_RENEWING,
            List.of("acquire_repeated_startsTheLeaseAnew"),
            Mistake.NEW_TOKEN_FOR_A_REPETITION,
            List.of("acquire_repeated_hasTheSameTokenAndNoSecondEffect"),
            Mistake.SAME_TOKEN_FOR_ALL,
            List.of(
                    "tokens_riseFromHolderToHolder",
                    "tokens_riseOverExpiry",
                    "tokens_underContention_areUniqueAndInOrder"),
            Mistake.KEEPS_TICKETS,
            List.of("ticket_givenBack_isSkipped"),
            Mistake.LOSES_THE_WHOLE_BATCH,
            List.of("renew_ofABatch_answersForEachAlone"));

    private static final class Subject extends StoreContract {
        private final StoreFactory store;

        Subject(StoreFactory store) {
            this.store = store;
        }

        @Override
        protected StoreFactory store() {
            return store;
        }

        @Override
        protected Set<Capability> capabilities() {
            return Set.of(
                    Capability.NOTIFICATION,
                    Capability.FIRST_COME,
                    Capability.SHARING,
                    Capability.LATCHES,
                    Capability.ORIGINS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void mistake_isCaught(Mistake mistake) throws ReflectiveOperationException {
        for (String test : CAUGHT_BY.getOrDefault(mistake, List.of("a test that is still to be written"))) {
            assertThat(fails(new PlantedStore(mistake), test))
                    .as("%s does not notice a store that %s", test, mistake)
                    .isTrue();
        }
    }

    @Test
    void tests_passWithoutAMistake() throws ReflectiveOperationException {
        for (List<String> tests : CAUGHT_BY.values()) {
            for (String test : tests) {
                assertThat(fails(MemoryStore.isolated(), test)).as(test).isFalse();
            }
        }
    }

    /** The witness sees what a test itself may not look at. */
    @Test
    void twoHolders_areAViolationWhateverTheTestAsserts() {
        Bench bench = new Bench(
                new PlantedStore(Mistake.GRANTS_WHAT_IS_HELD), Set.of(), StoreControl.through(MemoryStore.isolated()));
        List<String> violations = new ArrayList<>();
        try {
            bench.lock().tryLock();
            bench.lock().tryLock();
            violations.addAll(bench.witness().violations());
        } finally {
            bench.close();
        }
        assertThat(violations).singleElement().asString().contains("was granted to", "while", "held it");
    }

    private static boolean fails(StoreFactory store, String test) throws ReflectiveOperationException {
        Subject subject = new Subject(store);
        subject.setUp();
        try {
            StoreContract.class.getMethod(test).invoke(subject);
            return !subject.bench().witness().violations().isEmpty();
        } catch (InvocationTargetException e) {
            return true;
        } finally {
            subject.bench().close();
        }
    }
}
