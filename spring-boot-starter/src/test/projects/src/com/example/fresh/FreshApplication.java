package com.example.fresh;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spring.Locked;
import java.time.Duration;
import java.util.Arrays;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Component;

/** Takes a lock, tells so, gives it back when it reads a line, takes one by annotation, and ends. */
@SpringBootApplication
public class FreshApplication {
    public static void main(String[] args) {
        SpringApplication.run(FreshApplication.class, args);
    }

    @Component
    static class Job implements CommandLineRunner {
        private final Holdfast locks;
        private final Report report;
        private final ApplicationContext context;

        Job(Holdfast locks, Report report, ApplicationContext context) {
            this.locks = locks;
            this.report = report;
            this.context = context;
        }

        @Override
        public void run(String... args) throws Exception {
            System.out.println("boot " + SpringBootVersion.getVersion());
            System.out.println("beans " + Arrays.toString(context.getBeanNamesForType(Object.class)));
            try (Lease lease = locks.lock("fresh:" + args[0]).acquire(Duration.ofSeconds(10))) {
                System.out.println("locked " + lease.token());
                System.in.read();
            }
            System.out.println("annotated " + report.write(args[0], null));
        }
    }

    @Component
    static class Report {
        @Locked(name = "report:#{#name}")
        public boolean write(String name, Lease lease) {
            return lease.isValid();
        }
    }
}
