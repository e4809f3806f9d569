/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src), where one loop is contiguous in the destination and contiguous or broadcast
 * in the source. For sub-groups of 16, each of which processes a few tiles of a row. */
#include "io.h"
#include "sg.h"

SG_KERNEL void lines(gcptr_t src, gptr_t dst, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    const int len = p.size[sg_loops()];
    const uint chunk = p.chunk, pieces = (len + chunk - 1) / chunk;
    const uint item = get_group_id(0) * sg_count() + sg_number();
    /* A single row needs no division, which is some 35 instructions. */
    const uint row = sg_loops() ? item / pieces : 0, begin = (item - row * pieces) * chunk;
    const int end = min(begin + chunk, (uint)len);
    const sg_row_t r = sg_row_number(&p, row);
    if (!r.valid) return;

    const long at = sg_row_at(&r, p.src_stride), dst_at = sg_row_at(&r, p.dst_stride);
    po_seek(&ctx, &po, r.pos, sg_loops());
    NO_UNROLL_FOR (int k = begin; k < end; k += SG_TILE) {
        const tile_t x = flags() & SPECF_BROADCAST ? (tile_t)load_1(src, at, src_dt())
                                                   : sg_load(src, at + k, end - k, src_dt(), 0);
        sg_store(po_apply(x, &ctx, &po, k, end - k), dst, dst_at + k, end - k, dst_dt());
    }
}
