package io.holdfast.redis;

import redis.clients.jedis.util.JedisClusterCRC16;

/** The slots of a cluster. */
final class Slots {
    static final int COUNT = 16_384;

    private Slots() {}

    /** The slot of a key. */
    static int of(String key) {
        return JedisClusterCRC16.getSlot(key);
    }

    /** What to put into braces so that a key is in the slot: the smallest number that is. Never to be changed. */
    static String tag(int slot) {
        return Integer.toString(Tags.SMALLEST[slot]);
    }

    /** Made when first needed, in a few milliseconds. */
    private static final class Tags {
        static final int[] SMALLEST = smallest();

        private static int[] smallest() {
            int[] smallest = new int[COUNT];
            boolean[] known = new boolean[COUNT];
            int left = COUNT;
            for (int number = 0; left > 0; number++) {
                int slot = of(Integer.toString(number));
                if (!known[slot]) {
                    known[slot] = true;
                    smallest[slot] = number;
                    left--;
                }
            }
            return smallest;
        }
    }
}
