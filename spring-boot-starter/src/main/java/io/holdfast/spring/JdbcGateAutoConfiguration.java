package io.holdfast.spring;

import io.holdfast.FencingGate;
import io.holdfast.jdbc.ConnectionSource;
import io.holdfast.jdbc.JdbcFencingGate;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** The gate of {@link Locked#gate()} in the application's own database, if holdfast-jdbc is there. */
@AutoConfiguration(
        after = HoldfastAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
@ConditionalOnClass({JdbcFencingGate.class, DataSourceUtils.class})
class JdbcGateAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(FencingGate.class)
    @ConditionalOnSingleCandidate(DataSource.class)
    FencingGate holdfastFencingGate(DataSource source) {
        return JdbcFencingGate.create().on(new ConnectionSource() {
            /** The one of the transaction; the interceptor has seen to it that there is one. */
            @Override
            public Connection current() {
                return DataSourceUtils.getConnection(source);
            }

            @Override
            public void done(Connection connection) {
                DataSourceUtils.releaseConnection(connection, source);
            }
        });
    }
}
