/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels that show whether, how often and in which order they ran. */

kernel void set(global uint *x, uint value) {
    x[get_global_id(0)] = value;
}

kernel void increment(global uint *x) {
    x[get_global_id(0)] += 1;
}

/* Not commutative: the result tells the order. */
kernel void append_digit(global ulong *x, uint digit) {
    x[0] = x[0] * 10 + digit;
}

kernel void count(global uint *x) {
    atomic_inc(x);
}

/* Counts the groups that meet another one: x[0] groups have begun. They wait for a while. */
kernel void meet(global uint *x) {
    atomic_inc(x);
    uint here = 1;
    for (uint i = 0; here < 2 && i < 100000000; i++) here = atomic_add(x, 0);
    if (here > 1) atomic_inc(x + 1);
}

/* Long, and cannot be folded away. */
kernel void spin(global uint *x, uint rounds) {
    uint v = x[0];
    for (uint i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u + (i & x[1]);
    x[0] = v;
}

/* x[plane][row]: a row has a work-item of its own. */
kernel void count_rows(global uchar *x, uint rows) {
    x[get_global_id(2) * rows + get_global_id(1)] += 1;
}

kernel void copy_bytes(global uchar *to, global const uchar *from) {
    to[get_global_id(0)] = from[get_global_id(0)];
}
