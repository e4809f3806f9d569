/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a sub-group of 16 lanes as a whole: its number in its work-group, the number of
 * sub-groups, and reductions over the lanes.
 *
 * With TARGET_GROUP a sub-group is 16 work-items that lie next to each other in a work-group of one
 * dimension. Its lanes exchange values through local memory, so that all work-items of the
 * work-group must execute the same reductions. */
#ifndef KERNELS_SUB_GROUP_H
#define KERNELS_SUB_GROUP_H

#ifdef TARGET_GROUP
#define SG_KERNEL __kernel

enum { LANES_MAX_ITEMS = 1024 }; /* work-items of a work-group */

/* Declares what reductions over lanes need, at the beginning of a kernel. Every reduction may use
 * the same one. */
#define LANES_PLACE(name) __local float name[LANES_MAX_ITEMS]

static inline uint sg_number(void) {
    return get_local_id(0) / 16;
}
static inline uint sg_count(void) {
    return get_local_size(0) / 16;
}
static inline uint sg_own_lane(void) {
    return get_local_id(0) % 16;
}

/* All lanes combine the values in the same order, so that they have the same result. */
#define LANES_REDUCE(name, type, as_type_of, as_float_of, op)                                      \
    static inline type name(type x, __local float *place) {                                        \
        const uint item = get_local_id(0);                                                         \
        __local const float *own = place + (item & ~15u);                                          \
        place[item] = as_float_of(x);                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        type all = as_type_of(own[0]);                                                             \
        for (int i = 1; i < 16; i++) all = op(all, as_type_of(own[i]));                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        return all;                                                                                \
    }
#define LANES_PLUS(x, y) ((x) + (y))
#define LANES_TIMES(x, y) ((x) * (y))
LANES_REDUCE(lanes_sum, float, , , LANES_PLUS)
LANES_REDUCE(lanes_product, float, , , LANES_TIMES)
LANES_REDUCE(lanes_max, float, , , fmax)
LANES_REDUCE(lanes_max_int, int, as_int, as_float, max)
LANES_REDUCE(lanes_min_int, int, as_int, as_float, min)
#else
#define SG_KERNEL __attribute__((intel_reqd_sub_group_size(16))) __kernel
#define LANES_PLACE(name) __local float *const name = 0

/* The broadcast tells the compiler that all lanes have the same number. Without it the compiler
 * would keep everything that depends on the number (rows, positions, addresses) in vectors with one
 * element per lane. */
static inline uint sg_number(void) {
    return sub_group_broadcast(get_sub_group_id(), 0);
}
static inline uint sg_count(void) {
    return get_num_sub_groups();
}
static inline uint sg_own_lane(void) {
    return get_sub_group_local_id();
}

#define LANES_REDUCE(name, type, reduce)                                                           \
    static inline type name(type x, __local float *place) {                                        \
        (void)place;                                                                               \
        return reduce(x);                                                                          \
    }
LANES_REDUCE(lanes_sum, float, sub_group_reduce_add)
LANES_REDUCE(lanes_max, float, sub_group_reduce_max)
LANES_REDUCE(lanes_max_int, int, sub_group_reduce_max)
LANES_REDUCE(lanes_min_int, int, sub_group_reduce_min)
static inline float lanes_product(float x, __local float *place) {
    (void)place;
    for (uint far = 1; far < 16; far *= 2)
        x *= as_float(intel_sub_group_shuffle(as_int(x), sg_own_lane() ^ far));
    return x;
}
#endif

/* The maximum over the lanes, or NaN if a lane has a NaN. sub_group_reduce_max() of floats does not
 * say what it does with a NaN, so this one compares integers: the bits of a float, where those of
 * negative numbers are in reverse order and the NaN is above infinity. */
static inline float sg_maximum(float x, __local float *place) {
    const int bits = as_int(x == x ? x : NAN);
    const int most = lanes_max_int(bits ^ (bits >> 31 & 0x7fffffff), place);
    return as_float(most ^ (most >> 31 & 0x7fffffff));
}

#endif
