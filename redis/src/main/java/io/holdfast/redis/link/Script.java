package io.holdfast.redis.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The scripts, each a file in the resources. */
public final class Script {
    public static final Script LOCK = new Script(read("lock.lua"));
    public static final Script RENEW = new Script(read("renew.lua"));
    public static final Script LATCH = new Script(read("latch.lua"));
    public static final Script QUORUM = new Script(read("quorum.lua"));
    public static final Script GATE = new Script(read("gate.lua"));

    /** Runs the script for one lock as a function, for several of them. */
    public static final Script ALL =
            new Script("local function lock(KEYS, ARGV)\n" + read("lock.lua") + "\nend\n" + read("all.lua"));

    private final byte[] text;
    private final byte[] sha;

    private Script(String script) {
        try {
            text = script.getBytes(StandardCharsets.UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            sha = HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
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

    /** The text, for EVAL. */
    public byte[] text() {
        return text;
    }

    /** The name under which a server knows the text, for EVALSHA. */
    public byte[] sha() {
        return sha;
    }
}
