/* SPDX-License-Identifier: Apache-2.0 */
/* dst = relu((src - mean) * root * scale + shift), the four lying alike over the loops of src and dst. */
#include "nd.h"
#include "apply_params.h"
#include "types.h"

SPEC_GETTER(src_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(flags, SPEC_FLAGS, 0)
SPEC_GETTER(apply_flags, SPEC_APPLY_FLAGS, 0)

static inline void finish(float16 x, gptr_t dst, long at, int n, bool stream) {
    if (apply_flags() & APPLY_RELU) x = x > 0.0f ? x : x * 0.0f;
    if (stream && n == 16) stream_16(x, dst, at, dst_dt());
    else store_v(x, dst, at, 1, n, dst_dt());
}

__kernel void norm_apply(gcptr_t src, gptr_t dst, __global const float *mean, __global const float *root,
        __global const float *scale, __global const float *shift, const apply_params_t p) {
    int pos[PAR_MAX_DIMS];
    const int last = p.nd.ndims - 1, how = apply_flags();
    const int begin = get_global_id(0) * p.nd.chunk, end = min((long)begin + p.nd.chunk, (long)p.nd.size[last]);
    const long step = p.stat_stride[last];
    const long item = get_global_id(1);
    long row = item * p.nd.rows_per_item;
    const long row_end = min(row + p.nd.rows_per_item, p.nd.nrows);
    const long size = dst_dt() == DT_F32 ? 4 : dst_dt() == DT_F16 || dst_dt() == DT_BF16 ? 2 : 1;
    nd_go_to(&p.nd, pos, last, row);
    NO_UNROLL for (; row < row_end; row++) {
        long at = 0, dst_at = 0, stat_at = 0;
        NO_UNROLL for (int d = 0; d < last; d++) {
            at += pos[d] * p.nd.src_stride[d];
            dst_at += pos[d] * p.nd.dst_stride[d];
            stat_at += pos[d] * p.stat_stride[d];
        }
        const bool stream =
                (flags() & SPECF_STREAM) && (((ulong)dst + (ulong)(dst_at + begin) * size) & (16 * size - 1)) == 0;
        if (step == 0) {
            const float m = mean[stat_at], b = how & APPLY_SHIFT ? shift[stat_at] : 0;
            const float a = root[stat_at] * (how & APPLY_SCALE ? scale[stat_at] : 1);
            NO_UNROLL for (int k = begin; k < end; k += 16) {
                const int n = min(16, end - k);
                const float16 x = load_v(src, at + k, 1, n, src_dt());
                finish(fma(x - m, (float16)a, (float16)b), dst, dst_at + k, n, stream);
            }
        } else {
            NO_UNROLL for (int k = begin; k < end; k += 16) {
                const int n = min(16, end - k);
                const long s = stat_at + k * step;
#define STAT(p) load_v((gcptr_t)(p), s, step, n, DT_F32)
                float16 x = (load_v(src, at + k, 1, n, src_dt()) - STAT(mean)) * STAT(root);
                if (how & APPLY_SCALE) x *= STAT(scale);
                if (how & APPLY_SHIFT) x += STAT(shift);
                finish(x, dst, dst_at + k, n, stream);
            }
        }
        nd_next(&p.nd, pos, last);
    }
}
