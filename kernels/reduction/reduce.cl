/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces any set of loops. Vectors lie along the last reduced loop, or, if SPEC_RED_ALONG_KEPT says so, along the last
 * kept one. */
#include "eltwise.h"
#include "reduce_params.h"

SPEC_GETTER(src_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(center_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(red_op, SPEC_RED_OP, RED_SUM)
SPEC_GETTER(red_finish, SPEC_RED_FINISH, RED_KEEP)
#if VW == 16
SPEC_GETTER(along_kept, SPEC_RED_ALONG_KEPT, 0)
#endif

static inline accv_t identity(void) {
    const int op = red_op();
    return V(op == RED_MAX ? -INFINITY : op == RED_MIN ? INFINITY : op == RED_MUL ? 1 : 0);
}

static inline accv_t join(int op, accv_t acc, accv_t x) {
    return op == RED_MAX ? fmax(acc, x) : op == RED_MIN ? fmin(acc, x) : op == RED_MUL ? acc * x : acc + x;
}

static inline accv_t accumulate(accv_t acc, accv_t x, accv_t center, float a) {
    const int op = red_op();
    if (op == RED_SUM_ABS) x = fabs(x);
    if (op == RED_SUM_SQUARE) return fma(x - center, x - center, acc);
    if (op == RED_SUM_POWER) x = power(fabs(x), a);
    if (op == RED_SUM_EXP) x = exp(x - center);
    return join(op, acc, x);
}

static inline accv_t finish(accv_t x, const reduce_params_t *p) {
    const int how = red_finish();
    if (how == RED_MEAN) return x / V(p->count);
    if (how == RED_LOG) return log(x);
    if (how == RED_ROOT_MAX) x = fmax(x, V(p->c));
    if (how == RED_ROOT_SUM) x = x + V(p->c);
    if (how == RED_ROOT_MAX || how == RED_ROOT_SUM)
        return p->b == 1 ? x : p->b == 0.5f ? sqrt(x) : power(x, p->b);
    return x;
}

#if VW == 16
/* The first n lanes of x, the others of old. */
static inline accv_t merge(accv_t x, accv_t old, int n) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return lane < n ? x : old;
}

/* All lanes joined, in every lane. */
static inline accv_t across(accv_t x) {
    const int op = red_op();
    x = join(op, x, x.s89abcdef01234567);
    x = join(op, x, x.s456789abcdef0123);
    x = join(op, x, x.s23456789abcdef01);
    return join(op, x, x.s123456789abcdef0);
}
#else
static inline accv_t merge(accv_t x, accv_t old, int n) { return n > 0 ? x : old; }
static inline accv_t across(accv_t x) { return x; }
#endif

/* A position of the reduced loops but the last one, and where it is in the source. */
typedef struct {
    int pos[PAR_MAX_DIMS];
    long at;
} walk_t;

static inline void walk_to(walk_t *w, const reduce_params_t *p, int n, long row) {
    w->at = 0;
    NO_UNROLL for (int d = n - 1; d >= 0; d--) {
        const int size = AT(p->reduced_size, PAR_MAX_DIMS, d, ), pos = row % size;
        row /= size;
        SET(w->pos, PAR_MAX_DIMS, d, pos);
        w->at += pos * AT(p->reduced_src, PAR_MAX_DIMS, d, );
    }
}

static inline void walk_on(walk_t *w, const reduce_params_t *p, int n) {
    EACH_DOWN(d, n, PAR_MAX_DIMS) {
        w->at += p->reduced_src[d];
        if (++w->pos[d] < p->reduced_size[d]) return;
        w->at -= p->reduced_size[d] * p->reduced_src[d];
        w->pos[d] = 0;
    }
}

/* Elements from .. to - 1 of the reduced loops, for the result whose source begins at `src_at`. */
static inline accv_t reduce_row(
        gcptr_t src, long src_at, const reduce_params_t *p, long from, long to, accv_t center) {
    const int last = p->nreduced - 1, len = AT(p->reduced_size, PAR_MAX_DIMS, last, );
    const long step = AT(p->reduced_src, PAR_MAX_DIMS, last, );
    accv_t acc[4];
    for (int i = 0; i < 4; i++) acc[i] = identity();
    walk_t w;
    walk_to(&w, p, last, from / len);
    int k = from % len;
    NO_UNROLL while (from < to) {
        const int end = min((long)k + to - from, (long)len);
        const long base = src_at + w.at;
        from += end - k;
#if VW == 16
        if (step == 1)
            NO_UNROLL for (; k + 64 <= end; k += 64)
                for (int i = 0; i < 4; i++)
                    acc[i] = accumulate(acc[i], load_16(src, base + k + 16 * i, src_dt()), center, p->a);
#endif
        NO_UNROLL for (; k < end; k += VW) {
            const int n = min(VW, end - k);
            acc[0] = merge(accumulate(acc[0], load_v(src, base + k * step, step, n, src_dt()), center, p->a), acc[0], n);
        }
        k = 0;
        walk_on(&w, p, last);
    }
    const int op = red_op();
    return across(join(op, join(op, acc[0], acc[1]), join(op, acc[2], acc[3])));
}

#if VW == 16
static inline void reduce_block(gcptr_t src, gptr_t dst, gcptr_t center, const reduce_params_t *p, long src_at,
        long dst_at, long center_at, long from, long to) {
    const int last = p->nkept - 1;
    const long step = p->kept_src[last], dst_step = p->kept_dst[last], center_step = p->kept_center[last];
    const int begin = get_global_id(2) * p->block, len = min(p->block, p->kept_size[last] - begin);
    const int full = step == 1 ? len / 16 : 0;
    src_at += begin * step;
    dst_at += begin * dst_step;
    center_at += begin * center_step;
    accv_t acc[RED_BLOCK_VECTORS], mid[RED_BLOCK_VECTORS];
    NO_UNROLL for (int v = 0; v * 16 < len; v++) {
        const int n = min(16, len - v * 16);
        acc[v] = identity();
        mid[v] = center ? load_v(center, center_at + v * 16 * center_step, center_step, n, center_dt()) : V(0);
    }
    walk_t w;
    walk_to(&w, p, p->nreduced, from);
    NO_UNROLL for (; from < to; from++) {
        const long base = src_at + w.at;
        int v = 0;
        NO_UNROLL for (; v < full; v++)
            acc[v] = accumulate(acc[v], load_16(src, base + v * 16, src_dt()), mid[v], p->a);
        NO_UNROLL for (; v * 16 < len; v++)
            acc[v] = accumulate(acc[v], load_v(src, base + v * 16 * step, step, min(16, len - v * 16), src_dt()),
                    mid[v], p->a);
        walk_on(&w, p, p->nreduced);
    }
    NO_UNROLL for (int v = 0; v * 16 < len; v++)
        store_v(finish(acc[v], p), dst, dst_at + v * 16 * dst_step, dst_step, min(16, len - v * 16), dst_dt());
}
#endif

__kernel void reduce(gcptr_t src, gptr_t dst, gcptr_t center, const reduce_params_t p) {
    const long chunk = get_global_id(1);
    const long from = chunk * p.chunk, to = min(from + p.chunk, p.total);
    long row = get_global_id(0) * (long)p.rows_per_item;
    const long row_end = min(row + p.rows_per_item, p.rows);
#if VW == 16
    const int nkept = p.nkept - (along_kept() != 0);
#else
    const int nkept = p.nkept;
#endif
    NO_UNROLL for (; row < row_end; row++) {
        long rest = row, src_at = 0, dst_at = chunk * p.chunk_dst, center_at = 0;
        NO_UNROLL for (int d = nkept - 1; d >= 0; d--) {
            const int pos = rest % AT(p.kept_size, PAR_MAX_DIMS, d, );
            rest /= AT(p.kept_size, PAR_MAX_DIMS, d, );
            src_at += pos * AT(p.kept_src, PAR_MAX_DIMS, d, );
            dst_at += pos * AT(p.kept_dst, PAR_MAX_DIMS, d, );
            center_at += pos * AT(p.kept_center, PAR_MAX_DIMS, d, );
        }
#if VW == 16
        if (along_kept()) {
            reduce_block(src, dst, center, &p, src_at, dst_at, center_at, from, to);
            continue;
        }
#endif
        const accv_t mid = center ? V(load_1(center, center_at, center_dt())) : V(0);
        store_v(finish(reduce_row(src, src_at, &p, from, to, mid), &p), dst, dst_at, 1, 1, dst_dt());
    }
}
