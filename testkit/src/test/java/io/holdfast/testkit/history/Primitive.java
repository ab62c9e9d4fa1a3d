package io.holdfast.testkit.history;

/** Each kind of lock, with its model. */
enum Primitive {
    MUTEX(5),
    REENTRANT(45),
    FENCED(5),
    READ_WRITE(15),
    SEMAPHORE(30);

    /** How often a simulated client that holds the lock asks for it again. */
    final int againPercent;

    Primitive(int againPercent) {
        this.againPercent = againPercent;
    }

    Model<?> model() {
        return switch (this) {
            case MUTEX -> new MutexModel();
            case REENTRANT -> new ReentrantModel();
            case FENCED -> new FencedModel();
            case READ_WRITE -> new ReadWriteModel();
            case SEMAPHORE -> new SemaphoreModel(Simulation.PERMITS);
        };
    }
}
