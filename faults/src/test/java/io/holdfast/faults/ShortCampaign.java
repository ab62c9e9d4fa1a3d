package io.holdfast.faults;

import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.nemesis.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A campaign with two processes, and faults that follow each other closely. */
final class ShortCampaign {
    private ShortCampaign() {}

    static Evidence run(
            Path folder,
            Topology topology,
            String contender,
            Set<Workload> workloads,
            Duration lease,
            Duration time,
            FaultKind... only) {
        Settings settings = new Settings(
                topology,
                Contenders.named(contender),
                workloads,
                time,
                lease,
                Duration.ofMillis(100),
                2,
                1,
                List.of(only));
        try (Campaign campaign = new Campaign(settings, folder, ShortCampaign::show)) {
            return campaign.run().evidence();
        }
    }

    private static void show(String line) {
        System.out.println(line);
    }
}
