package com.example.empty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Starts, says how long that took, and ends. Knows nothing of locks: what it starts with is a matter of its class path. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class EmptyApplication {
    public static void main(String[] args) {
        SpringApplication.run(EmptyApplication.class, args).close();
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        System.out.println("ready after " + event.getTimeTaken().toMillis() + " ms");
    }
}
