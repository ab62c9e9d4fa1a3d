package io.holdfast.internal.flight;

import jdk.jfr.FlightRecorder;

/** Loaded only where there is a flight recorder. */
final class Recorder {
    private Recorder() {}

    static boolean isRunning() {
        return FlightRecorder.isInitialized();
    }
}
