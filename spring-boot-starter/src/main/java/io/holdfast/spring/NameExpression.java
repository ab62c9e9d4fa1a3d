package io.holdfast.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Text with expressions over the arguments of a method. Immutable. */
final class NameExpression {
    static final String HINT =
            "Write text with expressions like \"order:#{#order.id}\", where #order is a parameter of the"
                    + " method and @shop a bean. Parameter names need the compiler's -parameters; #p0 works without.";

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final String text;
    private final Method method;
    private final List<Expression> parts;

    private NameExpression(String text, Method method, List<Expression> parts) {
        this.text = text;
        this.method = method;
        this.parts = parts;
    }

    /**
     * Parses.
     *
     * @throws IllegalArgumentException if it is no expression, or one of something that the method does not have
     */
    static NameExpression of(String text, Method method) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("it must not be blank");
        }
        List<Expression> parts;
        try {
            Expression whole = PARSER.parseExpression(text, new TemplateParserContext());
            parts = whole instanceof CompositeStringExpression composite
                    ? List.of(composite.getExpressions())
                    : List.of(whole);
        } catch (ParseException e) {
            throw new IllegalArgumentException(e.getSimpleMessage(), e);
        }
        List<String> unknown = new ArrayList<>();
        Set<String> known = variables(method);
        parts.forEach(part -> collectUnknown(part, known, unknown));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "the method has no parameter " + String.join(", ", unknown) + "; there are " + known);
        }
        return new NameExpression(text, method, parts);
    }

    private static Set<String> variables(Method method) {
        Set<String> known = new HashSet<>(Set.of("#root", "#this"));
        @Nullable String[] names = NAMES.getParameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.add("#p" + i);
            known.add("#a" + i);
            if (names != null && names[i] != null) {
                known.add("#" + names[i]);
            }
        }
        return known;
    }

    private static void collectUnknown(Expression part, Set<String> known, List<String> unknown) {
        if (part instanceof SpelExpression spel) {
            collectUnknown(spel.getAST(), known, unknown);
        }
    }

    private static void collectUnknown(SpelNode node, Set<String> known, List<String> unknown) {
        if (node instanceof VariableReference variable && !known.contains(variable.toStringAST())) {
            unknown.add(variable.toStringAST());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectUnknown(node.getChild(i), known, unknown);
        }
    }

    /**
     * The text for one call.
     *
     * @throws IllegalArgumentException if an expression has no value
     */
    String value(Object target, @Nullable Object[] arguments, BeanFactory beans) {
        if (parts.size() == 1 && parts.get(0) instanceof LiteralExpression literal) {
            return literal.getExpressionString();
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        StringBuilder name = new StringBuilder();
        for (Expression part : parts) {
            String value = part.getValue(context, String.class);
            if (value == null || value.isEmpty()) {
                // One lock for all who lack a value would make them wait for each other, and hide the mistake.
                throw new IllegalArgumentException("\"" + text + "\" of the @Locked method "
                        + LockedMethod.describe(method) + ": #{" + part.getExpressionString() + "} is "
                        + (value == null ? "null" : "empty") + ", and a lock needs a name of its own");
            }
            name.append(value);
        }
        return name.toString();
    }

    @Override
    public String toString() {
        return text;
    }
}
