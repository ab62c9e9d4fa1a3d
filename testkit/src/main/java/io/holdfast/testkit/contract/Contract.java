package io.holdfast.testkit.contract;

/** One chapter of the {@link StoreContract}. */
interface Contract {

    /** What the running test works with. */
    Bench bench();
}
