package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the locks are. */
final class StoreOptions {
    @Option(
            names = "--store",
            paramLabel = "URI",
            description = "Where the locks are, such as redis://host:6379. Default: $HOLDFAST_STORE, else a Redis"
                    + " server of your own on this machine. A password is better kept in the variable: command lines"
                    + " can be read by all users.")
    @Nullable
    String store;

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "What the keys start with. Default: distributed_lock:")
    String prefix = "distributed_lock:";

    Holdfast connect(String uri, LockOptions options) {
        try {
            return Holdfast.builder()
                    .uri(uri)
                    .keyPrefix(prefix)
                    .options(options)
                    .build();
        } catch (IllegalArgumentException e) {
            throw new Failure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
