package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.List;

/** A child that says what it was told. */
final class EchoMain {
    private static final PrintStream OUT = new PrintStream(System.out, true, UTF_8);

    private EchoMain() {}

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OUT.println("shutdown hook")));
        List.of(args).forEach(argument -> OUT.println("argument " + argument));
        OUT.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", 2);
            switch (words[0]) {
                case "exit" -> System.exit(Integer.parseInt(words[1]));
                case "throw" -> throw new IllegalStateException("as asked");
                case "property" -> OUT.println(System.getProperty(words[1]));
                case "variable" -> OUT.println(System.getenv(words[1]));
                case "redis" -> {
                    RedisServer server = RedisServer.start();
                    OUT.println("server " + server.pid() + " " + server.dir());
                }
                default -> {
                    OUT.println("echo " + line);
                    System.err.println("on stderr: " + line);
                }
            }
        }
    }
}
