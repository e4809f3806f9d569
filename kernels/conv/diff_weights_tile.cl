/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the weights of a convolution or deconvolution, for CPUs: the product of the
 * transposed gradient of the image that windows have positions in, and the columns of what they
 * read. A work-item sums a block of it over a share of the positions. It goes through the share in
 * chunks whose inputs fit into the nearest caches: it copies them to panels, and adds the product
 * to the sums, tile by tile, MR rows x (16 * NV) columns in registers. */
#define VW 16
#include "columns.h"
#include "diff_weights_params.h"

#define NR (16 * NV)
#define CHUNK CV_DIFF_CHUNK(NV)
#define VECTORS 4 /* of columns that are copied together: one panel or more */

SPEC_GETTER(image_dt, SPEC_SRC1_DT, DT_F32)

/* Copies channels of `count` positions from `first` on to panels of MR channels, position by
 * position. The stores overlap: what a vector has beyond MR channels is replaced by the next
 * position. */
static inline void pack_rows(__global float *to, gcptr_t out, int channel, int rows, long first,
        int count, const cv_diff_tile_t *p) {
    const bool floats = MR > 8 ? false : image_dt() == DT_F32;
    const long step = p->out.sp[2];
    for (int r = 0; r < rows; r += MR, channel += MR, to += CHUNK * MR) {
        /* The vectors of the last positions would reach beyond the image. */
        const long beyond = max(channel + (floats ? 8 : 16) - p->channels_of_out, 0);
        const int whole =
                (int)clamp(p->positions - first - (beyond + step - 1) / step, 0L, (long)count);
        long from = first * step + channel;
        int k = 0;
        if (floats) {
            for (; k < whole; k++, from += step)
                vstore8(vload8(0, (__global const float *)out + from), 0, to + k * MR);
        } else {
            for (; k < whole; k++, from += step)
                vstore16(load_16(out, from, image_dt()), 0, to + k * MR);
        }
        for (; k < count; k++, from += step)
            for (int i = 0; i < MR; i++)
                to[k * MR + i] = i < rows - r ? load_1(out, from + i, image_dt()) : 0;
    }
}

/* Copies columns up to `end` of `count` positions from `first` on to panels, VECTORS vectors at
 * most: what lies side by side in the image is read together. */
static inline void pack_columns(float *to, gcptr_t in, int g, int column, int end, long first,
        int count, const cv_diff_tile_t *p) {
    columns_t x[VECTORS];
    const int vectors = min((end - column + 15) / 16, VECTORS);
    for (int v = 0; v < vectors; v++)
        set_columns(
                &x[v], column + v * 16, p->columns, p->channels, g * p->channels, &p->in, &p->win);
    position_t position = seek_position(first, &p->win);
    for (int k = 0; k < count; k++, to += NR, next_position(&position, &p->win)) {
        for (int v = 0; v < vectors; v++)
            vstore16(gather(in, &position, &x[v], &p->in, &p->win), 0,
                    to + v / NV * CHUNK * NR + v % NV * 16);
        for (int v = vectors; v % NV; v++)
            vstore16((float16)0.0f, 0, to + v / NV * CHUNK * NR + v % NV * 16);
    }
}

/* Adds the product of two panels to height x width of the sums; begins: there are none yet. */
static inline void add_tile(__global float *sums, __global const float *a, const float *b,
        int count, int height, int width, bool begins, const cv_diff_tile_t *p) {
    float16 acc[MR][NV];
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = 0;
    for (int k = 0; k < count; k++, a += MR, b += NR) {
        float16 bv[NV];
        UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = vload16(j, b);
        UNROLL_FOR (int i = 0; i < MR; i++) {
            const float16 av = a[i];
            UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = mad(av, bv[j], acc[i][j]);
        }
    }
    /* The sums pass through memory, because the code for the ends is then compiled in only once. */
    float16 done[MR * NV];
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) done[i * NV + j] = acc[i][j];
    for (int i = 0; i < height; i++, sums += p->columns)
        for (int j = 0; j * 16 < width; j++) {
            const int n = min(16, width - j * 16);
            float16 x = done[i * NV + j];
            if (!begins) x += load_v((gcptr_t)sums, j * 16, 1, n, DT_F32);
            store_v(x, (gptr_t)sums, j * 16, 1, n, DT_F32);
        }
}

/* in: what windows slide over; out: a value for each position of a window; packed: room for the
 * panels of each work-group. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_diff_tile(gcptr_t in, gcptr_t out,
        __global float *sums, __global float *packed, const cv_diff_tile_t p) {
    float b[VECTORS * 16 * CHUNK];
    const long share = get_group_id(0), first = share * p.share,
               end = min(first + p.share, (long)p.positions);
    int block = get_group_id(1);
    packed += (share * get_num_groups(1) + block) * p.packed;
    const int first_column = block % p.column_blocks * p.columns_of_block,
              end_column = min(first_column + p.columns_of_block, p.columns);
    block /= p.column_blocks;
    const int first_row = block % p.row_blocks * p.rows_of_block,
              rows = min(p.rows_of_block, p.rows - first_row), g = block / p.row_blocks;
    sums += share * p.elements + ((long)g * p.rows + first_row) * p.columns;

    for (long at = first; at < end; at += p.chunk) {
        const int count = (int)min((long)p.chunk, end - at);
        pack_rows(packed, out, g * p.rows + first_row, rows, at, count, &p);
        for (int column = first_column; column < end_column; column += VECTORS * 16) {
            pack_columns(b, in, g, column, end_column, at, count, &p);
            const int end = min(column + VECTORS * 16, end_column);
            for (int c = column; c < end; c += NR)
                for (int r = 0; r < rows; r += MR)
                    add_tile(sums + (long)r * p.columns + c, packed + r * CHUNK,
                            b + (c - column) * CHUNK, count, min(MR, rows - r), min(NR, end - c),
                            at == first, &p);
        }
    }
}
