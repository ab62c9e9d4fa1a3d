package io.holdfast.internal;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A place in the application, from which a lock was asked for. */
final class Place {
    private static final int FRAMES = 8;

    /** Made here, read only if somebody wants to see it. */
    private final Throwable stack = new Throwable();

    @Override
    public String toString() {
        return Arrays.stream(stack.getStackTrace())
                .dropWhile(Place::isOurs)
                .limit(FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < "));
    }

    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("io.holdfast.internal.");
    }
}
