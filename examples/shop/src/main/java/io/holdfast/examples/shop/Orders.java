package io.holdfast.examples.shop;

import io.holdfast.LockException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes orders: {@code POST /orders/<item>/<order id>} answers {@code SOLD} or {@code SOLD_OUT}, and 503 if it cannot tell. The
 * buyer may then send the same order again, here or to another instance: it is sold once.
 */
@RestController
class Orders {
    private static final Logger LOG = LoggerFactory.getLogger(Orders.class);

    private final Shop shop;

    Orders(Shop shop) {
        this.shop = shop;
    }

    @PostMapping("/orders/{item}/{orderId}")
    Shop.Result order(@PathVariable String item, @PathVariable String orderId) {
        return shop.buy(orderId, item);
    }

    /** The lock, its store or the database did not play along, so nobody knows what came of it. */
    @ExceptionHandler({LockException.class, DataAccessException.class, TransactionException.class})
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    String tryAgain(RuntimeException failure) {
        LOG.warn("an order came to nothing", failure);
        return "try again";
    }
}
