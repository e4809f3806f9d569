/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue of every primitive: scales, zero points, bias and post-ops, which are applied to a
 * value before it is stored.
 *
 * A kernel has PO_ARGS as its last arguments and calls
 *
 *     po_ctx_t ctx = PO_CTX;                once
 *     po_seek(&ctx, &po, pos, ndims);       once per row; pos is the position of its first element
 *     x = po_apply(x, &ctx, &po, k, n);     for elements k .. k + n - 1 of the row (last axis)
 *
 * For several rows, po_apply_rows() takes the place of the last call.
 *
 * A kernel should call po_apply() in one place only, because the compiler inlines all the
 * operations at each call. */
#ifndef KERNELS_POSTOPS_H
#define KERNELS_POSTOPS_H

#include "eltwise.h"
#include "params.h"
#if !SUB_GROUP_VALUES
#include "random.h"
#endif

SPEC_GETTER(po_count, SPEC_PO_COUNT, 0)
SPEC_GETTER(po_dts, SPEC_PO_DTS, -1)
SPEC_GETTER(po_nsrcs, SPEC_PO_NSRCS, PO_MAX_SRCS)

#define PO_ARGS                                                                                    \
    __global uchar *po0, __global uchar *po1, __global uchar *po2, __global uchar *po3,            \
            __global uchar *po4, __global uchar *po5, __global uchar *po6, __global uchar *po7,    \
            float ph0, float ph1, float ph2, float ph3, float ph4, float ph5, const po_params_t po
#define PO_POINTERS_AND_VALUES po0, po1, po2, po3, po4, po5, po6, po7, ph0, ph1, ph2, ph3, ph4, ph5
#if VW == 16
#define PO_CTX {PO_POINTERS_AND_VALUES, {0}}
#else
#define PO_CTX po_context(PO_POINTERS_AND_VALUES)
#endif

typedef struct {
    gptr_t p0, p1, p2, p3, p4, p5, p6, p7;
    float h0, h1, h2, h3, h4, h5;
    long base[PO_MAX_SRCS];
} po_ctx_t;

#if VW != 16
/* An initialiser would put the zeros into a constant of the module, in memory that the driver must
 * fill before the first launch. */
static inline po_ctx_t po_context(gptr_t p0, gptr_t p1, gptr_t p2, gptr_t p3, gptr_t p4, gptr_t p5,
        gptr_t p6, gptr_t p7, float h0, float h1, float h2, float h3, float h4, float h5) {
    po_ctx_t c;
    c.p0 = p0, c.p1 = p1, c.p2 = p2, c.p3 = p3, c.p4 = p4, c.p5 = p5, c.p6 = p6, c.p7 = p7;
    c.h0 = h0, c.h1 = h1, c.h2 = h2, c.h3 = h3, c.h4 = h4, c.h5 = h5;
    EACH (s, po_nsrcs(), PO_MAX_SRCS) c.base[s] = 0;
    return c;
}
#endif

#define PO_ENTRY(e, field) AT(po->entry, po_count(), e, .field)
#define PO_SRC(s, field) AT(po->src, po_nsrcs(), s, .field)
#define PO_BASE(s) AT(c->base, po_nsrcs(), s, )

static inline gptr_t po_ptr(const po_ctx_t *c, int i) {
    int n = po_nsrcs();
    if (n > 1 && i == 1) return c->p1;
    if (n > 2 && i == 2) return c->p2;
    if (n > 3 && i == 3) return c->p3;
    if (n > 4 && i == 4) return c->p4;
    if (n > 5 && i == 5) return c->p5;
    if (n > 6 && i == 6) return c->p6;
    if (n > 7 && i == 7) return c->p7;
    return c->p0;
}

/* Kernels that define LARGE_STRIDES support strides of 64 bits; the plan says whether it uses
 * them. */
#ifdef LARGE_STRIDES
#define PO_STRIDE(s, field)                                                                        \
    (po_dts() & PO_LARGE                                                                           \
                    ? (long)(uint)PO_SRC(s, field) |                                               \
                              (long)AT(po->src, PO_MAX_SRCS, (s) + PO_MAX_LARGE, .field) << 32     \
                    : PO_SRC(s, field))
#define PO_TYPES (po_dts() & ~PO_LARGE)
#else
#define PO_STRIDE(s, field) PO_SRC(s, field)
#define PO_TYPES po_dts()
#endif

/* The loop handles one source at a time. All sources at once would need a register for each stride
 * and each product. */
static inline void po_seek(po_ctx_t *c, const po_params_t *po, const int *pos, int ndims) {
    NO_UNROLL_FOR (int s = 0; s < po_nsrcs(); s++) {
        long base = 0;
        EACH (d, ndims, PAR_MAX_DIMS) base += (long)pos[d] * PO_STRIDE(s, stride[d]);
        SET(c->base, PO_MAX_SRCS, s, base);
    }
}

/* Moves from the row of po_seek() to the row that is `rows` further along an axis. Kernels whose
 * tiles occupy most registers use it in loops over the rows of a tile. */
static inline void po_advance(po_ctx_t *c, const po_params_t *po, int axis, long rows) {
    EACH (s, po_nsrcs(), PO_MAX_SRCS)
        c->base[s] += rows * AT(po->src[s].stride, PAR_MAX_DIMS, axis, );
}

/* Loads elements of one of the types that occur in the epilogue. */
#define PO_SMALL_DTS                                                                               \
    (1u << DT_F8_E5M2 | 1u << DT_F8_E4M3 | 1u << DT_S4 | 1u << DT_U4 | 1u << DT_E8M0 |             \
            1u << DT_F4_E2M1)
static inline accv_t po_load(gcptr_t p, long i, long stride, int n, int dt) {
    uint dts = PO_TYPES;
    if ((dts & (dts - 1)) == 0) /* the type is then a constant */
        dt = dts == 1u << DT_F32    ? DT_F32
             : dts == 1u << DT_F16  ? DT_F16
             : dts == 1u << DT_BF16 ? DT_BF16
             : dts == 1u << DT_S32  ? DT_S32
             : dts == 1u << DT_S8   ? DT_S8
             : dts == 1u << DT_U8   ? DT_U8
             : dts == 1u << DT_F64  ? DT_F64
                                    : dt;
#define PO_LOAD_AS(type)                                                                           \
    if ((dts >> type & 1) && dt == type) return load_v(p, i, stride, n, type)
    PO_LOAD_AS(DT_F32);
    PO_LOAD_AS(DT_F16);
    PO_LOAD_AS(DT_BF16);
    PO_LOAD_AS(DT_S32);
    PO_LOAD_AS(DT_S8);
    PO_LOAD_AS(DT_U8);
#ifdef USE_F64
    PO_LOAD_AS(DT_F64);
#endif
#undef PO_LOAD_AS
    if (dts & PO_SMALL_DTS) return load_v(p, i, stride, n, dt); /* one copy for all */
    return 0;
}

static inline float po_host(const po_ctx_t *c, uint src) {
    const uint h = src & 7;
    return h == 0   ? c->h0
           : h == 1 ? c->h1
           : h == 2 ? c->h2
           : h == 3 ? c->h3
           : h == 4 ? c->h4
                    : c->h5;
}

static inline accv_t po_value(const po_ctx_t *c, const po_params_t *po, uint src, long k, int n) {
    if (src & PO_HOST_SRC) return V(po_host(c, src));
    long stride = PO_STRIDE(src, vec_stride);
    return po_load(po_ptr(c, src), PO_BASE(src) + k * stride, stride, n, PO_SRC(src, dt));
}

/* The same from a tensor whose stride along k is 1. */
static inline accv_t po_dense_value(
        const po_ctx_t *c, const po_params_t *po, uint src, long k, int n) {
    return po_load(po_ptr(c, src), PO_BASE(src) + k, 1, n, PO_SRC(src, dt));
}

/* Loads an integer that the operations do not compute with: a seed or an offset. */
static inline ulong po_integer(const po_ctx_t *c, uint src, bool is_short) {
    if (src & PO_HOST_SRC)
        return as_uint(po_host(c, src)) | (ulong)as_uint(po_host(c, src + 1)) << 32;
    gptr_t p = po_ptr(c, src);
    return is_short ? (ulong)(long)*(__global const int *)p : *(__global const ulong *)p;
}

#if SUB_GROUP_VALUES /* the variants for sub-groups have no random numbers */
#define PO_RANDOM false
#define po_dropout(x, ...) (x)
#define po_round(x, ...) (x)
#else
#define PO_RANDOM true
static inline accv_t po_dropout(
        accv_t x, const po_ctx_t *c, const po_params_t *po, int e, long k, int n) {
    const uint code = PO_ENTRY(e, code), where = code >> 8 & 255, from = code >> 16 & 255;
    const uint flags = as_uint(PO_ENTRY(e, c));
    const long stride = PO_STRIDE(where, vec_stride), at = PO_BASE(where) + k * stride;
    const long first = at + (long)(as_uint(PO_ENTRY(e, a)) | (ulong)as_uint(PO_ENTRY(e, b)) << 32);
    const ulong seed = po_integer(c, code >> 24, (flags & DROP_SHORT_SEED) != 0);
    const float p =
            from & PO_HOST_SRC ? po_host(c, from) : *(__global const float *)po_ptr(c, from);
    const randv_t r = flags & DROP_OFFSET
                              ? random_at(first, stride, n, seed, po_integer(c, flags >> 8, false))
                              : random_short(first, stride, n, (uint)seed);
    const randv_t least = drop_threshold(p);
    if (flags & DROP_MASK) {
        gptr_t mask = po_ptr(c, where);
#if VW == 16
        union {
            uint16 v;
            uint s[16];
        } kept;
        kept.v = as_uint16(r > least) & 1;
        NO_UNROLL_FOR (int i = 0; i < n; i++) mask[at + i * stride] = kept.s[i];
#else
        mask[at] = r > least;
#endif
    }
    return r > least ? x * V(p != 1 ? (acc_t)1 / ((acc_t)1 - p) : (acc_t)0) : V(0);
}

static inline accv_t po_round(
        accv_t x, const po_ctx_t *c, const po_params_t *po, int e, long k, int n) {
    const uint code = PO_ENTRY(e, code), where = code >> 8 & 255;
    const long stride = PO_STRIDE(where, vec_stride);
    const uint seed = (uint)po_integer(c, code >> 16 & 255, true);
    const randv_t r = random_at(PO_BASE(where) + k * stride, stride, n, seed, 0);
    return round_randomly(x, r, as_uint(PO_ENTRY(e, c)), PO_ENTRY(e, a), PO_ENTRY(e, b));
}

#endif

/* Applies the epilogue to elements k .. k + n - 1 of the row that po_seek() selected. */
static inline accv_t po_apply(accv_t x, const po_ctx_t *c, const po_params_t *po, long k, int n) {
    NO_UNROLL_FOR (int e = 0; e < po_count(); e++) {
        uint code = PO_ENTRY(e, code);
        int op = code & 255;
        if (po_mask_lo() != 0 && (po_mask_hi() == 0 || op < OP_BINARY_FIRST)) {
            x = V(PO_ENTRY(e, a)) * eltwise_fwd(op, x, PO_ENTRY(e, b), PO_ENTRY(e, c));
            continue;
        }
        if (PO_RANDOM && OP_IS(OP_DROPOUT, op)) {
            x = po_dropout(x, c, po, e, k, n);
            continue;
        }
        if (PO_RANDOM && OP_IS(OP_ROUND_RANDOMLY, op)) {
            x = po_round(x, c, po, e, k, n);
            continue;
        }
        accv_t y = po_value(c, po, code >> 8 & 255, k, n);
        if (op_used(OP_BIT_SCALED) && code >> 24 != PO_NO_SRC)
            y *= po_value(c, po, code >> 24, k, n);
        if (OP_IS(OP_SUM, op)) x += V(PO_ENTRY(e, a)) * (y - V(PO_ENTRY(e, b)));
        else if (OP_IS(OP_SELECT, op)) x = po_value(c, po, code >> 16 & 255, k, n) != V(0) ? x : y;
        else x = binary_fwd(op, x, y);
    }
    return x;
}

#if VW == 16
/* What po_seek() finds, for one row of several. */
typedef struct {
    long of[PO_MAX_SRCS];
} po_base_t;

static inline void po_keep(po_base_t *row, const po_ctx_t *c) {
    for (int s = 0; s < po_nsrcs(); s++) row->of[s] = c->base[s];
}

static inline void po_select(po_ctx_t *c, const po_base_t *row) {
    for (int s = 0; s < po_nsrcs(); s++) c->base[s] = row->of[s];
}

/* Applies the epilogue to elements k .. k + n - 1 of `rows` rows: to all of them entry by entry, so
 * that an entry is looked at once. Rows that have an operand in common load it once. A kernel calls
 * this or po_apply(). */
static inline void po_apply_rows(accv_t *x, int rows, const po_base_t *base, po_ctx_t *ctx,
        const po_params_t *po, long k, int n) {
    NO_UNROLL_FOR (int e = 0; e < po_count(); e++) {
        const uint code = PO_ENTRY(e, code), src = code >> 8 & 255, factor = code >> 24;
        const int op = code & 255;
        const float a = PO_ENTRY(e, a), b = PO_ENTRY(e, b), c = PO_ENTRY(e, c);
        const bool is_scaled = op_used(OP_BIT_SCALED) && factor != PO_NO_SRC;
        accv_t y = 0;
        NO_UNROLL_FOR (int i = 0; i < rows; i++) {
            if (po_mask_lo() != 0 && (po_mask_hi() == 0 || op < OP_BINARY_FIRST)) {
                x[i] = V(a) * eltwise_fwd(op, x[i], b, c);
                continue;
            }
            po_select(ctx, &base[i]);
            if (OP_IS(OP_DROPOUT, op)) {
                x[i] = po_dropout(x[i], ctx, po, e, k, n);
                continue;
            }
            if (OP_IS(OP_ROUND_RANDOMLY, op)) {
                x[i] = po_round(x[i], ctx, po, e, k, n);
                continue;
            }
            const bool is_same = i > 0 && !is_scaled &&
                                 (src & PO_HOST_SRC || base[i].of[src] == base[i - 1].of[src]);
            if (!is_same) y = po_value(ctx, po, src, k, n);
            if (is_scaled) y *= po_value(ctx, po, factor, k, n);
            if (OP_IS(OP_SUM, op)) x[i] += V(a) * (y - V(b));
            else if (OP_IS(OP_SELECT, op))
                x[i] = po_value(ctx, po, code >> 16 & 255, k, n) != V(0) ? x[i] : y;
            else x[i] = binary_fwd(op, x[i], y);
        }
    }
}
#endif

#endif
