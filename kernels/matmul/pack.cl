/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a matrix of any type and strides to panels of floats for tile.cl, and applies scales and
 * zero points that change along k. With SHORTS it converts bytes to 16-bit integers instead. */
#define VW 16
#include "matmul_params.h"
#include "pack.h"

/* Scales or zero points of n columns from (row, col) on. */
static inline float16 quant_values(
        gcptr_t ptr, const mm_quant_t *q, const mm_pack_t *p, int *pos, int row, int col, int n) {
    const int along = 1 - p->row_dim, step = q->stride[MM_DIMS - 2 + along];
    pos[MM_DIMS - 2 + p->row_dim] = row;
    pos[MM_DIMS - 2 + along] = col;
    if (q->group[along] == 1 || step == 0)
        return load_v(ptr, quant_at(q, MM_DIMS, pos), step, n, q->dt);
    union {
        float16 v;
        float s[16];
    } t;
    t.v = 0;
    NO_UNROLL_FOR (int i = 0; i < n; i++) {
        pos[MM_DIMS - 2 + along] = col + i;
        t.s[i] = load_1(ptr, quant_at(q, MM_DIMS, pos), q->dt);
    }
    return t.v;
}

static inline float16 dequantize(float16 x, const mm_pack_t *p, int *pos, int row, int col,
        gcptr_t scale, gcptr_t zero, float zero_host) {
    const int n = min(16, p->cols - col);
    if (n <= 0) return x;
    if (mm_flag(MMF_ZB)) {
        const float16 z =
                zero ? quant_values(zero, &p->zero, p, pos, row, col, n) : (float16)zero_host;
        x = first_lanes(x - z, n, 16);
    }
    if (mm_flag(MMF_SB)) x *= quant_values(scale, &p->scale, p, pos, row, col, n);
    return x;
}

#ifdef SHORTS
typedef short packed_t;
/* Stores a row by itself, or interleaved with the row that forms a pair with it. */
static inline void put(float16 x, const mm_pack_t *p, int row, __global short *dst) {
    const short16 v = convert_short16(x);
    if (!p->pairs) {
        vstore16(v, 0, dst + row * p->dst_row);
        return;
    }
    union {
        short16 v;
        short s[16];
    } t;
    t.v = v;
    dst += row / 2 * p->dst_row;
    const bool last = row + 1 == p->rows && row % 2 == 0;
    for (int i = 0; i < 16; i++) {
        dst[2 * i + row % 2] = t.s[i];
        if (last) dst[2 * i + 1] = 0;
    }
}
#else
typedef float packed_t;
static inline void put(float16 x, const mm_pack_t *p, int row, __global float *dst) {
    vstore16(x, 0, dst + row * p->dst_row);
}
#endif

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void matmul_pack(gcptr_t src,
        __global packed_t *dst, const mm_pack_t p, gcptr_t scale, gcptr_t zero, int zero_host) {
    int pos[MM_DIMS];
    const int col = get_group_id(0) * 16;
    const int width = min(16, p.cols - col);
    const long z = get_group_id(2);
    dst += z * p.dst_batch + (long)(get_group_id(0) / p.nv) * p.dst_panel +
           (get_group_id(0) % p.nv) * (p.pairs ? 32 : 16);
    const long from = seek_matrix(pos, z, &p) + col * p.src_col;

    int row = get_group_id(1) * p.rows_per_item;
    const int end = min(row + p.rows_per_item, p.rows);
    if (p.src_row == 1 && p.src_col != 1) { /* the source is transposed: tiles of 16 x 16 */
        for (; row + 16 <= end; row += 16) {
            float t[16][16];
            for (int i = 0; i < 16; i++) {
                float16 x = 0;
                if (i < width) x = load_16(src, from + i * p.src_col + row, src_dt());
                vstore16(x, 0, t[i]);
            }
            for (int r = 0; r < 16; r++) {
                float16 x = {t[0][r], t[1][r], t[2][r], t[3][r], t[4][r], t[5][r], t[6][r], t[7][r],
                        t[8][r], t[9][r], t[10][r], t[11][r], t[12][r], t[13][r], t[14][r],
                        t[15][r]};
                x = dequantize(x, &p, pos, row + r, col, scale, zero, zero_host);
                put(x, &p, row + r, dst);
            }
        }
    }
    for (; row < end; row++) {
        float16 x = 0;
        if (width > 0) x = load_v(src, from + row * p.src_row, p.src_col, width, src_dt());
        x = dequantize(x, &p, pos, row, col, scale, zero, zero_host);
        put(x, &p, row, dst);
    }
}
