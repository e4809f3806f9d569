/* SPDX-License-Identifier: Apache-2.0 */
/* The fixup of stream-K. It adds the sums of a tile in the order of the shares, whichever finished
 * first, and applies the epilogue. A work-item computes one sum, and a work-group computes a block
 * of sums. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "stream_k.h"

#ifdef INTS
typedef int sum_t;
#else
typedef float sum_t;
#endif

__kernel void matmul_fixup(__global const sum_t *slots, gptr_t c, const mm_fixup_t t, PO_ARGS) {
    const int nd = t.ndims, at = get_global_id(0), tile = get_global_id(1);
    const int first = share_of(&t.shares, tile * t.shares.units),
              last = share_of(&t.shares, (tile + 1) * t.shares.units - 1);

    const int block = at / MM_FIXUP_GROUP, lane = at % 16, blocks = t.tile_rows / 8 * t.tile_blocks;
    const int in_tile = block % blocks, part = block / blocks, j = in_tile % t.tile_blocks;
    const int3 place = place_of_tile(&t.shares, t.shares.whole + tile);
    const int tiles_below = t.slot / (blocks * MM_FIXUP_GROUP) / t.across;
    const int row = (place.y * tiles_below + part / t.across) * t.tile_rows +
                    in_tile / t.tile_blocks * 8 + at / 16 % 8;
    const int col = (place.x * t.across + part % t.across) * t.tile_blocks * 16 +
                    (t.pairs ? j / 2 * 32 + 2 * lane + j % 2 : 16 * j + lane);
    if (row >= AT(t.dims, MM_DIMS, nd - 2, ) || col >= AT(t.dims, MM_DIMS, nd - 1, )) return;

    sum_t sum = 0;
    __global const sum_t *from = slots + (long)(tile + first) * t.slot + at;
    _Pragma("unroll 4") for (int share = first; share <= last; share++, from += t.slot) sum +=
            *from;

    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    batch_position(pos, place.z, t.dims, nd);
    SET(pos, MM_DIMS, nd - 2, row);
    SET(pos, MM_DIMS, nd - 1, col);
    long c_at = 0;
    EACH (d, nd, MM_DIMS) c_at += pos[d] * t.c_stride[d];
#ifdef INTS
    if (po_count() == 0 && dst_dt() == DT_S32) {
        ((__global int *)c)[c_at] = sum;
        return;
    }
#endif
    SET(pos, MM_DIMS, nd - 1, 0);
    po_seek(&ctx, &po, pos, nd);
    store_1(po_apply((float)sum, &ctx, &po, col, 1), c, c_at, dst_dt());
}
