package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A child that says what it was told. */
final class EchoMain {
    private static final PrintStream OUT = new PrintStream(System.out, true, UTF_8);

    private EchoMain() {}

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OUT.println("shutdown hook")));
        List.of(args).forEach(argument -> OUT.println("argument " + argument));
        OUT.println("ready");
        @Nullable Resp connection = null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", 2);
            try {
                connection = obey(words, line, connection);
            } catch (UncheckedIOException e) {
                OUT.println("nothing " + requireNonNull(e.getCause()).getClass().getSimpleName());
            }
        }
    }

    private static @Nullable Resp obey(String[] words, String line, @Nullable Resp connection) {
        switch (words[0]) {
            case "exit" -> System.exit(Integer.parseInt(words[1]));
            case "throw" -> throw new IllegalStateException("as asked");
            case "property" -> OUT.println(System.getProperty(words[1]));
            case "variable" -> OUT.println(System.getenv(words[1]));
            case "clocks" -> OUT.println("clocks " + System.currentTimeMillis() + " " + System.nanoTime());
            case "connect" -> {
                String[] address = words[1].split(" ", -1);
                connection = Resp.connect(
                        address[0], Integer.parseInt(address[1]), Duration.ofMillis(Long.parseLong(address[2])), null);
                OUT.println("connected");
            }
            case "ask" -> OUT.println("answer " + requireNonNull(connection).call(words[1].split(" ", -1)));
            case "network" -> {
                PrivateNetwork.create().add("host");
                OUT.println("network");
            }
            case "redis" -> {
                RedisServer server = RedisServer.start();
                OUT.println("server " + server.pid() + " " + server.dir());
            }
            default -> {
                OUT.println("echo " + line);
                System.err.println("on stderr: " + line);
            }
        }
        return connection;
    }
}
