/* SPDX-License-Identifier: Apache-2.0 */
/* Backward layer normalization and RMS normalization of contiguous rows. The first pass reads a row
 * of both tensors from memory, the second one from the cache. diff_src may be in the place of
 * diff_dst: an element is read, by the same work-item, before it is written.
 *
 * Each work-item adds up the gradients of scale and shift over its rows; a later step adds up those
 * sums. */
#include "io.h"
#include "layer_params.h"
#include "rows.h"

SPEC_GETTER(weights_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(layer_flags, SPEC_LAYER_FLAGS, 0)
SPEC_GETTER(data_dt, SPEC_LAYER_DATA_DT, DT_F32)

static inline float16 scaled(float16 diff, gcptr_t scale, int k, int n) {
    return layer_flags() & LAYER_SCALE ? diff * row_load(scale, k, n, weights_dt()) : diff;
}

/* Sums over a row of g, and of g * (src - mean). */
typedef struct {
    float plain, centred;
} sums_t;

static inline sums_t row_sums(
        gcptr_t diff, gcptr_t src, gcptr_t scale, long at, int len, float mean) {
    float16 plain[2] = {0, 0}, centred[2] = {0, 0};
    sums_t s;
    int k = 0;
    NO_UNROLL_FOR (; k + 32 <= len; k += 32)
        for (int i = 0; i < 2; i++) {
            const int c = k + 16 * i;
            const float16 g = scaled(load_16(diff, at + c, src_dt()), scale, c, 16);
            plain[i] += g;
            centred[i] = fma(g, load_16(src, at + c, data_dt()) - mean, centred[i]);
        }
    NO_UNROLL_FOR (; k < len; k += 16) {
        const int n = min(16, len - k); /* g is 0 in the lanes after them */
        const float16 g = scaled(row_load(diff, at + k, n, src_dt()), scale, k, n),
                      x = row_load(src, at + k, n, data_dt()) - mean;
        plain[0] += g;
        centred[0] = fma(g, row_merge(x, (float16)0.0f, n), centred[0]);
    }
    s.plain = row_sum(plain[0] + plain[1]);
    s.centred = row_sum(centred[0] + centred[1]);
    return s;
}

static inline void add_to(__global float *sums, float16 x, bool is_first) {
    vstore16(is_first ? x : vload16(0, sums) + x, 0, sums);
}

__kernel void layer_bwd_row(gcptr_t diff_dst, gptr_t diff_src, gcptr_t src,
        __global const float *means, __global const float *variances, gcptr_t scale,
        __global float *scale_sums, __global float *shift_sums, const layer_params_t p) {
    int pos[PAR_MAX_DIMS];
    const int last = p.nd.ndims - 1, len = p.nd.size[last], how = layer_flags();
    const long item = get_global_id(0), first_row = item * p.nd.rows_per_item;
    const long row_end = min(first_row + p.nd.rows_per_item, p.nd.nrows);
    const long sums_at = item * ((len + 15) & ~15);
    nd_go_to(&p.nd, pos, last, first_row);
    NO_UNROLL_FOR (long row = first_row; row < row_end; row++) {
        long at = 0, stat_at = 0; /* at: in all three tensors */
        NO_UNROLL_FOR (int d = 0; d < last; d++) {
            at += pos[d] * p.nd.dst_stride[d];
            stat_at += pos[d] * p.stat_stride[d];
        }
        const float mean = how & LAYER_RMS ? 0 : means[stat_at];
        const float f = 1 / sqrt(variances[stat_at] + p.epsilon);
        float offset = 0, slope = 0;
        if (!(how & LAYER_GIVEN)) {
            const sums_t s = row_sums(diff_dst, src, scale, at, len, mean);
            if (!(how & LAYER_RMS)) offset = s.plain / len;
            slope = s.centred * f / len;
        }
        const bool stream = (flags() & SPECF_STREAM) && row_aligned(diff_src, at, dst_dt());
        NO_UNROLL_FOR (int k = 0; k < len; k += 16) {
            const int n = min(16, len - k);
            const float16 diff = row_load(diff_dst, at + k, n, src_dt()),
                          x_hat = (row_load(src, at + k, n, data_dt()) - mean) * f;
            if (how & LAYER_SCALE_SUMS)
                add_to(scale_sums + sums_at + k, diff * x_hat, row == first_row);
            if (how & LAYER_SHIFT_SUMS) add_to(shift_sums + sums_at + k, diff, row == first_row);
            const float16 g = scaled(diff, scale, k, n);
            row_store((g - offset - x_hat * slope) * f, diff_src, at + k, n, dst_dt(), stream);
        }
        nd_next(&p.nd, pos, last);
    }
}
