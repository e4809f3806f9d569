/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the reductions share: how values are combined, and the reduction of a row of the
 * reduced loops. */
#ifndef KERNELS_REDUCE_H
#define KERNELS_REDUCE_H

#include "eltwise.h"
#include "io.h"
#include "reduce_params.h"
#if VW == 8
#include "sub_group.h"
#endif

SPEC_GETTER(center_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(red_op, SPEC_RED_OP, RED_SUM)
SPEC_GETTER(red_finish, SPEC_RED_FINISH, RED_KEEP)
#if VW != 1
SPEC_GETTER(along_kept, SPEC_RED_ALONG_KEPT, 0)
#endif

#if SUB_GROUP_VALUES
#define RED_STEP SG_TILE /* elements of a value */
typedef int red_pos_t;   /* longer loops use other variants */
/* Computes one component after the other to save registers. */
static inline accv_t POWER(accv_t x, float y) {
    NO_UNROLL_FOR (int n = 0; n < VW; n++) {
        float z = x[0];
        UNROLL_FOR (int j = 1; j < VW; j++) z = j == n ? x[j] : z;
        z = power(z, y);
        UNROLL_FOR (int j = 0; j < VW; j++) x[j] = j == n ? z : x[j];
    }
    return x;
}
#else
#define RED_STEP VW
typedef long red_pos_t; /* a position in a loop */
#define POWER power
#endif

static inline accv_t identity(void) {
    const int op = red_op();
    return V(op == RED_MAX ? -INFINITY : op == RED_MIN ? INFINITY : op == RED_MUL ? 1 : 0);
}

static inline accv_t join(int op, accv_t acc, accv_t x) {
    return op == RED_MAX   ? MAXIMUM(acc, x)
           : op == RED_MIN ? MINIMUM(acc, x)
           : op == RED_MUL ? acc * x
                           : acc + x;
}

static inline accv_t accumulate(accv_t acc, accv_t x, accv_t center, float a) {
    const int op = red_op();
    if (op == RED_SUM_ABS) x = fabs(x);
    if (op == RED_SUM_SQUARE) return fma(x - center, x - center, acc);
    if (op == RED_SUM_POWER) x = POWER(fabs(x), a);
    if (op == RED_SUM_EXP) x = exp(x - center);
    return join(op, acc, x);
}

static inline accv_t finish(accv_t x, const reduce_params_t *p) {
    const int how = red_finish();
    if (how == RED_MEAN) return x / V(p->count);
    if (how == RED_LOG) return log(x);
    if (how == RED_ROOT_MAX) x = x < V(p->c) ? V(p->c) : x;
    if (how == RED_ROOT_SUM) x = x + V(p->c);
    if (how == RED_ROOT_MAX || how == RED_ROOT_SUM)
        return p->b == 1 ? x : p->b == 0.5f ? sqrt(x) : POWER(x, p->b);
    return x;
}

#if VW == 16
/* The first n lanes of x, and the other lanes of old. */
static inline accv_t merge(accv_t x, accv_t old, int n) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return lane < n ? x : old;
}

#define RED_WHOLE
static inline accv_t load_whole(gcptr_t src, long i) {
    return load_16(src, i, src_dt());
}

/* Combines all lanes; every lane receives the result. */
static inline accv_t across(accv_t x, __local float *place) {
    const int op = red_op();
    (void)place;
    x = join(op, x, x.s89abcdef01234567);
    x = join(op, x, x.s456789abcdef0123);
    x = join(op, x, x.s23456789abcdef01);
    return join(op, x, x.s123456789abcdef0);
}
#elif SUB_GROUP_VALUES
static inline accv_t merge(accv_t x, accv_t old, int n) {
    if (n >= SG_TILE) return x;
    UNROLL_FOR (int j = 0; j < VW; j++) x[j] = SG_LANES * j + sg_lane() < n ? x[j] : old[j];
    return x;
}
#ifdef TARGET_GROUP
#define RED_WHOLE
/* Without a branch, so that several tiles are on their way at once. */
static inline accv_t load_whole(gcptr_t src, long i) {
    const int dt = src_dt();
    return sg_has_blocks(dt) ? sg_values(sg_block_bits(src, i, sg_element_size(dt)), dt)
                             : sg_load(src, i, SG_TILE, dt, 0);
}
#endif
static inline accv_t across(accv_t x, __local float *place) {
    const int op = red_op();
    const float4 a = (float4)(x[0], x[1], x[2], x[3]), b = (float4)(x[4], x[5], x[6], x[7]);
    const float4 c = op == RED_MAX   ? MAXIMUM(a, b)
                     : op == RED_MIN ? MINIMUM(a, b)
                     : op == RED_MUL ? a * b
                                     : a + b;
    if (op == RED_MAX) return sg_maximum(MAXIMUM(MAXIMUM(c.x, c.y), MAXIMUM(c.z, c.w)), place);
    if (op == RED_MIN) return -sg_maximum(-MINIMUM(MINIMUM(c.x, c.y), MINIMUM(c.z, c.w)), place);
    if (op != RED_MUL) return lanes_sum(c.x + c.y + (c.z + c.w), place);
    return lanes_product(c.x * c.y * (c.z * c.w), place);
}
#else
static inline accv_t merge(accv_t x, accv_t old, int n) {
    return n > 0 ? x : old;
}
static inline accv_t across(accv_t x, __local float *place) {
    (void)place;
    return x;
}
#endif

/* A position of the reduced loops and its offset in the source. */
typedef struct {
    red_pos_t pos[PAR_MAX_DIMS];
    long at;
} walk_t;

static inline void walk_to(walk_t *w, const reduce_params_t *p, int n, long row) {
    w->at = 0;
    NO_UNROLL_FOR (int d = n - 1; d >= 0; d--) {
        const red_pos_t size = AT(p->reduced_size, PAR_MAX_DIMS, d, ), pos = row % size;
        row /= size;
        SET(w->pos, PAR_MAX_DIMS, d, pos);
        w->at += pos * AT(p->reduced_src, PAR_MAX_DIMS, d, );
    }
}

static inline void walk_on(walk_t *w, const reduce_params_t *p, int n) {
    EACH_DOWN(d, n, PAR_MAX_DIMS) {
        w->at += p->reduced_src[d];
        if (++w->pos[d] < (red_pos_t)p->reduced_size[d]) return;
        w->at -= p->reduced_size[d] * p->reduced_src[d];
        w->pos[d] = 0;
    }
}

/* Reduces elements from .. to - 1 of the reduced loops. The source of the result begins
 * at `src_at`. `place` is for the lanes of sub-groups (sub_group.h). */
static inline accv_t reduce_row(gcptr_t src, long src_at, const reduce_params_t *p, long from,
        long to, accv_t center, __local float *place) {
    const int last = p->nreduced - 1;
    const red_pos_t len = AT(p->reduced_size, PAR_MAX_DIMS, last, );
    const long step = AT(p->reduced_src, PAR_MAX_DIMS, last, );
    accv_t acc[4];
    for (int i = 0; i < 4; i++) acc[i] = identity();
    walk_t w;
    walk_to(&w, p, last, from / len);
    red_pos_t k = from % len;
    NO_UNROLL_WHILE (from < to) {
        const red_pos_t end = min((long)k + to - from, (long)len);
        const long base = src_at + w.at;
        from += end - k;
#ifdef RED_WHOLE
        if (step == 1)
            NO_UNROLL_FOR (; k + 4 * RED_STEP <= end; k += 4 * RED_STEP)
                for (int i = 0; i < 4; i++)
                    acc[i] = accumulate(
                            acc[i], load_whole(src, base + k + RED_STEP * i), center, p->a);
#endif
        NO_UNROLL_FOR (; k < end; k += RED_STEP) {
            const int n = min((red_pos_t)RED_STEP, end - k);
            acc[0] = merge(accumulate(acc[0], load_v(src, base + k * step, step, n, src_dt()),
                                   center, p->a),
                    acc[0], n);
        }
        k = 0;
        walk_on(&w, p, last);
    }
    const int op = red_op();
    return across(join(op, join(op, acc[0], acc[1]), join(op, acc[2], acc[3])), place);
}

#endif
