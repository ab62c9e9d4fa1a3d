package io.holdfast.examples.shop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.jdbc.JdbcFencingGate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executors;

/**
 * The shop over HTTP: {@code POST /orders/<item>/<order id>} answers {@code SOLD} or {@code SOLD_OUT}, and 503 if it
 * cannot tell, in which case the same order may be sent again, here or to another instance.
 *
 * <pre>
 * java -cp "examples/target/classes:examples/target/lib/*" io.holdfast.examples.shop.ShopServer \
 *     redis://localhost:6379 "jdbc:h2:./shop;AUTO_SERVER=TRUE" 8080
 * </pre>
 */
public final class ShopServer {
    private ShopServer() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[2]);
        try (Connection connection = DriverManager.getConnection(args[1])) {
            createTables(connection, 100);
        }
        start(args[0], args[1], port, (step, orderId) -> {});
    }

    /** Makes the tables, and fills the stock if they are new. */
    static void createTables(Connection connection, int apples) throws SQLException {
        JdbcFencingGate.create().createTable(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS stock (item VARCHAR(40) PRIMARY KEY, amount BIGINT NOT NULL)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS orders (id VARCHAR(80) PRIMARY KEY, item VARCHAR(40) NOT NULL)");
            statement.executeUpdate("INSERT INTO stock SELECT 'apples', " + apples
                    + " WHERE NOT EXISTS (SELECT 1 FROM stock WHERE item = 'apples')");
        }
    }

    /** Serves until the process ends. */
    static void start(String redis, String database, int port, Shop.Steps steps) throws IOException {
        Holdfast locks = Holdfast.builder()
                .uri(redis)
                .options(LockOptions.builder().lease(ofSeconds(2)).build())
                .build();
        Shop shop = new Shop(locks, () -> DriverManager.getConnection(database), steps);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/orders/", exchange -> answer(shop, exchange));
        server.start();
        System.out.println("open on " + server.getAddress().getPort());
    }

    private static void answer(Shop shop, HttpExchange exchange) throws IOException {
        String[] parts = exchange.getRequestURI().getPath().split("/", -1);
        int status;
        String text;
        if (!exchange.getRequestMethod().equals("POST") || parts.length != 4) {
            status = 400;
            text = "POST /orders/<item>/<order id>";
        } else {
            try {
                text = shop.buy(parts[3], parts[2]).name();
                status = 200;
            } catch (SQLException | RuntimeException e) {
                status = 503;
                text = String.valueOf(e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                status = 503;
                text = "closing";
            }
        }
        byte[] body = text.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
