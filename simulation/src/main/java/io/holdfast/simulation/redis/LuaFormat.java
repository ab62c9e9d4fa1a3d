package io.holdfast.simulation.redis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/** {@code string.format} as C does it; that of LuaJ is wrong for {@code %.0f} and {@code %g}. */
final class LuaFormat extends VarArgFunction {
    private static final LuaString WHOLE = LuaValue.valueOf("%.0f");
    private static final Pattern DIRECTIVE =
            Pattern.compile("%([-+ #0]*)(\\d{0,2})(\\.(\\d{0,2}))?(.)", Pattern.DOTALL);
    private static final double TWO_TO_63 = 0x1p63;

    @Override
    public Varargs invoke(Varargs args) {
        LuaString format = args.checkstring(1);
        if (format.raweq(WHOLE)) {
            return LuaText.of(fixed(args.checkdouble(2), 0));
        }
        StringBuilder text = new StringBuilder();
        Matcher directive = DIRECTIVE.matcher(LuaText.read(format));
        int next = 2;
        int at = 0;
        String source = LuaText.read(format);
        while (directive.find()) {
            text.append(source, at, directive.start());
            at = directive.end();
            char kind = directive.group(5).charAt(0);
            if (kind == '%') {
                text.append('%');
            } else {
                text.append(padded(directive, one(directive, kind, args, next++)));
            }
        }
        return LuaText.of(text.append(source.substring(at)).toString());
    }

    private static String one(Matcher directive, char kind, Varargs args, int index) {
        String digits = directive.group(4);
        int precision = digits == null ? -1 : digits.isEmpty() ? 0 : Integer.parseInt(digits);
        switch (kind) {
            case 's' -> {
                String text = LuaText.read(text(args, index));
                return precision < 0 ? text : text.substring(0, Math.min(precision, text.length()));
            }
            case 'c' -> {
                return String.valueOf((char) (args.checkint(index) & 0xff));
            }
            case 'q' -> {
                return quoted(LuaText.read(args.checkstring(index)));
            }
            default -> {
                String text = number(kind, args.checkdouble(index), precision);
                String flags = directive.group(1);
                boolean signed = "di".indexOf(kind) >= 0 || "eEfgG".indexOf(kind) >= 0;
                String plus = flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
                return signed && !text.startsWith("-") ? plus + text : text;
            }
        }
    }

    /** Lua 5.1 takes only what is text or a number here, where LuaJ would print anything. */
    private static LuaString text(Varargs args, int index) {
        if (LuaText.coerce(args.arg(index)) instanceof LuaString text) {
            return text;
        }
        throw ScriptError.placed("bad argument #" + index + " to 'format' (string expected, got "
                + args.arg(index).typename() + ")");
    }

    private static String number(char kind, double value, int precision) {
        return switch (kind) {
            case 'd', 'i' -> whole(whole(value), precision);
            case 'u' -> Long.toUnsignedString(whole(value));
            case 'x' -> Long.toHexString(whole(value));
            case 'X' -> Long.toHexString(whole(value)).toUpperCase(Locale.ROOT);
            case 'o' -> Long.toOctalString(whole(value));
            case 'f' -> fixed(value, precision < 0 ? 6 : precision);
            case 'e' -> scientific(value, precision < 0 ? 6 : precision);
            case 'E' -> scientific(value, precision < 0 ? 6 : precision).toUpperCase(Locale.ROOT);
            case 'g' -> Numbers.general(value, general(precision));
            case 'G' -> Numbers.general(value, general(precision)).toUpperCase(Locale.ROOT);
            default -> throw ScriptError.placed("invalid option '%" + kind + "' to 'format'");
        };
    }

    private static int general(int precision) {
        return precision < 0 ? 6 : Math.max(1, precision);
    }

    /** As the cast of C on x86: what does not fit becomes the lowest number. */
    static long whole(double value) {
        return value >= -TWO_TO_63 && value < TWO_TO_63 ? (long) value : Long.MIN_VALUE;
    }

    private static String whole(long value, int digits) {
        String text = Long.toString(value);
        String size = value < 0 ? text.substring(1) : text;
        return (value < 0 ? "-" : "") + "0".repeat(Math.max(0, digits - size.length())) + size;
    }

    private static String fixed(double value, int digits) {
        long whole = (long) value;
        if (digits == 0 && whole == value && Math.abs(value) < TWO_TO_63 && whole != 0) {
            return Long.toString(whole);
        }
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Numbers.special(value);
        }
        String text = new BigDecimal(value)
                .abs()
                .setScale(digits, RoundingMode.HALF_EVEN)
                .toPlainString();
        return Math.copySign(1, value) < 0 ? "-" + text : text;
    }

    private static String scientific(double value, int digits) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Numbers.special(value);
        }
        BigDecimal rounded = new BigDecimal(value).abs().round(new MathContext(digits + 1, RoundingMode.HALF_EVEN));
        int exponent = value == 0 ? 0 : rounded.precision() - rounded.scale() - 1;
        String mantissa = rounded.scaleByPowerOfTen(-exponent).setScale(digits).toPlainString();
        return (Math.copySign(1, value) < 0 ? "-" : "") + mantissa + Numbers.exponent(exponent);
    }

    private static String padded(Matcher directive, String text) {
        String flags = directive.group(1);
        int width = directive.group(2).isEmpty() ? 0 : Integer.parseInt(directive.group(2));
        int missing = width - text.length();
        if (missing <= 0) {
            return text;
        }
        if (flags.contains("-")) {
            return text + " ".repeat(missing);
        }
        boolean number = "diuxXoeEfgG".contains(directive.group(5));
        boolean wholeWithDigits = directive.group(3) != null && "diuxXo".contains(directive.group(5));
        if (flags.contains("0") && number && !wholeWithDigits) {
            int sign = text.startsWith("-") || text.startsWith("+") || text.startsWith(" ") ? 1 : 0;
            return text.substring(0, sign) + "0".repeat(missing) + text.substring(sign);
        }
        return " ".repeat(missing) + text;
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\', '\n' -> quoted.append('\\').append(c);
                case '\r' -> quoted.append("\\r");
                case '\0' -> quoted.append("\\000");
                default -> quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
