/* SPDX-License-Identifier: Apache-2.0 */
/* dst = relu((src - mean) / sqrt(variance + epsilon) * scale + shift). The four statistics have the
 * same strides over the loops of src and dst. */
#include "io.h"
#include "strided.h"
#include "apply_params.h"
#include "types.h"

SPEC_GETTER(apply_flags, SPEC_APPLY_FLAGS, 0)

static inline bool apply_flag(int flag) {
    return (apply_flags() & flag) != 0;
}

/* (x - mean) * factor + shift */
typedef struct {
    float16 mean, factor, shift;
} affine_t;

static inline affine_t affine_of(__global const float *mean, __global const float *variance,
        __global const float *scale, __global const float *shift, long at, long step, int n,
        float epsilon) {
#define STAT(p) load_v((gcptr_t)(p), at, step, n, DT_F32)
    affine_t a;
    a.mean = STAT(mean);
    a.factor = 1.0f / sqrt(STAT(variance) + epsilon);
    if (apply_flag(APPLY_SCALE)) a.factor *= STAT(scale);
    a.shift = apply_flag(APPLY_SHIFT) ? STAT(shift) : (float16)0.0f;
    return a;
#undef STAT
}

static inline float16 apply(float16 x, affine_t a) {
    x = fma(x - a.mean, a.factor, a.shift);
    return apply_flag(APPLY_RELU) ? (x > 0.0f ? x : x * 0.0f) : x;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void norm_apply(gcptr_t src, gptr_t dst,
        __global const float *mean, __global const float *variance, __global const float *scale,
        __global const float *shift, const apply_params_t p) {
    int pos[PAR_MAX_DIMS];
    const int last = p.nd.ndims - 1;
    const int begin = get_group_id(0) * p.nd.chunk, len = min(p.nd.chunk, p.nd.size[last] - begin);
    long row = get_group_id(1) * (long)p.nd.rows_per_item;
    const long row_end = min(row + p.nd.rows_per_item, p.nd.nrows);
    const long size = dst_dt() == DT_F32 ? 4 : dst_dt() == DT_F16 || dst_dt() == DT_BF16 ? 2 : 1;
    affine_t along[APPLY_MAX_CHUNK / 16], one;
    long stat_before = -1;
    nd_go_to(&p.nd, pos, last, row);
    NO_UNROLL_FOR (; row < row_end; row++) {
        long at = begin, dst_at = begin, stat_at = 0;
        NO_UNROLL_FOR (int d = 0; d < last; d++) {
            at += pos[d] * p.nd.src_stride[d];
            dst_at += pos[d] * p.nd.dst_stride[d];
            stat_at += pos[d] * p.stat_stride[d];
        }
        if (stat_at != stat_before) {
            stat_before = stat_at;
            if (!apply_flag(APPLY_ALONG))
                one = affine_of(mean, variance, scale, shift, stat_at, 0, 16, p.epsilon);
            else
                NO_UNROLL_FOR (int k = 0; k < len; k += 16)
                    along[k / 16] = affine_of(mean, variance, scale, shift, stat_at + begin + k, 1,
                            min(16, len - k), p.epsilon);
        }
        const bool stream = (flags() & SPECF_STREAM) &&
                            (((ulong)dst + (ulong)dst_at * size) & (16 * size - 1)) == 0;
        int k = 0;
        for (; k + 16 <= len; k += 16) {
            const float16 x = apply(
                    load_16(src, at + k, src_dt()), apply_flag(APPLY_ALONG) ? along[k / 16] : one);
            if (stream) stream_16(x, dst, dst_at + k, dst_dt());
            else store_16(x, dst, dst_at + k, dst_dt());
        }
        if (k < len) {
            const float16 x = load_v(src, at + k, 1, len - k, src_dt());
            store_v(apply(x, apply_flag(APPLY_ALONG) ? along[k / 16] : one), dst, dst_at + k, 1,
                    len - k, dst_dt());
        }
        nd_next(&p.nd, pos, last);
    }
}
