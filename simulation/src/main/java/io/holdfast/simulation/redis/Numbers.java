package io.holdfast.simulation.redis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Numbers as Redis reads and C prints them. */
final class Numbers {
    private static final double EXACT = 0x1p53;

    private Numbers() {}

    static long parseLong(String text) {
        Long value = longOrNull(text);
        if (value == null) {
            throw new RedisError(RedisError.NOT_AN_INTEGER);
        }
        return value;
    }

    /** Only what Redis would print itself: no plus, no leading zero, no space. */
    static @Nullable Long longOrNull(String text) {
        int length = text.length();
        int first = length > 1 && text.charAt(0) == '-' ? 1 : 0;
        if (length == 0 || length > 20 || (text.charAt(first) == '0' && length > 1)) {
            return null;
        }
        for (int i = first; i < length; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    static double parseScore(String text, String error) {
        Double value = doubleOrNull(text);
        if (value == null) {
            throw new RedisError(error);
        }
        return value;
    }

    private static @Nullable Double doubleOrNull(String text) {
        String sign = text.startsWith("-") || text.startsWith("+") ? text.substring(0, 1) : "";
        String rest = text.substring(sign.length());
        if (rest.equalsIgnoreCase("inf") || rest.equalsIgnoreCase("infinity")) {
            return sign.equals("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        for (int i = 0; i < rest.length(); i++) {
            // Java also reads spaces, suffixes and words.
            if ("0123456789.eE+-".indexOf(rest.charAt(i)) < 0) {
                return null;
            }
        }
        try {
            double value = Double.parseDouble(text);
            return Double.isInfinite(value) ? null : Double.valueOf(value);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** What a script or a score becomes as text for Redis: {@code %.17g}. */
    static String precise(double value) {
        return general(value, 17);
    }

    /** What Lua 5.1 makes of a number: {@code %.14g}. */
    static String lua(double value) {
        return general(value, 14);
    }

    /** {@code %.<digits>g} of C. */
    static String general(double value, int digits) {
        long whole = (long) value;
        if (whole == value && Math.abs(value) < EXACT && Math.abs(whole) < power(digits) && !isNegativeZero(value)) {
            return Long.toString(whole);
        }
        if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < digits) {
            String plain = rounded.toPlainString();
            return plain.indexOf('.') < 0 ? plain : withoutZeros(plain);
        }
        BigDecimal mantissa = rounded.scaleByPowerOfTen(-exponent);
        String plain = mantissa.toPlainString();
        return (plain.indexOf('.') < 0 ? plain : withoutZeros(plain)) + exponent(exponent);
    }

    /** {@code e+05}: a sign and at least two digits. */
    static String exponent(int exponent) {
        int size = Math.abs(exponent);
        return (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + size;
    }

    static String special(double value) {
        if (value == 0) {
            return isNegativeZero(value) ? "-0" : "0";
        }
        if (Double.isNaN(value)) {
            // Of what a script can come by, 0/0 is the usual one, and its sign is set on x86.
            return "-nan";
        }
        return value > 0 ? "inf" : "-inf";
    }

    private static boolean isNegativeZero(double value) {
        return value == 0 && 1 / value < 0;
    }

    private static long power(int digits) {
        long power = 1;
        for (int i = 0; i < digits; i++) {
            power *= 10;
        }
        return power;
    }

    private static String withoutZeros(String plain) {
        int end = plain.length();
        while (plain.charAt(end - 1) == '0') {
            end--;
        }
        return plain.substring(0, plain.charAt(end - 1) == '.' ? end - 1 : end);
    }
}
