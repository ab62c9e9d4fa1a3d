package io.holdfast.redis.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The scripts, each a file in the resources. */
public final class Script {
    public static final Script LOCK = new Script("lock.lua", null);
    public static final Script RENEW = new Script("renew.lua", null);
    public static final Script LATCH = new Script("latch.lua", null);
    public static final Script QUORUM = new Script("quorum.lua", null);
    public static final Script GATE = new Script("gate.lua", null);

    /** Runs the script for one lock as a function, for several of them. */
    public static final Script ALL = new Script("all.lua", LOCK);

    private final String file;
    private final @Nullable Script function;

    // Read at first use: most clients never use most of them, and the first lock of a process should not wait for that.
    private volatile byte @Nullable [] text;
    private volatile byte @Nullable [] sha;

    /** @param function what comes before it, as the local function {@code lock}; null for nothing */
    private Script(String file, @Nullable Script function) {
        this.file = file;
        this.function = function;
    }

    /** The text, for EVAL. */
    public byte[] text() {
        byte[] known = text;
        if (known == null) {
            String script = read(file);
            if (function != null) {
                script = "local function lock(KEYS, ARGV)\n" + read(function.file) + "\nend\n" + script;
            }
            known = script.getBytes(StandardCharsets.UTF_8);
            text = known;
        }
        return known;
    }

    /** The name under which a server knows the text, for EVALSHA. */
    public byte[] sha() {
        byte[] known = sha;
        if (known == null) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-1").digest(text());
                known = HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-1", e);
            }
            sha = known;
        }
        return known;
    }

    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream("/io/holdfast/redis/" + file)) {
            if (in == null) {
                throw new IllegalStateException("script " + file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("script " + file + " cannot be read", e);
        }
    }
}
