package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.ClientClosedException;
import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.LockOptions;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leads whoever holds the lock of that name. */
public final class NamedElection implements Election {
    private static final Logger log = LoggerFactory.getLogger(NamedElection.class);
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final Engine engine;
    private final String name;
    private final LockOptions options;

    public NamedElection(Engine engine, String name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.options = options;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Candidacy stand(Task task) {
        Candidate candidate = new Candidate(requireNonNull(task, "task"));
        engine.platform().daemon("election", candidate::stand);
        return candidate;
    }

    @Override
    public Optional<LockInfo> leader() {
        return engine.inspect(name).stream()
                .filter(lock -> lock.name().equals(name) && lock.owner().isPresent())
                .findFirst();
    }

    @Override
    public String toString() {
        return "Election['" + name + "' in " + engine.storeAddress() + "]";
    }

    /** One thread that waits for the lock, and leads while it has it. */
    private final class Candidate implements Candidacy {
        private final Platform platform = engine.platform();
        private final NamedLock lock = new NamedLock(engine, name, options, Share.WHOLE, Order.STRICT);
        private final Task task;

        /** How often in a row the store or the task has failed. The candidate's thread alone counts. */
        private int failures;

        // Guarded by this.
        private @Nullable Object thread;
        private @Nullable Lease leads;
        private boolean closed;

        Candidate(Task task) {
            this.task = task;
        }

        private void stand() {
            synchronized (this) {
                thread = platform.currentThread();
            }
            while (!isClosed()) {
                try (Lease lease = lock.acquire(FOREVER)) {
                    lead(lease);
                } catch (ClientClosedException e) {
                    return;
                } catch (InterruptedException e) {
                    // Closed, or it is somebody's mistake: then it stands on.
                } catch (LockException e) {
                    log.warn("election '{}': {}", name, e.getMessage());
                    failures++;
                }
                if (failures > 0) {
                    pause();
                }
            }
        }

        private void lead(Lease lease) {
            synchronized (this) {
                if (closed) {
                    return;
                }
                leads = lease;
            }
            // Whoever is deposed is to stop at once.
            lease.lost().thenAccept(loss -> interrupt(lease));
            log.info("election '{}': elected with token {}", name, lease.token());
            try {
                task.lead(lease);
                failures = 0;
            } catch (InterruptedException e) {
                log.debug("election '{}': the task was interrupted", name);
                failures = 0;
            } catch (Exception | Error e) {
                failures++;
                log.error("election '{}': the task of the leader with token {} failed", name, lease.token(), e);
            } finally {
                synchronized (this) {
                    leads = null;
                    // An interrupt was for the task.
                    platform.interrupted();
                }
            }
        }

        private synchronized void interrupt(Lease lease) {
            if (leads == lease && thread != null) {
                platform.interrupt(thread);
            }
        }

        /** Longer each time, up to the longest: one who fails at once would else be elected without an end. */
        private void pause() {
            long longest = options.backoff().longest().toNanos();
            long step = options.backoff().first().toNanos() << Math.min(failures - 1, 16);
            long until = platform.nanoTime() + Math.min(step, longest);
            // A wake-up that came too late for the wait before is still there, and would end the first park at once.
            for (long left = until - platform.nanoTime(); left > 0 && !isClosed(); left = until - platform.nanoTime()) {
                platform.park(left);
                platform.interrupted();
            }
        }

        private synchronized boolean isClosed() {
            return closed;
        }

        @Override
        public synchronized boolean isLeader() {
            return leads != null && leads.isValid();
        }

        @Override
        public synchronized OptionalLong token() {
            return leads != null && leads.isValid() ? OptionalLong.of(leads.token()) : OptionalLong.empty();
        }

        @Override
        public synchronized void resign() {
            if (leads != null && thread != null) {
                platform.interrupt(thread);
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            if (thread != null) {
                platform.interrupt(thread);
            }
        }

        @Override
        public String toString() {
            return "candidate for " + NamedElection.this;
        }
    }
}
