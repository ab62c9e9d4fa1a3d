package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate for 127.0.0.1 and localhost, made once per JVM by the JDK's keytool. Whoever trusts
 * {@link #trustStore()} trusts the servers that use it. Thread safe.
 */
public final class TestCertificate {
    private static final String PASSWORD = "holdfast";
    private static final String ALIAS = "server";
    private static final Duration KEYTOOL_TIMEOUT = Duration.ofSeconds(30);

    private final Path folder;

    private TestCertificate(Path folder) {
        this.folder = folder;
    }

    /** The certificate of this JVM. */
    public static TestCertificate get() {
        return Holder.INSTANCE;
    }

    /** A PKCS12 store with the certificate and its private key. */
    public Path keyStore() {
        return folder.resolve("server.p12");
    }

    /** A PKCS12 store with the certificate only. */
    public Path trustStore() {
        return folder.resolve("trust.p12");
    }

    /** The password of both stores. */
    public String password() {
        return PASSWORD;
    }

    /** A context that trusts this certificate and nothing else. */
    public SSLContext clientContext() {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(load(trustStore()));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("could not make a TLS context of " + trustStore(), e);
        }
    }

    /** The certificate alone, as PEM. */
    public Path certificateFile() {
        return folder.resolve("server.crt");
    }

    Path keyFile() {
        return folder.resolve("server.key");
    }

    private static TestCertificate generate() {
        try {
            TestCertificate made = new TestCertificate(TempFolder.create("certificate"));
            made.runKeytool();
            KeyStore store = load(made.keyStore());
            Certificate certificate = store.getCertificate(ALIAS);
            Key key = store.getKey(ALIAS, PASSWORD.toCharArray());
            writePem(made.certificateFile(), "CERTIFICATE", certificate.getEncoded());
            writePem(made.keyFile(), "PRIVATE KEY", key.getEncoded());
            made.writeTrustStore(certificate);
            return made;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("could not make a test certificate", e);
        }
    }

    private void runKeytool() throws IOException {
        Path log = folder.resolve("keytool.log");
        OsProcess keytool = OsProcess.start(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-validity",
                        "365",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keyStore().toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile()));
        if (!keytool.awaitExit(KEYTOOL_TIMEOUT) || keytool.process().exitValue() != 0) {
            throw new IOException("keytool failed: " + Files.readString(log));
        }
    }

    private void writeTrustStore(Certificate certificate) throws IOException, GeneralSecurityException {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry(ALIAS, certificate);
        try (var out = Files.newOutputStream(trustStore())) {
            trust.store(out, PASSWORD.toCharArray());
        }
    }

    private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static void writePem(Path file, String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        try {
            Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n", UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("could not write " + file, e);
        }
    }

    private static final class Holder {
        static final TestCertificate INSTANCE = generate();
    }
}
