package io.holdfast.simulation.mutants;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Loads the library and the simulation anew, with the changes of one mutant compiled in. */
final class MutantLoader extends ClassLoader {
    private static final String OURS = "io.holdfast.";

    private final Map<String, byte[]> classes = new HashMap<>();
    private final Map<String, byte[]> resources = new HashMap<>();

    MutantLoader(Path root, Mutant mutant) {
        super(MutantLoader.class.getClassLoader());
        Map<String, String> changed = new LinkedHashMap<>();
        for (Mutant.Edit edit : mutant.edits()) {
            changed.compute(edit.file(), (file, source) -> edit.apply(source != null ? source : read(root, file)));
        }
        List<JavaFileObject> sources = new ArrayList<>();
        changed.forEach((file, source) -> {
            String inside = file.substring(file.indexOf("/io/") + 1);
            if (file.endsWith(".java")) {
                sources.add(new Source(inside, source));
            } else {
                resources.put(inside, source.getBytes(StandardCharsets.UTF_8));
            }
        });
        if (!sources.isEmpty()) {
            compile(mutant, sources);
        }
    }

    private static String read(Path root, String file) {
        try {
            return Files.readString(root.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException("a planted bug is in a file that is not there: " + file, e);
        }
    }

    private void compile(Mutant mutant, List<JavaFileObject> sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("planted bugs need a JDK, and this is a JRE");
        }
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavaFileManager files = new Output(compiler.getStandardFileManager(problems, null, null));
        boolean good = compiler.getTask(
                        null,
                        files,
                        problems,
                        List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path")),
                        null,
                        sources)
                .call();
        if (!good) {
            throw new IllegalStateException(
                    "the planted bug '" + mutant.name() + "' does not compile: " + problems.getDiagnostics());
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            return name.startsWith(OURS) ? define(name) : super.loadClass(name, resolve);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                bytes = in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        byte[] changed = resources.get(name);
        return changed != null ? new ByteArrayInputStream(changed) : super.getResourceAsStream(name);
    }

    /** A source in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("string:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps what is compiled. */
    private final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        Output(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("bytes:///" + className.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            classes.put(className, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
