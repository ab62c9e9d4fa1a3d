package io.holdfast.spring;

/** What the application has configured cannot work. Says what, and what to do. */
final class HoldfastConfigurationException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    HoldfastConfigurationException(String message, String remedy) {
        super(message);
        this.remedy = remedy;
    }

    HoldfastConfigurationException(String message, String remedy, Throwable cause) {
        super(message, cause);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
