package io.holdfast.checks.planted;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** Does what no code that is shipped may: makes objects, classes and programs of what it is given. */
@SuppressWarnings({"unused", "BanSerializableRead", "BanJNDI"})
public final class Believer {
    Object read(InputStream from) throws IOException, ClassNotFoundException {
        return new ObjectInputStream(from).readObject();
    }

    Object find(String name) throws NamingException {
        return new InitialContext().lookup(name);
    }

    Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name);
    }

    Process run(String[] program) throws IOException {
        return Runtime.getRuntime().exec(program);
    }
}
