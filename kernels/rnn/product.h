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
    const long bytes = dt == DT_F32 ? 4 : 2;
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
    const long bytes = dt == DT_F32 ? 4 : 2;
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

/* One row times STREAMS panels: memory is faster in several streams. */
enum { STREAMS = 4 };
static inline void multiply_streams(
        accv_t *to, gcptr_t a, int dt, const panel_t *panel, int count) {
    accv_t sum[STREAMS];
    UNROLL_FOR (int s = 0; s < STREAMS; s++) sum[s] = V(0);
    for (int k = 0; k < count; k++) {
        const accv_t x = V(load_1(a, k, dt));
        UNROLL_FOR (int s = 0; s < STREAMS; s++)
            sum[s] = mad(x, vload16(0, panel[s] + k * 16L), sum[s]);
    }
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
    const long bytes = dt == DT_F32 ? 4 : 2;
    gcptr_t from = a + b->row * f->a_row * bytes;
    if (b->rows == 1) {
        multiply_row(products, from, u, dt, f, vector, vectors, first, gates);
        return;
    }
    NO_UNROLL_FOR (int g = first; g < first + gates; g++)
        multiply_rows(products + g * RNN_BLOCK, from, f->a_row, dt,
                (panel_t)u + g * f->u_gate + vector * f->u_vector, f->k, b->rows);
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

/* Parts of the sums of `rows` rows, which is a constant where the function is inlined. */
static inline void add_parts(__local float *to, gcptr_t a, long a_at, gcptr_t u, long u_at, int dt,
        const rnn_factor_t *f, int gates, int rows, int last) {
    const int lane = get_local_id(0), part = get_local_id(1);
    accv_t sum[4 * RNN_ROWS];
    UNROLL_FOR (int i = 0; i < 4 * rows; i++) sum[i] = 0;
    __attribute__((opencl_unroll_hint(4))) for (int k = part; k < f->k; k += RNN_PARTS) {
        float x[RNN_ROWS];
        UNROLL_FOR (int i = 0; i < rows; i++)
            x[i] = load_1(a, a_at + min(i, last) * f->a_row + k, dt);
        UNROLL_FOR (int g = 0; g < 4; g++) {
            if (g >= gates) continue;
            const float w = load_1(u, u_at + k * f->u_k + g * f->u_gate, weights_dt());
            UNROLL_FOR (int i = 0; i < rows; i++)
                sum[g * rows + i] = mad(x[i], w, sum[g * rows + i]);
        }
    }
    UNROLL_FOR (int g = 0; g < 4; g++)
        UNROLL_FOR (int i = 0; i < rows; i++)
            to[((g * RNN_ROWS + i) * RNN_PARTS + part) * RNN_GROUP + lane] = sum[g * rows + i];
}

static inline void multiply_block(accv_t *products, gcptr_t a, gcptr_t u, int dt,
        const rnn_factor_t *f, const block_t *b, int vector, int vectors, int first, int gates) {
    const int lane = get_local_id(0);
    const long a_at = (b->row - b->below) * f->a_row,
               u_at = first * f->u_gate + vector * f->u_vector;
    (void)vectors;
    if (b->last == 0) add_parts(b->sums, a, a_at, u, u_at, dt, f, gates, 1, 0);
    else add_parts(b->sums, a, a_at, u, u_at, dt, f, gates, RNN_ROWS, b->last);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL_FOR (int g = 0; g < 4; g++) {
        float total = 0;
        NO_UNROLL_FOR (int i = 0; i < RNN_PARTS; i++)
            total += b->sums[((g * RNN_ROWS + b->below) * RNN_PARTS + i) * RNN_GROUP + lane];
        if (g < gates) products[first + g] = total;
    }
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
