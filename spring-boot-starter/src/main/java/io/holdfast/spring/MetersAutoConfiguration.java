package io.holdfast.spring;

import io.holdfast.micrometer.HoldfastMetrics;
import io.holdfast.micrometer.HoldfastObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Meters and observations of the locks in the application's own registries, if holdfast-micrometer is there. */
@AutoConfiguration(
        before = HoldfastAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnProperty(
        name = {"holdfast.enabled", "holdfast.metrics.enabled"},
        matchIfMissing = true)
@ConditionalOnClass({HoldfastMetrics.class, MeterRegistry.class})
class MetersAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(MeterRegistry.class)
    HoldfastMetrics holdfastMetrics(MeterRegistry registry) {
        return HoldfastMetrics.of(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(ObservationRegistry.class)
    HoldfastObservations holdfastObservations(ObservationRegistry registry) {
        return HoldfastObservations.of(registry);
    }
}
