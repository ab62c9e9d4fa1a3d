package io.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Topology;
import org.junit.jupiter.api.Test;

class MaskTest {
    @Test
    void mask_isReadFromItsOwnText() {
        Mask mask = Mask.NONE
                .withoutFault(2)
                .withoutActor(11)
                .withoutStep(20, 3)
                .withoutStep(20, 7)
                .withoutStep(20, 8);

        assertThat(mask.toString()).isEqualTo("f2,a11,s20/3,s20/7-8");
        assertThat(Mask.parse("f2,a11,s20/3,s20/7-8")).isEqualTo(mask);
        assertThat(Mask.parse("")).isEqualTo(Mask.NONE);
    }

    @Test
    void text_thatIsNoMask_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mask.parse("f1,x2"))
                .withMessageContaining("x2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mask.parse("f1,,f2"))
                .withMessageContaining("f1,,f2");
    }

    @Test
    void whatIsLeftOut_isNotDone() {
        Mask noFaults = Mask.parse("f0,f1,f2,f3,f4,f5,f6,f7");

        assertThat(Run.of(5, Topology.SINGLE, noFaults, true).timeline()).noneMatch(line -> line.contains(" fault "));
        assertThat(Run.of(5, Topology.SINGLE, Mask.parse("a0"), true).timeline())
                .noneMatch(line -> line.contains("c1/t0"));
    }
}
