/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalization and RMS normalization of contiguous rows. The first pass reads a row from
 * memory, and the later passes read it from the cache. */
#include "io.h"
#include "layer_params.h"
#include "rows.h"

SPEC_GETTER(weights_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(layer_flags, SPEC_LAYER_FLAGS, 0)

/* The sum over a row of x - mean, or of (x - mean)^2 if `square` is set. */
static inline float row_moment(gcptr_t src, long at, int len, float mean, bool square) {
    float16 acc[4];
    for (int i = 0; i < 4; i++) acc[i] = 0;
    int k = 0;
    NO_UNROLL_FOR (; k + 64 <= len; k += 64)
        for (int i = 0; i < 4; i++) {
            const float16 x = load_16(src, at + k + 16 * i, src_dt()) - mean;
            acc[i] = square ? fma(x, x, acc[i]) : acc[i] + x;
        }
    NO_UNROLL_FOR (; k < len; k += 16) {
        const int n = min(16, len - k);
        const float16 x = row_merge(row_load(src, at + k, n, src_dt()) - mean, (float16)0.0f, n);
        acc[0] = square ? fma(x, x, acc[0]) : acc[0] + x;
    }
    return row_sum(acc[0] + acc[1] + (acc[2] + acc[3]));
}

__kernel void layer_row(gcptr_t src, gptr_t dst, __global float *means, __global float *variances,
        gcptr_t scale, gcptr_t shift, const layer_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    const int last = p.nd.ndims - 1, len = p.nd.size[last], how = layer_flags();
    long row = get_global_id(0) * (long)p.nd.rows_per_item;
    const long row_end = min(row + p.nd.rows_per_item, p.nd.nrows);
    nd_go_to(&p.nd, pos, last, row);
    NO_UNROLL_FOR (; row < row_end; row++) {
        long at = 0, dst_at = 0, stat_at = 0;
        NO_UNROLL_FOR (int d = 0; d < last; d++) {
            at += pos[d] * p.nd.src_stride[d];
            dst_at += pos[d] * p.nd.dst_stride[d];
            stat_at += pos[d] * p.stat_stride[d];
        }
        float mean = 0, variance;
        if (how & LAYER_GIVEN) {
            if (!(how & LAYER_RMS)) mean = means[stat_at];
            variance = variances[stat_at];
        } else {
            if (!(how & LAYER_RMS)) mean = row_moment(src, at, len, 0, false) / len;
            variance = row_moment(src, at, len, mean, true) / len;
        }
        if (how & LAYER_SAVE) {
            if (!(how & LAYER_RMS)) means[stat_at] = mean;
            variances[stat_at] = variance;
        }
        const float f = 1 / sqrt(variance + p.epsilon);
        po_seek(&ctx, &po, pos, last);
        const bool stream = (flags() & SPECF_STREAM) && row_aligned(dst, dst_at, dst_dt());
        NO_UNROLL_FOR (int k = 0; k < len; k += 16) {
            const int n = min(16, len - k);
            float16 x = (row_load(src, at + k, n, src_dt()) - mean) * f;
            if (how & LAYER_SCALE) x *= row_load(scale, k, n, weights_dt());
            if (how & LAYER_SHIFT) x += row_load(shift, k, n, weights_dt());
            x = po_apply(x, &ctx, &po, k, n);
            row_store(x, dst, dst_at + k, n, dst_dt(), stream);
        }
        nd_next(&p.nd, pos, last);
    }
}
