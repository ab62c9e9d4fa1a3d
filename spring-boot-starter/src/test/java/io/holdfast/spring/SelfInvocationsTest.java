package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Lazy;

/** Calls that do not pass the proxy, found in the byte code, and those that only look like them. */
class SelfInvocationsTest {
    private static String found(Class<?> type) {
        return String.join("\n", SelfInvocations.find(type));
    }

    static class CallsItself {
        private final @Lazy CallsItself self;
        private final Runnable later = this::work;
        private long[] counts = new long[1];

        CallsItself(@Lazy CallsItself self) {
            this.self = self;
        }

        @Locked(name = "x")
        public void work() {}

        @Locked(name = "y:#{#depth}")
        public void recursive(int depth) {
            if (depth > 0) {
                recursive(depth - 1);
            }
        }

        public void direct(boolean twice) {
            if (twice) {
                work();
            }
        }

        public Runnable inALambda(String text) {
            return () -> {
                String copy = text.isEmpty() ? "none" : text;
                if (!copy.isEmpty()) {
                    this.work();
                }
            };
        }

        public void behindMuchElse(int kind) {
            counts[0]++;
            for (int i = 0; i < 3; i++) {
                counts[0] += 2L * i;
            }
            synchronized (this) {
                try {
                    switch (kind) {
                        case 1, 2, 3 -> counts = new long[2];
                        default -> throw new IllegalArgumentException("kind " + kind);
                    }
                } catch (IllegalArgumentException e) {
                    this.work();
                }
            }
        }

        public void throughTheProxy() {
            self.work();
            later.run();
        }

        public void another(@Nullable CallsItself other) {
            (other == null ? self : other).work();
        }

        public void perhapsAnother(@Nullable CallsItself other) {
            (other == null ? this : other).work();
            (other != null ? other : this).work();
        }

        public void ofAnother(Supplier<CallsItself> others) {
            others.get().work();
        }
    }

    @Test
    void callsOfABeanToItself_areFound() {
        assertThat(found(CallsItself.class))
                .contains("CallsItself.direct()")
                .contains("CallsItself.recursive()")
                .contains("CallsItself.behindMuchElse()")
                .contains("lambda$inALambda")
                .contains("CallsItself.<init>()");
    }

    @Test
    void callsThroughTheProxy_andThoseThatMayGoElsewhere_areNotReported() {
        assertThat(found(CallsItself.class))
                .doesNotContain("throughTheProxy")
                .doesNotContain("another")
                .doesNotContain("perhapsAnother")
                .doesNotContain("ofAnother");
    }

    static class Base {
        @Locked(name = "x")
        public void work() {}

        @Locked(name = "y")
        public void other() {}
    }

    static class Overrides extends Base {
        @Override
        @Locked(name = "x")
        public void work() {
            super.work();
        }

        public void all() {
            super.other();
        }
    }

    @Test
    void aMethodThatCallsWhatItOverrides_isNotReported_andOneThatCallsAnotherOfItsParentIs() {
        assertThat(found(Overrides.class)).doesNotContain("Overrides.work()").contains("Overrides.all()");
    }

    interface Batch {
        @Locked(name = "x")
        void one();

        default void all() {
            one();
            one();
        }
    }

    static class Batches implements Batch {
        @Override
        public void one() {}
    }

    @Test
    void defaultMethodsOfInterfaces_areReadToo() {
        assertThat(found(Batches.class)).contains("Batch.all()");
    }
}
