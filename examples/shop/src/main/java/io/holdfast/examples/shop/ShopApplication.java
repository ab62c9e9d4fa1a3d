package io.holdfast.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The shop. Start it as often as you like, on one Redis and one database:
 *
 * <pre>
 * java -cp "examples/shop/target/classes:examples/shop/target/lib/*" io.holdfast.examples.shop.ShopApplication \
 *     --server.port=8080 --spring.data.redis.host=localhost
 * curl -X POST localhost:8080/orders/apples/order-1
 * </pre>
 */
@SpringBootApplication
public class ShopApplication {
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }
}
