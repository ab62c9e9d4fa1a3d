package io.holdfast.checks.planted;

import io.holdfast.internal.SystemPlatform;

/** Reaches into the engine's own package. */
@SuppressWarnings("unused")
public final class Intruder {
    SystemPlatform reach() {
        return new SystemPlatform();
    }
}
