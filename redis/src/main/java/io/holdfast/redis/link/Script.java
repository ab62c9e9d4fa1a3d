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
    public static final Script LOCK = new Script("lock.lua");
    public static final Script RENEW = new Script("renew.lua");
    public static final Script GATE = new Script("gate.lua");

    private final byte[] text;
    private final byte[] sha;

    private Script(String file) {
        try (InputStream in = Script.class.getResourceAsStream("/io/holdfast/redis/" + file)) {
            if (in == null) {
                throw new IllegalStateException("script " + file + " is missing from the jar");
            }
            text = in.readAllBytes();
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            sha = HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException("script " + file + " cannot be read", e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
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
