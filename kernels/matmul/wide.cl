/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows times weights that are stored row by row, for CPUs. The sums of a wide panel of
 * columns stay in the L1 cache, and the kernel reads the weights once, in long runs. */
#define VW 16
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "tile.h"

enum {
    STEP = 4,   /* rows of the weights that are added at a time */
    COPIED = 16 /* rows of the weights that are copied at a time */
};

/* sums[i][j] += products of the rows a[] and `step` rows of weights, one vector of columns after
 * the other. `step` is a constant where the function is inlined. */
static inline void add_products(float16 *sums, int vectors, __global const float *const *a,
        int rows, long a_at, long a_k, gcptr_t b, long b_at, long b_k, int step) {
    NO_UNROLL_FOR (int j = 0; j < vectors; j++, b_at += 16) {
        float16 bv[STEP];
        UNROLL_FOR (int s = 0; s < step; s++) bv[s] = load_16(b, b_at + s * b_k, wei_dt());
        NO_UNROLL_FOR (int i = 0; i < rows; i++) {
            float16 x = sums[i * vectors + j];
            UNROLL_FOR (int s = 0; s < step; s++) x = mad((float16)a[i][a_at + s * a_k], bv[s], x);
            sums[i * vectors + j] = x;
        }
    }
}

/* COPIED rows of weights: where they are, and a copy of them. */
typedef struct {
    gcptr_t b;
    long b_at, b_k;
    float16 *copy;
} rows_t;

/* The products of COPIED elements of one row. */
static inline void add_row(float16 *sum, int vectors, __global const float *a, long a_at, long a_k,
        const float16 *copy) {
    float16 x = *sum;
    UNROLL_FOR (int s = 0; s < COPIED; s++)
        x = mad((float16)a[a_at + s * a_k], copy[s * vectors], x);
    *sum = x;
}

/* The products of MR rows and NV vectors from number j on, whose sums stay in registers meanwhile.
 * The first of these tiles copies the weights that it reads, and asks for the next COPIED rows. */
static inline void add_tile(float16 *sums, int vectors, __global const float *const *a, long a_at,
        long a_k, const rows_t *w, int j0, bool is_first) {
    float16 x[MR][NV], *copy = w->copy + j0;
    sums += j0;
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) x[i][j] = sums[i * vectors + j];
    NO_UNROLL_FOR (int s = 0; s < COPIED; s++) {
        float16 bv[NV];
        if (is_first) {
            UNROLL_FOR (int j = 0; j < NV; j++) {
                const long at = w->b_at + s * w->b_k + (j0 + j) * 16;
                prefetch_16(w->b, at + COPIED * w->b_k, wei_dt());
                bv[j] = copy[s * vectors + j] = load_16(w->b, at, wei_dt());
            }
        } else {
            UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = copy[s * vectors + j];
        }
        UNROLL_FOR (int i = 0; i < MR; i++) {
            const float16 av = a[i][a_at + s * a_k];
            UNROLL_FOR (int j = 0; j < NV; j++) x[i][j] = mad(av, bv[j], x[i][j]);
        }
    }
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) sums[i * vectors + j] = x[i][j];
}

/* The products of all rows, of which there are MR or more. */
static inline void add_copied(float16 *sums, int vectors, __global const float *const *a, int rows,
        long a_at, long a_k, const rows_t *w) {
    const int whole = vectors / NV * NV;
    NO_UNROLL_FOR (int s = 0; s < COPIED; s++)
        NO_UNROLL_FOR (int j = whole; j < vectors; j++)
            w->copy[s * vectors + j] = load_16(w->b, w->b_at + s * w->b_k + j * 16, wei_dt());
    int height;
    NO_UNROLL_FOR (int i = 0; i < rows; i += height) {
        height = i + MR <= rows ? MR : 1;
        const int tiled = height == MR ? whole : 0;
        NO_UNROLL_FOR (int j = 0; j < tiled; j += NV)
            add_tile(sums + i * vectors, vectors, a + i, a_at, a_k, w, j, i == 0);
        NO_UNROLL_FOR (int r = i; r < i + height; r++)
            NO_UNROLL_FOR (int j = tiled; j < vectors; j++)
                add_row(sums + r * vectors + j, vectors, a[r], a_at, a_k, w->copy + j);
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void matmul_wide(
        __global const float *a_all, gcptr_t b, gptr_t c, const mm_tile_t t, PO_ARGS) {
    const long first_col = (long)get_group_id(1) * t.panel_width;
    const long row0 = (long)get_group_id(0) * t.panel_rows, z = get_group_id(2);
    const int rows = min((long)t.panel_rows, t.rows - row0), vectors = t.panel_width / 16;
    const int width = min((long)t.panel_width, t.n - first_col);
    /* The last panel is shifted to the left, so that it ends where the matrix ends. */
    const int shift = t.panel_width - width;
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    __global const float *a[MM_WIDE_ROWS];
    float16 sums[MM_WIDE_SUMS + 1], copy[MM_WIDE_VECTORS_COPIED * COPIED];

    seek_row(pos, &t, z * t.rows);
    pos[t.ndims - 2] = 0;
    long b_at = at(pos, t.b_stride, t.ndims) + first_col - shift;
    for (int i = 0; i < rows; i++) {
        seek_row(pos, &t, z * t.rows + row0 + i);
        a[i] = a_all + at(pos, t.a_stride, t.ndims);
    }
    NO_UNROLL_FOR (int i = 0; i < rows * vectors; i++) sums[i] = 0;
    int k = 0;
    /* With this many rows, the products between two loads keep the loads from overlapping. So
     * weights are prefetched, and copied when they are read first. */
    if (rows >= MM_WIDE_COPIED_FROM)
        for (; k + COPIED <= t.k; k += COPIED, b_at += COPIED * t.b_k) {
            const rows_t w = {b, b_at, t.b_k, copy};
            add_copied(sums, vectors, a, rows, k * t.a_k, t.a_k, &w);
        }
    for (; k + STEP <= t.k; k += STEP, b_at += STEP * t.b_k)
        add_products(sums, vectors, a, rows, k * t.a_k, t.a_k, b, b_at, t.b_k, STEP);
    for (; k < t.k; k++, b_at += t.b_k)
        add_products(sums, vectors, a, rows, k * t.a_k, t.a_k, b, b_at, t.b_k, 1);

    for (int i = 0; i < rows; i++) {
        seek_row(pos, &t, z * t.rows + row0 + i);
        po_seek(&ctx, &po, pos, t.ndims);
        const long row_at = at(pos, t.c_stride, t.ndims), col_stride = t.c_stride[t.ndims - 1];
        for (int j = 0; j < width; j += 16) {
            const int n = min(16, width - j);
            float16 x = vload16(0, (const float *)(sums + i * vectors) + shift + j);
            x = po_apply(x, &ctx, &po, first_col + j, n);
            store_v(x, c, row_at + (first_col + j) * col_stride, col_stride, n, dst_dt());
        }
    }
}
