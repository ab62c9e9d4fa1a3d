package io.holdfast.examples.shop;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** Two processes, one PostgreSQL, one Redis, and more buyers than apples. */
class ShopIT {
    private static final int APPLES = 40;
    private static final int BUYERS = 60;
    private static final List<String> TABLES =
            List.of("schema.sql", "io/holdfast/jdbc/fence-postgresql.sql", "data.sql");

    private static EmbeddedPostgres postgres;
    private static RedisServer redis;

    /** The instance that nothing happens to. */
    private static JvmProcess steady;

    private static int steadyPort;

    private final HttpClient http = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, String> answers = new ConcurrentHashMap<>();

    @BeforeAll
    static void startServers() throws IOException, SQLException {
        postgres = EmbeddedPostgres.start();
        redis = RedisServer.start();
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            for (String script : TABLES) {
                ScriptUtils.executeSqlScript(connection, new ClassPathResource(script));
            }
        }
        steady = instance("never");
        steadyPort = port(steady);
    }

    @AfterAll
    static void stopServers() throws IOException {
        steady.close();
        redis.close();
        postgres.close();
    }

    @BeforeEach
    void fillTheShop() throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE orders, holdfast_fence");
            statement.executeUpdate("UPDATE stock SET amount = " + APPLES);
        }
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static JvmProcess instance(String stop) {
        return JvmProcess.of(StoppingShop.class)
                // Purchases wait on threads of the server.
                .options("-Xmx192m")
                .arguments(
                        "--stop=" + stop,
                        "--server.port=0",
                        "--spring.data.redis.port=" + redis.port(),
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                        // Two instances that start at the same time would both make the tables.
                        "--spring.sql.init.mode=never",
                        "--holdfast.lease=2s",
                        "--holdfast.command-timeout=10s",
                        "--spring.main.banner-mode=off")
                .start();
    }

    private static int port(JvmProcess shop) {
        String line = shop.awaitLine(".*Tomcat started on port \\d+ .*", ofSeconds(90));
        return Integer.parseInt(line.replaceAll(".* on port (\\d+) .*", "$1"));
    }

    /** Sends an order, to the other instance if the first does not answer, until it is known what came of it. */
    private String order(String id, int... ports) throws InterruptedException {
        String last = "";
        for (int attempt = 0; attempt < 20; attempt++) {
            int port = ports[attempt % ports.length];
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/orders/apples/" + id))
                    .timeout(ofSeconds(60))
                    .POST(BodyPublishers.noBody())
                    .build();
            try {
                HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
                last = answer.statusCode() + " " + answer.body();
                if (answer.statusCode() == 200) {
                    String result = answer.body().replace("\"", "");
                    answers.put(id, result);
                    return result;
                }
            } catch (IOException e) {
                last = e.toString();
            }
        }
        throw new IllegalStateException("nobody answers order " + id + ": " + last);
    }

    private List<Future<String>> crowd(int... ports) {
        List<Future<String>> orders = new ArrayList<>();
        for (int buyer = 0; buyer < BUYERS; buyer++) {
            String id = "order-" + buyer;
            int[] mine = buyer % 2 == 0 ? ports : new int[] {ports[1], ports[0]};
            orders.add(threads.submit(() -> order(id, mine)));
        }
        return orders;
    }

    private static void await(List<Future<String>> orders) throws Exception {
        for (Future<String> order : orders) {
            order.get(90, TimeUnit.SECONDS);
        }
    }

    /** As many sales as apples, each told to its buyer, each in the books, none twice. */
    private void assertBooksAreRight(int orders) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            TreeSet<String> booked = new TreeSet<>();
            try (ResultSet rows = statement.executeQuery("SELECT id FROM orders")) {
                while (rows.next()) {
                    booked.add(rows.getString(1));
                }
            }
            TreeSet<String> told = new TreeSet<>();
            answers.forEach((id, answer) -> {
                if (answer.equals("SOLD")) {
                    told.add(id);
                }
            });
            assertThat(answers).hasSize(orders);
            assertThat(told)
                    .as("sales that buyers were told of, and those in the books")
                    .isEqualTo(booked);
            assertThat(booked).as("sold").hasSize(APPLES);
            try (ResultSet rows = statement.executeQuery("SELECT amount FROM stock")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).as("left in stock").isZero();
            }
        }
    }

    @Test
    @Faults(54)
    void instanceKilledInTheMiddleOfAPurchase_neitherOversellsNorLosesASale() throws Exception {
        try (JvmProcess dies = instance("commit")) {
            int[] ports = {port(dies), steadyPort};
            List<Future<String>> orders = new ArrayList<>();
            orders.add(threads.submit(() -> order("unlucky", ports)));
            dies.awaitLine("stopped before its commit", ofSeconds(60));
            orders.addAll(crowd(ports)); // all of them wait now, half of them at the instance that dies
            dies.kill9();

            await(orders);
        }
        assertBooksAreRight(BUYERS + 1);
    }

    @Test
    @Faults({1, 3})
    void instanceThatSleepsThroughItsLease_isRefusedByTheGate_andSellsWithTheNextToken() throws Exception {
        try (JvmProcess sleeps = instance("gate")) {
            int[] ports = {port(sleeps), steadyPort};
            List<Future<String>> orders = new ArrayList<>();
            orders.add(threads.submit(() -> order("sleeper", ports[0])));
            sleeps.awaitLine("stopped before its gate", ofSeconds(60));
            sleeps.pause();
            assertThat(order("first", ports[1])).isEqualTo("SOLD"); // after the sleeper's two seconds
            sleeps.resume();
            sleeps.send("");
            sleeps.awaitLine(".*order sleeper was too late: .*", ofSeconds(60));
            orders.addAll(crowd(ports));

            await(orders);
        }
        assertBooksAreRight(BUYERS + 2);
    }
}
