/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for sub-groups of 16, where channels are contiguous in the source. Each sub-group
 * computes some results of a row for a tile of channels. */
#include "pool_sg16.h"

SG_KERNEL void pool_sg16_channels(
        gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    const int chunks = (p.padded_channels + p.chunk - 1) / p.chunk,
              pieces = (p.win.out[2] + p.rows - 1) / p.rows;
    int item = get_group_id(0) * sg_count() + sg_number();
    if (item >= p.nrows * pieces * chunks) return;
    const int c = item % chunks * p.chunk;
    item /= chunks;
    const int first = item % pieces * p.rows, last = min(first + p.rows, p.win.out[2]);
    item /= pieces;

    /* A chunk does not cross the border between two blocks of channels. */
    const int n = min(p.chunk, p.padded_channels - c), valid = min(n, p.channels - c),
              inner = c % p.dst.block;
    int pos[PAR_MAX_DIMS];
    pos[3] = item % p.win.out[1];
    item /= p.win.out[1];
    pos[2] = item % p.win.out[0];
    pos[0] = item / p.win.out[0];
    pos[1] = c / p.dst.block;
    const long from = pos[0] * p.src.n + (c / p.src.block) * p.src.c_outer + c % p.src.block;
    const long to = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + inner * p.dst.c_inner +
                    pos[2] * p.dst.sp[0] + pos[3] * p.dst.sp[1];
    const taps_t td = taps_of(&p.win, 0, pos[2]), th = taps_of(&p.win, 1, pos[3]);

    NO_UNROLL_FOR (int ow = first; ow < last; ow++) {
        const taps_t tw = taps_of(&p.win, 2, ow);
        const int count = count_of(&td) * count_of(&th) * count_of(&tw);
        pooled_t r;
        r.x = flag(PLF_MAX) ? -INFINITY : 0.0f;
        r.index = count ? (td.first * p.win.k[1] + th.first) * p.win.k[2] + tw.first : 0;
        NO_UNROLL_FOR (int kd = td.first; kd < td.end && valid > 0; kd++) {
            const long at_d = from + (long)(td.at + kd * p.win.dilation[0]) * p.src.sp[0];
            NO_UNROLL_FOR (int kh = th.first; kh < th.end; kh++) {
                const long at_h = at_d + (long)(th.at + kh * p.win.dilation[1]) * p.src.sp[1];
                const int index = (kd * p.win.k[1] + kh) * p.win.k[2];
                NO_UNROLL_FOR (int kw = tw.first; kw < tw.end; kw++) {
                    const long at = at_h + (long)(tw.at + kw * p.win.dilation[2]) * p.src.sp[2];
                    pool_in(&r, load_tile(src, at, valid, src_dt()), index + kw);
                }
            }
        }
        if (!flag(PLF_MAX))
            r.x /= flag(PLF_EXCLUDE) ? max(count, 1) : p.win.k[0] * p.win.k[1] * p.win.k[2];
        else if (count == 0) r.x = p.lowest;
        if (po_count() > 0 && valid > 0) {
            pos[4] = ow;
            po_seek(&ctx, &po, pos, 5);
            r.x = po_apply(r.x, &ctx, &po, inner, valid);
        }
        store_pooled(&r, dst, ws, to + ow * p.dst.sp[2], p.dst.c_inner, valid, n);
    }
}
