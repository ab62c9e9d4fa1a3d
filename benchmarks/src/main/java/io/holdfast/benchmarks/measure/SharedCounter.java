package io.holdfast.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A number in memory that threads, or processes that map the same file, raise in two steps: it comes out right only if
 * they exclude each other. Where several may be in, it tells how many were. Visible at once, so that it judges exclusion
 * alone and not the memory model.
 */
public final class SharedCounter {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final int FREED_AT = Long.BYTES;
    private static final int INSIDE = 2 * Long.BYTES;
    private static final int MOST = 3 * Long.BYTES;
    private static final int SIZE = 4 * Long.BYTES;

    private final ByteBuffer memory;

    private SharedCounter(ByteBuffer memory) {
        this.memory = memory;
    }

    /** For the threads of this JVM. */
    public static SharedCounter inMemory() {
        return new SharedCounter(ByteBuffer.allocateDirect(SIZE));
    }

    /** For all processes that name the same file. */
    public static SharedCounter inFile(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedCounter(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        } catch (IOException e) {
            throw new UncheckedIOException("could not map " + file, e);
        }
    }

    /** The number now. */
    public long get() {
        return (long) LONGS.getAcquire(memory, 0);
    }

    /** The second step. */
    public void set(long value) {
        LONGS.setRelease(memory, 0, value);
    }

    /** When the last holder was about to unlock, by {@link System#nanoTime}; 0 if nobody was. */
    public long freedAt() {
        return (long) LONGS.getAcquire(memory, FREED_AT);
    }

    /** Tells the next holder, also in another process: on Linux all processes share the clock. */
    public void freedAt(long nanoTime) {
        LONGS.setRelease(memory, FREED_AT, nanoTime);
    }

    /** One more is in. */
    public void enter() {
        long inside = (long) LONGS.getAndAdd(memory, INSIDE, 1L) + 1;
        for (long most = mostInside();
                inside > most && !LONGS.compareAndSet(memory, MOST, most, inside);
                most = mostInside()) {
            Thread.onSpinWait();
        }
    }

    /** One less. */
    public void leave() {
        LONGS.getAndAdd(memory, INSIDE, -1L);
    }

    /** How many were in at once, at most. */
    public long mostInside() {
        return (long) LONGS.getVolatile(memory, MOST);
    }
}
