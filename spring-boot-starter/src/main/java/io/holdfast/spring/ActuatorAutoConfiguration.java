package io.holdfast.spring;

import io.holdfast.Holdfast;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health and the endpoint. The health classes have other packages in Boot 3 and 4, the rest has not. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean(Holdfast.class)
class ActuatorAutoConfiguration {

    /** The list of locks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class Listing {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
        LocksEndpoint holdfastLocksEndpoint(Holdfast locks) {
            return new LocksEndpoint(locks);
        }
    }

    /** Health in Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({
        org.springframework.boot.actuate.health.HealthIndicator.class,
        org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator.class
    })
    @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator("holdfast")
    static class Boot3Health {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
        org.springframework.boot.actuate.health.HealthIndicator holdfastHealthIndicator(Holdfast locks) {
            return () -> {
                HoldfastHealth health = HoldfastHealth.of(locks);
                return (health.up()
                                ? org.springframework.boot.actuate.health.Health.up()
                                : org.springframework.boot.actuate.health.Health.down())
                        .withDetails(health.details())
                        .build();
            };
        }
    }

    /** Health in Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({
        org.springframework.boot.health.contributor.HealthIndicator.class,
        org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator.class
    })
    @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator("holdfast")
    static class Boot4Health {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
        org.springframework.boot.health.contributor.HealthIndicator holdfastHealthIndicator(Holdfast locks) {
            return () -> {
                HoldfastHealth health = HoldfastHealth.of(locks);
                return (health.up()
                                ? org.springframework.boot.health.contributor.Health.up()
                                : org.springframework.boot.health.contributor.Health.down())
                        .withDetails(health.details())
                        .build();
            };
        }
    }
}
