package io.holdfast.simulation.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.compiler.LuaC;

/**
 * A script, read once for all models.
 *
 * @param code never changed once it is here, so threads may share it
 */
record CompiledScript(String sha, Prototype code) {
    static final String NAME = "@user_script";

    private static final Map<String, CompiledScript> BY_TEXT = new ConcurrentHashMap<>();

    static CompiledScript of(String text) {
        return BY_TEXT.computeIfAbsent(text, CompiledScript::compile);
    }

    private static CompiledScript compile(String text) {
        try {
            Prototype code = LuaC.instance.compile(new ByteArrayInputStream(text.getBytes(ISO_8859_1)), NAME);
            Bytecode.likeRedis(code);
            return new CompiledScript(sha1(text), code);
        } catch (LuaError | IOException e) {
            throw new RedisError("ERR Error compiling script (new function): " + e.getMessage());
        }
    }

    static String sha1(String bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(bytes.getBytes(ISO_8859_1));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
