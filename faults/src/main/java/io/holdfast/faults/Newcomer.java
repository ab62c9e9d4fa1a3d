package io.holdfast.faults;

import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Latches;
import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One who comes when all others have gone, and wants everything. */
final class Newcomer {
    private static final String LATCH = Workload.LATCH.locks().get(0) + ":end";

    private Newcomer() {}

    /** Whether it gets all of it in that time. */
    static boolean gets(Session session, Workload workload, Duration wait) throws InterruptedException {
        return switch (workload) {
            case LATCH -> opens(session.latches(), wait);
            case ELECTION -> leads(session, workload, wait);
            default -> {
                boolean permits = workload == Workload.SEMAPHORE;
                Held held = session.take(
                        new Wish(
                                workload,
                                permits ? Mode.PERMITS : Mode.ALONE,
                                workload.locks(),
                                permits ? Workload.PERMITS : 1),
                        wait);
                if (held != null) {
                    held.release();
                }
                yield held != null;
            }
        };
    }

    private static boolean opens(Latches latches, Duration wait) throws InterruptedException {
        latches.set(LATCH, 1, Duration.ofSeconds(60));
        latches.countDown(LATCH);
        return latches.await(LATCH, wait);
    }

    private static boolean leads(Session session, Workload workload, Duration wait) throws InterruptedException {
        CountDownLatch elected = new CountDownLatch(1);
        Session.Candidacy candidacy = session.stand(workload.locks().get(0), held -> elected.countDown());
        try {
            return elected.await(wait.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            candidacy.close();
        }
    }
}
