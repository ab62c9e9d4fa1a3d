package io.holdfast.spring;

import io.holdfast.FencingGate;
import io.holdfast.Holdfast;
import java.time.Duration;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/** Methods with {@link Locked}. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnProperty(
        name = {"holdfast.enabled", "holdfast.locked.enabled"},
        matchIfMissing = true)
class LockedAutoConfiguration {

    /** Static, and with nothing but providers: it is made before other beans, and must not have them made before it. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedPostProcessor holdfastLockedPostProcessor(
            LockedMethods methods,
            ObjectProvider<Sections> sections,
            @Qualifier("holdfastGates") ObjectProvider<MethodInterceptor> gates,
            Environment environment) {
        boolean byClass = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        LockedInterceptor locks = new LockedInterceptor(methods, SingletonSupplier.of(sections::getObject));
        return new LockedPostProcessor(methods, locks, gates.getIfAvailable(), byClass);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods holdfastLockedMethods(ConfigurableBeanFactory beans, Environment environment) {
        return new LockedMethods(new LockedMethod.Settings() {
            @Override
            public String resolve(String text) {
                String resolved = beans.resolveEmbeddedValue(text);
                return resolved == null ? "" : resolved;
            }

            @Override
            public Duration defaultWait() {
                return Binder.get(environment)
                        .bind("holdfast.locked.wait-for", Duration.class)
                        .orElse(Duration.ofSeconds(5));
            }
        });
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ThreadHolds holdfastThreadHolds() {
        return new ThreadHolds();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Sections holdfastSections(
            BeanFactory beans,
            ObjectProvider<Holdfast> locks,
            HoldfastProperties properties,
            ThreadHolds ofThread,
            ObjectProvider<Sections.Ties> ties) {
        return new Sections(
                SingletonSupplier.of(locks::getObject), beans, properties.onLoss(), ofThread, ties.getIfAvailable());
    }

    /** If there are transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionExecutionListener.class)
    static class Transactions {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static TransactionTies holdfastTransactionTies(ThreadHolds ofThread) {
            return new TransactionTies(ofThread);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static MethodInterceptor holdfastGates(
                LockedMethods methods, ThreadHolds ofThread, BeanFactory beans, ObjectProvider<FencingGate> gate) {
            return new GateInterceptor(methods, ofThread, beans, gate::getIfUnique);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static BeanPostProcessor holdfastTransactionPostProcessor(ObjectProvider<TransactionTies> ties) {
            return TransactionTies.listening(SingletonSupplier.of(ties::getObject));
        }
    }
}
