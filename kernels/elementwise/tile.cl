/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src), where the source is contiguous along the second last axis and the
 * destination along the last one. The kernel transposes tiles of 16 x 16, so that loads and stores
 * use whole cache lines. */
#include "io.h"
#include "strided.h"
#include "postops.h"

/* A range of an axis: it begins at `begin`, the logical tensor ends at `valid`, and the destination
 * ends at `stop`. */
typedef struct {
    int begin, valid, stop;
} range_t;

static inline range_t axis_range(
        const nd_params_t *p, const int *pos, int axis, int begin, int chunk) {
    range_t r = {begin, min((long)begin + chunk, (long)p->size[axis]), 0};
    r.stop = r.valid;
    if (flags() & SPECF_PADDED) {
        r.stop = elements_within(p, p->skip, pos, axis, r.stop);
        r.valid = elements_within(p, p->limit, pos, axis, r.valid);
    }
    return r;
}

__kernel void tile(__global const uchar *src, __global uchar *dst, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    int axis_k = p.ndims - 1, axis_a = p.ndims - 2;
    long row = (long)get_global_id(2) * p.rows_per_item,
         row_end = min(row + p.rows_per_item, p.nrows);
    long src_step = p.src_stride[axis_k], dst_step = p.dst_stride[axis_a];
    union {
        float16 v[16];
        float s[16][16];
    } t;

    nd_go_to(&p, pos, axis_a, row);
    NO_UNROLL_FOR (; row < row_end; row++) {
        long src_at = 0, dst_at = 0;
        NO_UNROLL_FOR (int d = 0; d < axis_a; d++) {
            src_at += pos[d] * p.src_stride[d];
            dst_at += pos[d] * p.dst_stride[d];
        }
        pos[axis_a] = 0;
        range_t along_k = axis_range(&p, pos, axis_k, get_global_id(0) * p.chunk, p.chunk);
        range_t along_a = axis_range(&p, pos, axis_a, get_global_id(1) * p.chunk2, p.chunk2);
        NO_UNROLL_FOR (int a0 = along_a.begin; a0 < along_a.stop; a0 += 16) {
            int na = min(16, along_a.stop - a0), va = clamp(along_a.valid - a0, 0, na);
            NO_UNROLL_FOR (int k0 = along_k.begin; k0 < along_k.stop; k0 += 16) {
                int nk = min(16, along_k.stop - k0), vk = clamp(along_k.valid - k0, 0, nk);
                NO_UNROLL_FOR (int k = 0; k < vk; k++)
                    t.v[k] = load_v(src, src_at + a0 + (k0 + k) * src_step, 1, va, src_dt());
                NO_UNROLL_FOR (int a = 0; a < na; a++) {
                    accv_t x = V(0);
                    int n = a < va ? vk : 0;
                    if (n > 0) {
                        x = (float16)(t.s[0][a], t.s[1][a], t.s[2][a], t.s[3][a], t.s[4][a],
                                t.s[5][a], t.s[6][a], t.s[7][a], t.s[8][a], t.s[9][a], t.s[10][a],
                                t.s[11][a], t.s[12][a], t.s[13][a], t.s[14][a], t.s[15][a]);
                        pos[axis_a] = a0 + a;
                        po_seek(&ctx, &po, pos, axis_k);
                        x = po_apply(x, &ctx, &po, k0, n);
                    }
                    store_v(first_lanes(x, n, nk), dst, dst_at + (a0 + a) * dst_step + k0, 1, nk,
                            dst_dt());
                }
            }
        }
        nd_next(&p, pos, axis_a);
    }
}
