package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hosts with an address each, and a router between them that loses what it is told to. They are network namespaces of this
 * machine, so packets are really lost: nobody acknowledges them, and the system sends them again. Thread safe.
 *
 * <pre>{@code
 * try (PrivateNetwork network = PrivateNetwork.create()) {
 *     NetworkHost a = network.add("a");
 *     NetworkHost b = network.add("b");
 *     try (RedisServer redis = RedisServer.builder().host(b).start();
 *             JvmProcess client = JvmProcess.of(Client.class).host(a).arguments(redis.uri()).start()) {
 *         network.separate(a, b);
 *         network.heal();
 *     }
 * }
 * }</pre>
 *
 * <p>It takes Linux, root, and the command {@code ip}. Addresses are of a range that is set aside for measurements of
 * networks (198.18.0.0/15). This machine gets one interface and one route; all else is in the namespaces. Names hold the id of
 * this process: all of it goes with {@link #close()}, at the end of the JVM, or, if that was killed, when the next network is
 * created.
 */
public final class PrivateNetwork implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PrivateNetwork.class);
    private static final Path NAMESPACES = Path.of("/run/netns");
    private static final Path INTERFACES = Path.of("/sys/class/net");
    private static final Pattern NAME = Pattern.compile("hf(\\d+)n\\d+(-.*)?");
    private static final int SUBNETS = 512;
    private static final int MOST_HOSTS = 127;
    private static final int FIRST_PORT = 10_000;
    private static final int REACH_MILLIS = 5_000;
    private static final AtomicInteger CREATED = new AtomicInteger();
    private static final Set<PrivateNetwork> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> OPEN.forEach(PrivateNetwork::close), "holdfast-networks-end"));
    }

    private final String name = "hf" + ProcessHandle.current().pid() + "n" + CREATED.getAndIncrement();
    private final String router = name + "-router";
    private final String subnet = freeSubnet();
    private final List<String> namespaces = new ArrayList<>();
    private final Map<NetworkHost, String> namespaceOf = new LinkedHashMap<>();
    private final Map<List<String>, List<String>> faults = new LinkedHashMap<>();
    private final AtomicInteger ports = new AtomicInteger(FIRST_PORT);
    private final NetworkHost here = new NetworkHost(address(1), List.of(), ports::getAndIncrement);

    private PrivateNetwork() {}

    /** Why there can be no such network on this machine; empty if there can. */
    public static String whyNot() {
        return Probe.WHY_NOT;
    }

    /** A network with no host but this machine. */
    public static PrivateNetwork create() {
        removeLeftovers();
        PrivateNetwork network = new PrivateNetwork();
        OPEN.add(network);
        try {
            network.connect();
            return network;
        } catch (RuntimeException e) {
            network.close();
            throw e;
        }
    }

    private static String freeSubnet() {
        int start = (int) (ProcessHandle.current().pid() % SUBNETS);
        for (int i = 0; i < SUBNETS; i++) {
            int number = (start + i) % SUBNETS;
            String subnet = "198." + (18 + number / 256) + "." + number % 256 + ".";
            if (ip("-4", "route", "show", "root", subnet + "0/24").isEmpty()) {
                return subnet;
            }
        }
        throw new IllegalStateException("all networks of 198.18.0.0/15 are in use on this machine");
    }

    private String address(int number) {
        return subnet + number;
    }

    private void connect() {
        addNamespace(router);
        // Where a packet came from is not questioned: a way that is closed in one direction stays open in the other.
        run(
                "nsenter",
                "--net=" + NAMESPACES.resolve(router),
                "sh",
                "-c",
                "cd /proc/sys/net/ipv4 && echo 1 >ip_forward && echo 0 >conf/all/rp_filter"
                        + " && echo 0 >conf/default/rp_filter");
        ip("link", "add", name, "type", "veth", "peer", "name", "here", "netns", router);
        ip("-n", router, "addr", "add", address(0) + "/31", "dev", "here");
        ip("-n", router, "link", "set", "here", "up");
        ip("addr", "add", here.address() + "/31", "dev", name);
        ip("link", "set", name, "up");
        ip("route", "add", subnet + "0/24", "via", address(0));
    }

    private void addNamespace(String namespace) {
        namespaces.add(namespace);
        ip("netns", "add", namespace);
        ip("-n", namespace, "link", "set", "lo", "up");
    }

    /** This machine, as the others see it. */
    public NetworkHost here() {
        return here;
    }

    /** One more host, which reaches all others, and is reached by them. */
    public synchronized NetworkHost add(String host) {
        int number = namespaces.size(); // the router is the first of them, and this machine has its place
        if (number > MOST_HOSTS) {
            throw new IllegalStateException("no more than " + MOST_HOSTS + " hosts in a network");
        }
        String namespace = name + "-" + host;
        String gateway = address(2 * number);
        String end = "to" + number;
        addNamespace(namespace);
        ip("-n", router, "link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", namespace);
        ip("-n", router, "addr", "add", gateway + "/31", "dev", end);
        ip("-n", router, "link", "set", end, "up");
        ip("-n", namespace, "addr", "add", address(2 * number + 1) + "/31", "dev", "eth0");
        ip("-n", namespace, "link", "set", "eth0", "up");
        ip("-n", namespace, "route", "add", "default", "via", gateway);
        NetworkHost added = new NetworkHost(
                address(2 * number + 1),
                List.of("nsenter", "--net=" + NAMESPACES.resolve(namespace)),
                ports::getAndIncrement);
        namespaceOf.put(added, namespace);
        return added;
    }

    /** From now on nothing that the one sends arrives at the other; nobody is told. */
    public void drop(NetworkHost from, NetworkHost to) {
        fault(router, "rule", "pref", "100", "from", from.address(), "to", to.address(), "blackhole");
    }

    /** As {@link #drop}, in both directions. */
    public void separate(NetworkHost one, NetworkHost other) {
        drop(one, other);
        drop(other, one);
    }

    /** What the client sends to the server is answered with a reset, and never gets there. */
    public void refuse(NetworkHost client, NetworkHost server) {
        // The client takes the server's address for its own, and nobody listens there.
        fault(namespace(client), "route", "local", server.address(), "dev", "lo", "table", "local");
    }

    private synchronized String namespace(NetworkHost host) {
        String namespace = namespaceOf.get(host);
        if (namespace == null) {
            throw new IllegalArgumentException(host + " was not added to this network");
        }
        return namespace;
    }

    private synchronized void fault(String namespace, String object, String... what) {
        List<String> begin = new ArrayList<>(List.of("-n", namespace, object, "add"));
        List<String> end = new ArrayList<>(List.of("-n", namespace, object, "del"));
        begin.addAll(List.of(what));
        end.addAll(List.of(what));
        if (!faults.containsKey(begin)) {
            ip(begin.toArray(String[]::new));
            faults.put(begin, end);
        }
    }

    /** Everybody reaches everybody again. */
    public synchronized void heal() {
        for (List<String> end : List.copyOf(faults.values())) {
            ip(end.toArray(String[]::new));
        }
        faults.clear();
    }

    /** Takes all of it down. Processes that still run there are cut off for good. */
    @Override
    public synchronized void close() {
        OPEN.remove(this);
        if (Files.exists(INTERFACES.resolve(name))) {
            attempt("link", "del", name);
        }
        for (String namespace : namespaces) {
            if (Files.exists(NAMESPACES.resolve(namespace))) {
                attempt("netns", "del", namespace);
            }
        }
        namespaces.clear();
    }

    /** What processes left behind that were killed. */
    private static void removeLeftovers() {
        for (String dead : dead(INTERFACES)) {
            attempt("link", "del", dead);
        }
        for (String dead : dead(NAMESPACES)) {
            attempt("netns", "del", dead);
        }
    }

    private static List<String> dead(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(PrivateNetwork::isOfADeadProcess)
                    .toList();
        } catch (IOException e) {
            return List.of(); // nobody has had a namespace on this machine yet
        }
    }

    private static boolean isOfADeadProcess(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches()
                && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
    }

    /** The rest is to be taken down whatever becomes of this. */
    private static void attempt(String... words) {
        try {
            ip(words);
        } catch (IllegalStateException e) {
            LOG.warn("left behind: {}", e.getMessage());
        }
    }

    private static String ip(String... words) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        return run(command.toArray(String[]::new));
    }

    private static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("'" + String.join(" ", command) + "' failed: " + said);
            }
            return said;
        } catch (IOException e) {
            throw new IllegalStateException("cannot run '" + command[0] + "': " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while '" + String.join(" ", command) + "' ran", e);
        }
    }

    /** A small network, with a fault of each kind: what works once works again. */
    private static final class Probe {
        private static final String WHY_NOT = probe();

        private static String probe() {
            if (!System.getProperty("os.name", "").startsWith("Linux")) {
                return "it takes Linux";
            }
            try (PrivateNetwork network = create()) {
                NetworkHost one = network.add("one");
                NetworkHost other = network.add("other");
                if (!InetAddress.getByName(one.address()).isReachable(REACH_MILLIS)) {
                    return one + " is not reached: does something here filter packets?";
                }
                network.separate(one, other);
                network.refuse(one, other);
                network.heal();
                return "";
            } catch (IllegalStateException e) {
                return String.valueOf(e.getMessage());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
