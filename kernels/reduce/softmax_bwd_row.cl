/* SPDX-License-Identifier: Apache-2.0 */
/* Backward softmax along contiguous rows. The first pass reads a row of both tensors from memory,
 * the second one from the cache. diff_src may be in the place of diff_dst: an element is read, by
 * the same work-item, before it is written. */
#include "exp.h"
#include "io.h"
#include "rows.h"

SPEC_GETTER(is_log, SPEC_FIRST_FREE, 0)

/* The term of an element in the sum of its row. */
static inline float16 term(float16 dst, float16 diff) {
    return is_log() ? diff : dst * diff;
}

static inline float16 gradient(float16 dst, float16 diff, float sum) {
    if (!is_log()) return dst * (diff - sum);
    return diff - sum * (any(dst > 0.0f) ? exp(dst) : exp_nonpositive(dst));
}

__kernel void softmax_bwd_row(gcptr_t diff_dst, gptr_t diff_src, gcptr_t dst, const nd_params_t p) {
    int pos[PAR_MAX_DIMS];
    const int last = p.ndims - 1, len = p.size[last];
    long row = get_global_id(0) * (long)p.rows_per_item;
    const long row_end = min(row + p.rows_per_item, p.nrows);
    nd_go_to(&p, pos, last, row);
    NO_UNROLL_FOR (; row < row_end; row++) {
        long at = 0; /* in all three tensors */
        NO_UNROLL_FOR (int d = 0; d < last; d++) at += pos[d] * p.dst_stride[d];
        float16 acc[4];
        for (int i = 0; i < 4; i++) acc[i] = 0;
        int k = 0;
        NO_UNROLL_FOR (; k + 64 <= len; k += 64)
            for (int i = 0; i < 4; i++)
                acc[i] += term(load_16(dst, at + k + 16 * i, src_dt()),
                        load_16(diff_dst, at + k + 16 * i, src_dt()));
        NO_UNROLL_FOR (; k < len; k += 16) {
            const int n = min(16, len - k);
            acc[0] += term(
                    row_load(dst, at + k, n, src_dt()), row_load(diff_dst, at + k, n, src_dt()));
        }
        const float sum = row_sum(acc[0] + acc[1] + (acc[2] + acc[3]));

        const bool stream = (flags() & SPECF_STREAM) && row_aligned(diff_src, at, dst_dt());
        NO_UNROLL_FOR (k = 0; k < len; k += 16) {
            const int n = min(16, len - k);
            const float16 x = gradient(row_load(dst, at + k, n, src_dt()),
                    row_load(diff_dst, at + k, n, src_dt()), sum);
            row_store(x, diff_src, at + k, n, dst_dt(), stream);
        }
        nd_next(&p, pos, last);
    }
}
