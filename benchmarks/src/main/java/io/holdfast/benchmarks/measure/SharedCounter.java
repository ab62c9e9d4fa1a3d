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
 * they exclude each other. Visible at once, so that it judges exclusion alone and not the memory model.
 */
public final class SharedCounter {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;

    private SharedCounter(ByteBuffer memory) {
        this.memory = memory;
    }

    /** For the threads of this JVM. */
    public static SharedCounter inMemory() {
        return new SharedCounter(ByteBuffer.allocateDirect(2 * Long.BYTES));
    }

    /** For all processes that name the same file. */
    public static SharedCounter inFile(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedCounter(channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES));
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
        return (long) LONGS.getAcquire(memory, Long.BYTES);
    }

    /** Tells the next holder, also in another process: on Linux all processes share the clock. */
    public void freedAt(long nanoTime) {
        LONGS.setRelease(memory, Long.BYTES, nanoTime);
    }
}
