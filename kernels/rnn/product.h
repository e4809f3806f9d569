/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a time step in the kernel that uses them. */
#ifndef KERNELS_RNN_PRODUCT_H
#define KERNELS_RNN_PRODUCT_H

#include "rnn.h"

/* The rows of a work-item, and its vectors of channels, `step` at a time. */
typedef struct {
    int row, rows, vector, end, step;
    bool finishes; /* computes the pointwise part, too */
#if VW == 1
    __local float *sums; /* of the work-group */
    int below, last;     /* of the work-group's rows: number of this one, and of the last */
#endif
} block_t;

/* RNN_BLOCK: products of a gate that a work-item has at the same time, for several rows or for
 * several vectors of one. */
#if VW == 16
#define RNN_BLOCK RNN_CPU_ROWS

typedef __global const float *panel_t;

/* to[i] = the sum over k of a[i][k] * panel[k] for `rows` rows, which is a constant where the
 * function is inlined. Few rows have `parts` sums each, so that additions do not wait for one
 * another. */
static inline void multiply_tile(
        accv_t *to, gcptr_t a, long a_row, int dt, panel_t panel, int count, int rows, int parts) {
    const long bytes = rnn_bytes(dt);
    gcptr_t at[MR];
    accv_t sum[2 * MR];
    UNROLL_FOR (int i = 0; i < rows; i++) at[i] = a + i * a_row * bytes;
    UNROLL_FOR (int i = 0; i < rows * parts; i++) sum[i] = V(0);
    int k = 0;
    for (; k + parts <= count; k += parts) {
        UNROLL_FOR (int s = 0; s < parts; s++) {
            const accv_t b = vload16(0, panel + (k + s) * 16L);
            UNROLL_FOR (int i = 0; i < rows; i++)
                sum[i * parts + s] = mad(V(load_1(at[i], k + s, dt)), b, sum[i * parts + s]);
        }
    }
    for (; k < count; k++)
        UNROLL_FOR (int i = 0; i < rows; i++)
            sum[i * parts] =
                    mad(V(load_1(at[i], k, dt)), vload16(0, panel + k * 16L), sum[i * parts]);
    UNROLL_FOR (int i = 0; i < rows; i++) {
        accv_t x = sum[i * parts];
        UNROLL_FOR (int s = 1; s < parts; s++) x += sum[i * parts + s];
        to[i] = x;
    }
}

/* Tiles of nearly the same height, MR rows at most. */
static inline void multiply_rows(
        accv_t *to, gcptr_t a, long a_row, int dt, panel_t panel, int count, int rows) {
    const long bytes = rnn_bytes(dt);
    const int tiles = (rows + MR - 1) / MR;
    int row = 0;
    NO_UNROLL_FOR (int tile = 0; tile < tiles; tile++) {
        const int height = (rows - row + tiles - tile - 1) / (tiles - tile);
        gcptr_t from = a + row * a_row * bytes;
        accv_t *done = to + row;
        switch (height) {
        case 1: multiply_tile(done, from, a_row, dt, panel, count, 1, 4); break;
        case 2: multiply_tile(done, from, a_row, dt, panel, count, 2, 4); break;
        case 3: multiply_tile(done, from, a_row, dt, panel, count, 3, 2); break;
        case 4: multiply_tile(done, from, a_row, dt, panel, count, 4, 1); break;
        case 5: multiply_tile(done, from, a_row, dt, panel, count, 5, 1); break;
        default: multiply_tile(done, from, a_row, dt, panel, count, 6, 1); break;
        }
        row += height;
    }
}

/* An exact sum of integers becomes one of any length. */
static inline accv_t add_exact(accv_t to, accv_t sum, bool is_first) {
    const int16 x = convert_int16(sum);
    return as_float16(is_first ? x : x + as_int16(to));
}

/* The same for 8-bit integers. */
static inline void multiply_int_rows(
        accv_t *to, gcptr_t a, long a_row, int dt, panel_t panel, int count, int rows) {
    accv_t part[RNN_BLOCK];
    NO_UNROLL_FOR (int k = 0; k < count; k += RNN_EXACT) {
        multiply_rows(
                part, a + k, a_row, dt, panel + k * 16L, min(count - k, (int)RNN_EXACT), rows);
        NO_UNROLL_FOR (int i = 0; i < rows; i++) to[i] = add_exact(to[i], part[i], k == 0);
    }
    NO_UNROLL_FOR (int i = 0; count == 0 && i < rows; i++) to[i] = V(0);
}

/* One row times STREAMS panels: memory is faster in several streams. */
enum { STREAMS = 4 };
static inline void multiply_streams(
        accv_t *to, gcptr_t a, int dt, const panel_t *panel, int count) {
    accv_t sum[STREAMS];
    UNROLL_FOR (int s = 0; s < STREAMS; s++) sum[s] = to[s] = V(0);
    for (int k0 = 0; k0 < count; k0 += RNN_EXACT) {
        const int end = rnn_has(RNN_INT8) ? min(count, k0 + (int)RNN_EXACT) : count;
        for (int k = k0; k < end; k++) {
            const accv_t x = V(load_1(a, k, dt));
            UNROLL_FOR (int s = 0; s < STREAMS; s++)
                sum[s] = mad(x, vload16(0, panel[s] + k * 16L), sum[s]);
        }
        if (!rnn_has(RNN_INT8)) break;
        UNROLL_FOR (int s = 0; s < STREAMS; s++) {
            to[s] = add_exact(to[s], sum[s], k0 == 0);
            sum[s] = V(0);
        }
    }
    if (!rnn_has(RNN_INT8))
        UNROLL_FOR (int s = 0; s < STREAMS; s++) to[s] = sum[s];
}

/* The products of one row for `vectors` vectors: products[gate * RNN_BLOCK + vector]. */
static inline void multiply_row(accv_t *products, gcptr_t a, gcptr_t u, int dt,
        const rnn_factor_t *f, int vector, int vectors, int first, int gates) {
    panel_t panel[STREAMS];
    accv_t done[STREAMS];
    UNROLL_FOR (int s = 0; s < STREAMS; s++) {
        const int v = min(s / gates, vectors - 1);
        panel[s] = (panel_t)u + (first + s % gates) * f->u_gate + (vector + v) * f->u_vector;
    }
    multiply_streams(done, a, dt, panel, f->k);
    NO_UNROLL_FOR (int s = 0; s < vectors * gates; s++)
        products[(first + s % gates) * RNN_BLOCK + s / gates] = done[s];
}

/* products[gate * RNN_BLOCK + i] for `gates` gates from `first` on: i counts the rows, or the
 * vectors of one row. */
static inline void multiply_block(accv_t *products, gcptr_t a, gcptr_t u, int dt,
        const rnn_factor_t *f, const block_t *b, int vector, int vectors, int first, int gates) {
    gcptr_t from = a + b->row * f->a_row * rnn_bytes(dt);
    if (b->rows == 1) {
        multiply_row(products, from, u, dt, f, vector, vectors, first, gates);
        return;
    }
    NO_UNROLL_FOR (int g = first; g < first + gates; g++) {
        accv_t *to = products + g * RNN_BLOCK;
        panel_t panel = (panel_t)u + g * f->u_gate + vector * f->u_vector;
        if (rnn_has(RNN_INT8)) multiply_int_rows(to, from, f->a_row, dt, panel, f->k, b->rows);
        else multiply_rows(to, from, f->a_row, dt, panel, f->k, b->rows);
    }
}

static inline void find_block(block_t *b, const rnn_cell_t *p, const rnn_factor_t *f, int gates) {
    b->row = get_group_id(1) * f->block;
    b->rows = min(f->block, p->rows - b->row);
    b->vector = get_group_id(0) * p->vectors;
    b->end = min(b->vector + p->vectors, (p->channels + VW - 1) / VW);
    b->step = b->rows == 1 ? STREAMS / gates : 1;
    b->finishes = true;
}
#define DECLARE_SUMS(b)
#else
#define RNN_BLOCK 1

SPEC_GETTER(weights_dt, SPEC_RNN_WEIGHTS_DT, DT_F32)

/* Work-groups have RNN_ROWS rows and RNN_GROUP channels. RNN_PARTS work-items add parts of the
 * sums of a channel; the first of them finish a row each. */
#define DECLARE_SUMS(b)                                                                            \
    __local float sums[4 * RNN_ROWS * RNN_PARTS * RNN_GROUP];                                      \
    (b).sums = sums

/* One row or four, of which those beyond the last repeat it; `at`: bytes from the first. */
static inline float load_one(gcptr_t a, long4 at, int dt) {
    (void)at;
    return load_1(a, 0, dt);
}

static inline float4 load_four(gcptr_t a, long4 at, int dt) {
    return (float4)(load_1(a, 0, dt), load_1(a + at.y, 0, dt), load_1(a + at.z, 0, dt),
            load_1(a + at.w, 0, dt));
}

static inline void put_one(float x, __local float *to, int i) {
    to[RNN_ROWS * i] = x;
}

static inline void put_four(float4 x, __local float *to, int i) {
    vstore4(x, i, to);
}

/* How a work-item walks from its first k on, in bytes. */
typedef struct {
    gcptr_t a, u;
    long4 rows;
    long u_gate, u_k;
} walk_t;

/* Parts of the sums of one row or four. Variables instead of an array stay in registers with
 * compilers that unroll loops late. The first turn is the one in which not all work-items have a
 * k, so that the loop is the same for all. */
#define ADD_TURN(rows_t, load)                                                                     \
    do {                                                                                           \
        const rows_t x = load(w.a, w.rows, dt);                                                    \
        s0 = mad(x, (rows_t)(load_1(w.u, 0, weights_dt())), s0);                                   \
        if (gates > 1) s1 = mad(x, (rows_t)(load_1(w.u + w.u_gate, 0, weights_dt())), s1);         \
        if (gates > 2) s2 = mad(x, (rows_t)(load_1(w.u + 2 * w.u_gate, 0, weights_dt())), s2);     \
        if (gates > 3) s3 = mad(x, (rows_t)(load_1(w.u + 3 * w.u_gate, 0, weights_dt())), s3);     \
    } while (0)
#define DEFINE_ADD(add_parts, rows_t, load, put)                                                   \
    static inline void add_parts(__local float *to, walk_t w, int dt, int count, int gates) {      \
        const int lane = get_local_id(0), part = get_local_id(1), first = count % RNN_PARTS;       \
        const int to_gate = RNN_PARTS * RNN_GROUP, at = part * RNN_GROUP + lane;                   \
        const long a_k = rnn_bytes(dt);                                                            \
        rows_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                     \
        if (part < first) ADD_TURN(rows_t, load);                                                  \
        w.a += first * a_k;                                                                        \
        w.u += first * w.u_k;                                                                      \
        NO_UNROLL_FOR (int k = first; k < count; k += RNN_PARTS) {                                 \
            ADD_TURN(rows_t, load);                                                                \
            w.a += RNN_PARTS * a_k;                                                                \
            w.u += RNN_PARTS * w.u_k;                                                              \
        }                                                                                          \
        put(s0, to, at);                                                                           \
        if (gates > 1) put(s1, to, to_gate + at);                                                  \
        if (gates > 2) put(s2, to, 2 * to_gate + at);                                              \
        if (gates > 3) put(s3, to, 3 * to_gate + at);                                              \
    }
DEFINE_ADD(add_one, float, load_one, put_one)
DEFINE_ADD(add_four, float4, load_four, put_four)

static inline walk_t find_walk(gcptr_t a, gcptr_t u, int dt, const rnn_factor_t *f,
        const block_t *b, int vector, int first, int k) {
    const int part = get_local_id(1);
    const long a_bytes = rnn_bytes(dt), u_bytes = rnn_bytes(weights_dt()), row0 = b->row - b->below;
    walk_t w;
    w.a = a + (row0 * f->a_row + k + part) * a_bytes;
    w.u = u + (first * f->u_gate + vector * f->u_vector + (k + part) * f->u_k) * u_bytes;
    w.rows = min((long4)(0, 1, 2, 3), (long4)(b->last)) * (f->a_row * a_bytes);
    w.u_gate = f->u_gate * u_bytes;
    w.u_k = f->u_k * u_bytes;
    return w;
}

/* The sum of a gate's parts for a row. Parts of integers are exact. */
static inline float sum_of_parts(const block_t *b, int gate) {
    const int at = gate * RNN_PARTS * RNN_GROUP + get_local_id(0);
    float total = 0;
    int exact = 0;
    NO_UNROLL_FOR (int i = 0; i < RNN_PARTS; i++) {
        const float part = b->sums[RNN_ROWS * (at + i * RNN_GROUP) + b->below];
        if (rnn_has(RNN_INT8)) exact += (int)part;
        else total += part;
    }
    return rnn_has(RNN_INT8) ? as_float(exact) : total;
}

/* Sums of integers are divided along k, so that floats hold the parts. */
static inline void multiply_block(accv_t *products, gcptr_t a, gcptr_t u, int dt,
        const rnn_factor_t *f, const block_t *b, int vector, int vectors, int first, int gates) {
    const int longest = rnn_has(RNN_INT8) ? RNN_EXACT * RNN_PARTS : INT_MAX;
    int k = 0;
    (void)vectors;
    do {
        const walk_t w = find_walk(a, u, dt, f, b, vector, first, k);
        const int count = min(f->k - k, longest);
        if (k) barrier(CLK_LOCAL_MEM_FENCE);
        if (b->last == 0) add_one(b->sums, w, dt, count, gates);
        else add_four(b->sums, w, dt, count, gates);
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL_FOR (int g = 0; g < 4; g++) {
            if (g >= gates) continue;
            const float sum = sum_of_parts(b, g);
            products[first + g] = k ? as_float(as_int(products[first + g]) + as_int(sum)) : sum;
        }
        k += count;
    } while (k < f->k);
}

/* Work-items beyond the last channel repeat it, because all of a group meet at the barrier. */
static inline void find_block(block_t *b, const rnn_cell_t *p, const rnn_factor_t *f, int gates) {
    const int channel = get_group_id(0) * RNN_GROUP + get_local_id(0),
              row0 = get_group_id(1) * RNN_ROWS;
    (void)f, (void)gates;
    b->last = min(RNN_ROWS, p->rows - row0) - 1;
    b->below = min((int)get_local_id(1), b->last);
    b->row = row0 + b->below;
    b->rows = b->step = 1;
    b->vector = min(channel, p->channels - 1);
    b->end = b->vector + 1;
    b->finishes = channel < p->channels && (int)get_local_id(1) <= b->last;
}
#endif

#endif
