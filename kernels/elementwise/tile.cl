/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src), where the source is contiguous along the second last axis and the
 * destination along the last one. The kernel transposes tiles of 16 x 16, so that loads and stores
 * use whole cache lines. */
#include "io.h"
#include "rows.h"
#include "square.h"

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

/* Loads rows of a square, of which nk and na elements exist in the two directions; the others
 * are 0. Whole squares prefetch what is AHEAD elements away. */
static inline void load_turned(float16 *t, gcptr_t src, long from, long step, int nk, int na) {
    enum { AHEAD = 64 };
    if (min(nk, na) == 16) {
        UNROLL_FOR (int k = 0; k < 16; k++) {
            prefetch_16(src, from + k * step + AHEAD, src_dt());
            t[k] = load_16(src, from + k * step, src_dt());
        }
    } else {
        NO_UNROLL_FOR (int k = 0; k < 16; k++)
            t[k] = k < nk ? load_v(src, from + k * step, 1, na, src_dt()) : V(0);
    }
    square_turn(t);
}

__kernel void tile(__global const uchar *src, __global uchar *dst, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    int axis_k = p.ndims - 1, axis_a = p.ndims - 2;
    long row = (long)get_global_id(2) * p.rows_per_item,
         row_end = min(row + p.rows_per_item, p.nrows);
    long src_step = p.src_stride[axis_k], dst_step = p.dst_stride[axis_a];
    float16 t[16];

    /* It follows long lines of the source, because CPUs read ahead there. Short ones lie next to
     * each other: it follows the lines of the destination. */
    const bool lines = p.chunk2 > TILE_SHORT_LINE;
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
        const int tiles_a = (along_a.stop - along_a.begin + 15) / 16,
                  tiles_k = (along_k.stop - along_k.begin + 15) / 16;
        NO_UNROLL_FOR (int i = 0; i < (lines ? tiles_k : tiles_a); i++) {
            NO_UNROLL_FOR (int j = 0; j < (lines ? tiles_a : tiles_k); j++) {
                const int k0 = along_k.begin + (lines ? i : j) * 16,
                          a0 = along_a.begin + (lines ? j : i) * 16;
                const int nk = min(16, along_k.stop - k0), vk = clamp(along_k.valid - k0, 0, nk);
                const int na = min(16, along_a.stop - a0), va = clamp(along_a.valid - a0, 0, na);
                const long from = src_at + a0 + k0 * src_step, to = dst_at + a0 * dst_step + k0;
                load_turned(t, src, from, src_step, vk, va);
                const bool stream = (flags() & SPECF_STREAM) && row_aligned(dst, to, dst_dt()) &&
                                    row_aligned(dst, to + dst_step, dst_dt());
                if (po_count() == 0 && na == 16) {
                    UNROLL_FOR (int a = 0; a < 16; a++)
                        row_store(t[a], dst, to + a * dst_step, nk, dst_dt(), stream);
                    continue;
                }
                NO_UNROLL_FOR (int a = 0; a < na; a++) {
                    const int n = a < va ? vk : 0;
                    accv_t x = t[a];
                    if (n > 0) {
                        pos[axis_a] = a0 + a;
                        po_seek(&ctx, &po, pos, axis_k);
                        x = po_apply(x, &ctx, &po, k0, n);
                    }
                    row_store(first_lanes(x, n, nk), dst, to + a * dst_step, nk, dst_dt(), stream);
                }
            }
        }
        nd_next(&p, pos, axis_a);
    }
}
