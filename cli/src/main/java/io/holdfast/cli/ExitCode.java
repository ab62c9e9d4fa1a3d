package io.holdfast.cli;

/** What the command ends with when it is not the program's own exit code. The names are those of sysexits.h. */
final class ExitCode {
    static final int USAGE = 64;
    static final int UNAVAILABLE = 69;
    static final int SOFTWARE = 70;
    /** Not obtained in time: try again later. */
    static final int TIMEOUT = 75;
    /** The lease was lost. */
    static final int LOST = 76;

    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    private ExitCode() {}
}
