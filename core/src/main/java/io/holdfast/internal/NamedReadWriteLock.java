package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.LockOptions;
import io.holdfast.spi.Share;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** Two views of one name; everything else is theirs. */
public final class NamedReadWriteLock implements DistributedReadWriteLock {
    private final NamedLock read;
    private final NamedLock write;

    public NamedReadWriteLock(Engine engine, String name, LockOptions options) {
        this.read = new NamedLock(engine, name, options, Share.READ, Order.QUEUE);
        this.write = new NamedLock(engine, name, options, Share.WHOLE, Order.QUEUE);
    }

    @Override
    public String getLockName() {
        return write.getLockName();
    }

    @Override
    public DistributedLock readLock() {
        return read;
    }

    @Override
    public DistributedLock writeLock() {
        return write;
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        Lock reading = read.asLock();
        Lock writing = write.asLock();
        return new ReadWriteLock() {
            @Override
            public Lock readLock() {
                return reading;
            }

            @Override
            public Lock writeLock() {
                return writing;
            }

            @Override
            public String toString() {
                return NamedReadWriteLock.this.toString();
            }
        };
    }

    @Override
    public String toString() {
        return write.toString().replaceFirst("^DistributedLock", "DistributedReadWriteLock");
    }
}
