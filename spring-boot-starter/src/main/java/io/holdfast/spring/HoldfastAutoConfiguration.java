package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.spi.Origin;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The client as a bean, on the Redis that the application uses, and its part in the application's life. */
@AutoConfiguration
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
class HoldfastAutoConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Holdfast holdfast(
            HoldfastProperties properties,
            Environment environment,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<LockListener> listeners) {
        try {
            Holdfast.Builder client = Holdfast.builder().options(properties.options());
            StoreChoice.of(properties, environment).apply(client, bundles);
            if (properties.prefix() != null) {
                client.keyPrefix(properties.prefix());
            }
            if (properties.commandTimeout() != null) {
                client.commandTimeout(properties.commandTimeout());
            }
            client.holderInfo(properties.holderInfo());
            String application = environment.getProperty("spring.application.name", "");
            if (!application.isBlank()) {
                client.application(Origin.printable(application));
            }
            listeners.orderedStream().forEach(client::listener);
            return client.build();
        } catch (IllegalArgumentException e) {
            throw new HoldfastConfigurationException(
                    "Holdfast refuses its settings: " + e.getMessage(),
                    "Correct the property of holdfast.* or spring.data.redis.* that the message is about.",
                    e);
        }
    }

    @Bean
    @ConditionalOnMissingBean
    HoldfastLifecycle holdfastLifecycle(Holdfast locks, HoldfastProperties properties) {
        return new HoldfastLifecycle(locks, properties.startupCheck());
    }

    @Bean
    Candidacies holdfastCandidacies(Holdfast locks, HoldfastProperties properties, ApplicationEventPublisher events) {
        return new Candidacies(locks, properties.election().names(), events);
    }
}
