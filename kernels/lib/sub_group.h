/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a sub-group as a whole: its number in its work-group, and a maximum. */
#ifndef KERNELS_SUB_GROUP_H
#define KERNELS_SUB_GROUP_H

/* The broadcast tells the compiler that all lanes have the same number. Without it the compiler
 * would keep everything that depends on the number (rows, positions, addresses) in vectors with one
 * element per lane. */
static inline uint sg_number(void) {
    return sub_group_broadcast(get_sub_group_id(), 0);
}

/* The maximum over the lanes, or NaN if a lane has a NaN. sub_group_reduce_max() of floats does not
 * say what it does with a NaN, so this one compares integers: the bits of a float, where those of
 * negative numbers are in reverse order and the NaN is above infinity. */
static inline float sg_maximum(float x) {
    const int bits = as_int(x == x ? x : NAN);
    const int most = sub_group_reduce_max(bits ^ (bits >> 31 & 0x7fffffff));
    return as_float(most ^ (most >> 31 & 0x7fffffff));
}

#endif
