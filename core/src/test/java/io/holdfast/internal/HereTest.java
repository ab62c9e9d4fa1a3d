package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Origin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HereTest {

    @ParameterizedTest
    @CsvSource({
        "com.shop.Main --password=secret, Main",
        "/opt/shop/shop-1.2.jar --password=secret, shop-1.2.jar",
        "C:\\apps\\shop.jar, shop.jar",
        "shop.module/com.shop.Main x, Main",
        "'', java",
        "/opt/, java",
    })
    void program_isWhatWasStarted_withoutFolderPackageAndArguments(String command, String expected) {
        assertThat(Here.program(command)).isEqualTo(expected);
    }

    @Test
    void origin_isThisProcess() {
        Origin here = Here.origin("shop");

        assertThat(here.processId()).isEqualTo(ProcessHandle.current().pid());
        assertThat(here.application()).isEqualTo("shop");
        assertThat(here.host()).isNotBlank();
        assertThat(Here.origin(null).application()).isNotBlank();
    }
}
