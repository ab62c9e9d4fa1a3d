package io.holdfast.simulation.redis;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All commands by name, with the flags that a Redis 7.0.15 tells in COMMAND INFO. */
final class Commands {
    private static final Map<String, Command> BY_NAME = new Commands().build();

    private final Map<String, Command> commands = new HashMap<>();

    private Commands() {}

    static @Nullable Command find(String name) {
        Command command = BY_NAME.get(name);
        return command != null ? command : BY_NAME.get(name.toLowerCase(Locale.ROOT));
    }

    private Map<String, Command> build() {
        ServerCommands.addTo(this);
        ScriptCommands.addTo(this);
        KeyCommands.addTo(this);
        StringCommands.addTo(this);
        HashCommands.addTo(this);
        SortedSetCommands.addTo(this);
        SortedSetRanges.addTo(this);
        ListCommands.addTo(this);
        SetCommands.addTo(this);
        return Map.copyOf(commands);
    }

    void read(String name, int arity, Command.Handler handler) {
        add(new Command(name, arity, false, false, true, false, handler));
    }

    /** Writes, and may be given to a server without memory. */
    void reduce(String name, int arity, Command.Handler handler) {
        add(new Command(name, arity, true, false, true, false, handler));
    }

    /** Writes, and may need memory. */
    void write(String name, int arity, Command.Handler handler) {
        add(new Command(name, arity, true, true, true, false, handler));
    }

    /** Is answered also while the server loads its data. */
    void always(String name, int arity, Command.Handler handler) {
        add(new Command(name, arity, false, false, true, true, handler));
    }

    /** Not for scripts. */
    void outside(String name, int arity, Command.Handler handler) {
        add(new Command(name, arity, false, false, false, false, handler));
    }

    private void add(Command command) {
        commands.put(command.name(), command);
        // Both usual spellings, so that no call has to change its letters.
        commands.put(command.name().toUpperCase(Locale.ROOT), command);
    }
}
