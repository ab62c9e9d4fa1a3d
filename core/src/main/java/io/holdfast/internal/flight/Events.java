package io.holdfast.internal.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The events. Their names and fields are what people search recordings for, so they stay. */
final class Events {
    private static final AttemptEvent ATTEMPT = new AttemptEvent();
    private static final HoldEvent HOLD = new HoldEvent();

    private Events() {}

    static boolean areWanted() {
        return ATTEMPT.isEnabled() || HOLD.isEnabled();
    }

    static Flight.@Nullable Attempt attempt(String lockName) {
        if (!ATTEMPT.isEnabled()) {
            return null;
        }
        AttemptEvent event = new AttemptEvent();
        event.lock = lockName;
        event.begin();
        return event;
    }

    static Flight.@Nullable Held held(String lockName, String owner, long token) {
        if (!HOLD.isEnabled()) {
            return null;
        }
        HoldEvent event = new HoldEvent();
        event.lock = lockName;
        event.owner = owner;
        event.token = token;
        event.begin();
        return event;
    }

    static Flight.@Nullable Renewals renewals() {
        RenewalsEvent event = new RenewalsEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    static void lost(String lockName, String owner, long token, String cause, String detail) {
        LostEvent event = new LostEvent();
        if (event.shouldCommit()) {
            event.lock = lockName;
            event.owner = owner;
            event.token = token;
            event.cause = cause;
            event.detail = detail;
            event.commit();
        }
    }

    static void stalled(String lockName, String owner, long token, String detail) {
        StalledEvent event = new StalledEvent();
        if (event.shouldCommit()) {
            event.lock = lockName;
            event.owner = owner;
            event.token = token;
            event.detail = detail;
            event.commit();
        }
    }

    @Name("io.holdfast.LockAttempt")
    @Label("Lock Attempt")
    @Category("Holdfast")
    @Description("Somebody asked for a distributed lock, and this is how long it took")
    @Threshold("10 ms")
    static final class AttemptEvent extends Event implements Flight.Attempt {
        @Label("Lock")
        String lock = "";

        @Label("Outcome")
        String outcome = "";

        @Label("Waited")
        @Description("Whether another held it")
        boolean waited;

        @Label("Hand-over")
        @Description("Where it came from, if it was waited for: local, from another thread of this process, or remote")
        String handOver = "";

        @Label("Token")
        long token;

        @Override
        public void got(long token, String handOver) {
            this.token = token;
            this.handOver = handOver;
        }

        @Override
        public void ends(String outcome, boolean waited) {
            end();
            this.outcome = outcome;
            this.waited = waited;
        }

        @Override
        public void seen() {
            if (shouldCommit()) {
                commit();
            }
        }
    }

    @Name("io.holdfast.LockHold")
    @Label("Lock Hold")
    @Category("Holdfast")
    @Description("A distributed lock was held")
    @Threshold("10 ms")
    @StackTrace(false)
    static final class HoldEvent extends Event implements Flight.Held {
        @Label("Lock")
        String lock = "";

        @Label("Owner")
        String owner = "";

        @Label("Token")
        long token;

        @Label("End")
        @Description("released, or the cause of its loss")
        String end = "";

        @Override
        public void ends(String how) {
            end();
            if (shouldCommit()) {
                end = how;
                commit();
            }
        }
    }

    @Name("io.holdfast.Renewals")
    @Label("Renewals")
    @Category("Holdfast")
    @Description("Leases were renewed in one go")
    @StackTrace(false)
    static final class RenewalsEvent extends Event implements Flight.Renewals {
        @Label("Store")
        String store = "";

        @Label("Leases")
        int leases;

        @Label("Not Confirmed")
        int failed;

        @Label("Longest Lag")
        @Description("How much later than due they were sent")
        @Timespan(Timespan.NANOSECONDS)
        long lag;

        @Override
        public void lag(long nanos) {
            lag = Math.max(lag, nanos);
        }

        @Override
        public void failed() {
            failed++;
        }

        @Override
        public void ends(String store, int leases) {
            end();
            if (shouldCommit()) {
                this.store = store;
                this.leases = leases;
                commit();
            }
        }
    }

    @Name("io.holdfast.LeaseLost")
    @Label("Lease Lost")
    @Category("Holdfast")
    @Description("A distributed lock was lost while it was held")
    @StackTrace(false)
    static final class LostEvent extends Event {
        @Label("Lock")
        String lock = "";

        @Label("Owner")
        String owner = "";

        @Label("Token")
        long token;

        @Label("Cause")
        String cause = "";

        @Label("Detail")
        String detail = "";
    }

    @Name("io.holdfast.Stalled")
    @Label("Stalled")
    @Category("Holdfast")
    @Description("A thread waits for a distributed lock that it has taken itself")
    static final class StalledEvent extends Event {
        @Label("Lock")
        String lock = "";

        @Label("Owner")
        String owner = "";

        @Label("Token")
        long token;

        @Label("Detail")
        String detail = "";
    }

    @Name("io.holdfast.Client")
    @Label("Client")
    @Category("Holdfast")
    @Description("What a client holds and asks for, from time to time")
    @StackTrace(false)
    @Enabled
    @Period("10 s")
    static final class ClientEvent extends Event {
        @Label("Store")
        String store = "";

        @Label("Held Leases")
        int held;

        @Label("Asking")
        @Description("Attempts that are under way or wait")
        int asking;
    }
}
