package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.FencingGate;
import io.holdfast.Holdfast;
import io.holdfast.StaleTokenException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.core.KeyValueTemplate;
import org.springframework.data.keyvalue.repository.support.KeyValueRepositoryFactory;
import org.springframework.data.map.MapKeyValueAdapter;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.core.support.RepositoryFactorySupport;
import org.springframework.data.repository.core.support.TransactionalRepositoryFactoryBeanSupport;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Gates in front of beans whose proxy answers itself, such as the repositories of Spring Data. */
class GatesIT {
    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private static volatile FencingGate gate = FencingGate.inMemory();

    private final Stock stock = app.getBean(Stock.class);

    @BeforeAll
    static void start() {
        app = Apps.start(Application.class, "holdfast.uri=memory:", "spring.datasource.url=jdbc:h2:mem:gates;USER=sa");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @BeforeEach
    void empty() {
        gate = FencingGate.inMemory();
        stock.deleteAll();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        FencingGate gate() {
            return (resource, token) -> gate.admit(resource, token);
        }

        @Bean
        StockFactory stock() {
            return new StockFactory();
        }

        @Bean
        Counter counter() {
            ProxyFactory withoutABean = new ProxyFactory();
            withoutABean.setTargetClass(Counter.class);
            return Counter.by(withoutABean);
        }
    }

    record Item(@Id String id, String name) {}

    interface Stock extends CrudRepository<Item, String> {
        @Locked(name = "stock:#{#p0}", gate = "stock:#{#p0}")
        @Transactional
        List<Item> findByName(String name);

        @Override
        @Locked(name = "stock:#{#p0.name}", gate = "stock:#{#p0.name}")
        @Transactional
        <S extends Item> S save(S item);

        @Locked(name = "stock:#{#p0}", gate = "stock:#{#p0}")
        @Transactional
        default String take(String name) {
            return name;
        }

        @Locked(name = "stock:#{#p0}", gate = "stock:#{#p0}")
        default String takeWithoutTransaction(String name) {
            return name;
        }
    }

    /** With the transactions that the repositories of JPA and JDBC have as well. */
    static class StockFactory extends TransactionalRepositoryFactoryBeanSupport<Stock, Item, String> {
        StockFactory() {
            super(Stock.class);
        }

        @Override
        protected RepositoryFactorySupport doCreateRepositoryFactory() {
            return new KeyValueRepositoryFactory(new KeyValueTemplate(new MapKeyValueAdapter()));
        }
    }

    /** Answered by its proxy alone, like the clients of remote services. */
    interface Counter {
        @Locked(name = "counter:#{#p0}", gate = "counter:#{#p0}")
        int next(String name);

        static Counter by(ProxyFactory proxy) {
            AtomicInteger last = new AtomicInteger();
            proxy.addInterface(Counter.class);
            proxy.addAdvice((MethodInterceptor) call -> last.incrementAndGet());
            return (Counter) proxy.getProxy();
        }
    }

    private static boolean isLocked(String name) {
        return !app.getBean(Holdfast.class).inspect(name).isEmpty();
    }

    /** A later holder was here. */
    private static void passed(String resource) {
        gate.admit(resource, Long.MAX_VALUE);
    }

    @Test
    void repository_asksTheGateBeforeAQuery() {
        passed("stock:nail");
        assertThatThrownBy(() -> stock.findByName("nail")).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void repository_asksTheGateBeforeAMethodOfItsImplementation() {
        passed("stock:nail");
        assertThatThrownBy(() -> stock.save(new Item("1", "nail"))).isInstanceOf(StaleTokenException.class);
        assertThat(stock.count()).isZero();
    }

    @Test
    void repository_asksTheGateBeforeADefaultMethod() {
        passed("stock:nail");
        assertThatThrownBy(() -> stock.take("nail")).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void repository_asksTheGateOnce_inTheTransactionAndUnderTheLock() {
        AtomicInteger asked = new AtomicInteger();
        gate = (resource, token) -> {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            assertThat(isLocked("stock:nail")).isTrue();
            asked.incrementAndGet();
        };
        Item nail = new Item("1", "nail");
        assertThat(stock.save(nail)).isEqualTo(nail);
        assertThat(stock.findByName("nail")).containsExactly(nail);
        assertThat(stock.take("nail")).isEqualTo("nail");
        assertThat(asked).hasValue(3);
    }

    @Test
    void repository_withoutATransaction_isRefused() {
        assertThatThrownBy(() -> stock.takeWithoutTransaction("nail"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@Transactional");
    }

    @Test
    void proxyWithoutABean_asksTheGate() {
        passed("counter:a");
        TransactionTemplate transaction = new TransactionTemplate(app.getBean(PlatformTransactionManager.class));
        Counter counter = app.getBean(Counter.class);
        assertThatThrownBy(() -> transaction.execute(status -> counter.next("a")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(transaction.<Integer>execute(status -> counter.next("b"))).isEqualTo(1);
    }

    // --- without spring-tx

    static class Till {
        @Locked(name = "till", gate = "till")
        public void next() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OfInterface {
        @Bean
        Counter counter() {
            return Counter.by(new ProxyFactory(new Object()));
        }
    }

    /** As if spring-tx were not on the class path. */
    private static final class WithoutTransactions extends ClassLoader {
        WithoutTransactions() {
            super(GatesIT.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.springframework.transaction.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Till.class, OfInterface.class})
    void gateWhereThereAreNoTransactions_isAFailureAtStartUp(Class<?> source) {
        @SuppressWarnings("resource")
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(
                        new DefaultResourceLoader(new WithoutTransactions()), LockedIT.OnlyLocks.class, source)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "holdfast.uri=memory:", "logging.level.root=off")
                .run()
                .close());
        var analysis = new HoldfastFailureAnalyzer().analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        assertThat(analysis.getDescription()).contains(".next(").contains("gate");
        assertThat(analysis.getAction()).contains("spring-tx");
    }
}
