package io.holdfast.testkit.contract;

import io.holdfast.spi.Capability;
import io.holdfast.spi.StoreFactory;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What every store promises, together with the engine above it. A store's author inherits it:
 *
 * <pre>{@code
 * class MyStoreContractTest extends StoreContract {
 *     private final StoreFactory store = MyStore.at("localhost");
 *
 *     @Override
 *     protected StoreFactory store() {
 *         return store;
 *     }
 *
 *     @Override
 *     protected Set<Capability> capabilities() {
 *         return Set.of(Capability.ACROSS_PROCESSES);
 *     }
 * }
 * }</pre>
 *
 * <p>What the declared capabilities leave out is skipped with a reason. After each test the invariants are checked: never
 * two holders, tokens only rise, nothing left in the store, no thread left in the JVM.
 */
public abstract class StoreContract
        implements ExclusionContract,
                ProcessContract,
                ReentrancyContract,
                ExpiryContract,
                TimeoutContract,
                InterruptContract,
                RequestContract,
                TokenContract,
                LossContract,
                InspectionContract,
                ForcedReleaseContract,
                WaitingContract,
                LineContract,
                FairContract,
                ReadWriteContract,
                SemaphoreContract,
                JointContract,
                LatchContract,
                ElectionContract,
                AsyncContract,
                LeaseContract,
                CloseContract,
                JdkLockContract,
                LimitsContract {
    private @Nullable Bench bench;

    /** Opens clients of one and the same store, which is at rest when a test begins. */
    protected abstract StoreFactory store();

    /** What the store can do. */
    protected abstract Set<Capability> capabilities();

    /** How the store is disturbed and looked at. Through the SPI unless overridden. */
    protected StoreControl control() {
        return StoreControl.through(store());
    }

    @BeforeEach
    final void setUp() {
        bench = new Bench(store(), capabilities(), control());
    }

    @AfterEach
    final void checkInvariants() {
        bench().closeAndCheck();
    }

    @Override
    public final Bench bench() {
        if (bench == null) {
            throw new IllegalStateException("no test is running");
        }
        return bench;
    }
}
