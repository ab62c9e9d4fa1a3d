package io.holdfast.examples.shop;

import io.holdfast.FencingGate;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** An instance of the shop whose first purchase stops halfway, for ever or until a byte is read. */
final class StoppingShop {
    private StoppingShop() {}

    public static void main(String[] args) {
        new SpringApplicationBuilder(ShopApplication.class, Stops.class).run(args);
    }

    @Configuration(proxyBeanMethods = false)
    static class Stops {
        private static final AtomicBoolean STOPPED = new AtomicBoolean(); // at the first attempt only

        /** With all written and nothing committed. */
        @Bean
        @ConditionalOnProperty(name = "stop", havingValue = "commit")
        static TransactionExecutionListener atTheCommit() {
            return new TransactionExecutionListener() {
                @Override
                public void beforeCommit(TransactionExecution transaction) {
                    if (STOPPED.compareAndSet(false, true)) {
                        System.out.println("stopped before its commit");
                        while (true) {
                            LockSupport.park();
                        }
                    }
                }
            };
        }

        /** With the lock, and nothing else done. */
        @Bean
        @ConditionalOnProperty(name = "stop", havingValue = "gate")
        static BeanPostProcessor atTheGate() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof FencingGate gate ? stopping(gate) : bean;
                }
            };
        }

        private static FencingGate stopping(FencingGate gate) {
            return (resource, token) -> {
                if (STOPPED.compareAndSet(false, true)) {
                    System.out.println("stopped before its gate");
                    awaitOneByte();
                }
                gate.admit(resource, token);
            };
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
}
