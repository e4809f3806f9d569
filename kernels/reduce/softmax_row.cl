/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax along contiguous rows. Only the first pass reads a row from memory; the second pass reads
 * it from the cache. The exponentials stay in the cache until their sum is known. */
#include "exp.h"
#include "io.h"
#include "rows.h"

SPEC_GETTER(is_log, SPEC_FIRST_FREE, 0)

__kernel void softmax_row(
        gcptr_t src, gptr_t dst, __global float *temp, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    const int last = p.ndims - 1, len = p.size[last];
    const long item = get_global_id(0);
    long row = item * p.rows_per_item;
    const long row_end = min(row + p.rows_per_item, p.nrows);
    temp += item * ((len + 15) & ~15);

    nd_go_to(&p, pos, last, row);
    NO_UNROLL_FOR (; row < row_end; row++) {
        long at = 0, dst_at = 0;
        NO_UNROLL_FOR (int d = 0; d < last; d++) {
            at += pos[d] * p.src_stride[d];
            dst_at += pos[d] * p.dst_stride[d];
        }
        float16 m[4];
        for (int i = 0; i < 4; i++) m[i] = -INFINITY;
        int k = 0;
        NO_UNROLL_FOR (; k + 64 <= len; k += 64)
            for (int i = 0; i < 4; i++) {
                const float16 x = load_16(src, at + k + 16 * i, src_dt());
                m[i] = x > m[i] ? x : m[i];
            }
        NO_UNROLL_FOR (; k < len; k += 16) {
            const int n = min(16, len - k);
            const float16 x = row_merge(row_load(src, at + k, n, src_dt()), m[0], n);
            m[0] = x > m[0] ? x : m[0];
        }
        for (int i = 1; i < 4; i++) m[0] = m[i] > m[0] ? m[i] : m[0];
        const float top = row_max(m[0]);

        float16 sum0 = 0, sum1 = 0;
        k = 0;
        NO_UNROLL_FOR (; k + 32 <= len; k += 32) {
            const float16 x0 = load_16(src, at + k, src_dt()) - top,
                          x1 = load_16(src, at + k + 16, src_dt()) - top;
            const float16 e0 = exp_nonpositive(x0), e1 = exp_nonpositive(x1);
            vstore16(is_log() ? x0 : e0, 0, temp + k);
            vstore16(is_log() ? x1 : e1, 0, temp + k + 16);
            sum0 += e0;
            sum1 += e1;
        }
        NO_UNROLL_FOR (; k < len; k += 16) {
            const int n = min(16, len - k);
            const float16 x = row_load(src, at + k, n, src_dt()) - top;
            const float16 e = row_merge(exp_nonpositive(x), (float16)0.0f, n);
            vstore16(is_log() ? x : e, 0, temp + k);
            sum0 += e;
        }
        const float sum = row_sum(sum0 + sum1);
        const float f = is_log() ? log(sum) : 1 / sum;

        po_seek(&ctx, &po, pos, last);
        const bool stream = (flags() & SPECF_STREAM) && row_aligned(dst, dst_at, dst_dt());
        NO_UNROLL_FOR (k = 0; k < len; k += 16) {
            const int n = min(16, len - k);
            float16 x = vload16(0, temp + k);
            x = is_log() ? x - f : x * f;
            x = po_apply(x, &ctx, &po, k, n);
            row_store(x, dst, dst_at + k, n, dst_dt(), stream);
        }
        nd_next(&p, pos, last);
    }
}
