package io.holdfast.examples.shop;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** An instance of the shop that tells where its purchases are, and stops one of them there, for ever or until it reads a line. */
final class StoppingShop {
    private StoppingShop() {}

    /** Arguments: Redis, the database, and the step and the order to stop at, and for how long. */
    public static void main(String[] args) throws IOException {
        AtomicBoolean stopped = new AtomicBoolean(); // at the first attempt only
        ShopServer.start(args[0], args[1], 0, (step, orderId) -> {
            if (step.equals("refused")) {
                System.out.println("refused " + orderId);
            }
            if (args.length > 2
                    && step.equals(args[2])
                    && orderId.equals(args[3])
                    && stopped.compareAndSet(false, true)) {
                System.out.println(step + " of " + orderId);
                if (args[4].equals("for ever")) {
                    while (true) {
                        LockSupport.park();
                    }
                }
                awaitOneByte();
            }
        });
    }

    private static void awaitOneByte() {
        try {
            if (System.in.read() < 0) {
                throw new IllegalStateException("nobody is there to tell when to go on");
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
