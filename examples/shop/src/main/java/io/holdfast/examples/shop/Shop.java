package io.holdfast.examples.shop;

import io.holdfast.LeaseLostException;
import io.holdfast.StaleTokenException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * Sells what is in stock, once for each order, and tries again where an attempt came too late. Outside of the transaction and of
 * the lock, since a second attempt needs new ones of both.
 */
@Service
class Shop {
    private static final Logger LOG = LoggerFactory.getLogger(Shop.class);
    private static final int ATTEMPTS = 3;

    /** What a purchase came to. */
    enum Result {
        SOLD,
        SOLD_OUT
    }

    private final Till till;

    Shop(Till till) {
        this.till = till;
    }

    /** Buys one piece. The same order may be given again: it is sold once. */
    Result buy(String orderId, String item) {
        for (int attempt = 1; ; attempt++) {
            try {
                return till.sell(orderId, item);
            } catch (StaleTokenException | LeaseLostException e) {
                // Either nothing was written, or the order stands in the books and is found there.
                LOG.warn("order {} was too late: {}", orderId, e.getMessage());
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
