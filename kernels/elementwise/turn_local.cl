/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src) for GPUs with work-groups and local memory, where the source is contiguous
 * along the last loop but one and the destination along the last one. A work-group has a tile of
 * both loops: it reads along the one and writes along the other. */
#include "io.h"
#include "strided.h"
#include "postops.h"

enum {
    SIDE = 64, /* of a tile, in elements */
    ITEMS = 256,
    LINES = ITEMS / SIDE, /* lines of a tile that the work-group reads, or writes, at once */
    PITCH = SIDE + 1      /* one more keeps a column in different banks */
};

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void turn_local(
        gcptr_t src, gptr_t dst, const nd_params_t p, PO_ARGS) {
    __local float tile[SIDE * PITCH];
    const int last = p.ndims - 1, across = last - 1;
    const int len = AT(p.size, PAR_MAX_DIMS, last, ), width = AT(p.size, PAR_MAX_DIMS, across, );
    const int tiles = (len + SIDE - 1) / SIDE, tile_number = get_group_id(0);
    const int k0 = tile_number % tiles * SIDE, a0 = tile_number / tiles * SIDE;
    const int along = get_local_id(0) % SIDE, line = get_local_id(0) / SIDE;
    const long src_step = AT(p.src_stride, PAR_MAX_DIMS, last, ),
               dst_step = AT(p.dst_stride, PAR_MAX_DIMS, across, );
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    long src_at = 0, dst_at = 0;
    nd_go_to(&p, pos, across, get_group_id(1));
    EACH (d, across, PAR_MAX_DIMS) {
        src_at += pos[d] * p.src_stride[d];
        dst_at += pos[d] * p.dst_stride[d];
    }

    float x[SIDE / LINES];
    UNROLL_FOR (int i = 0; i < SIDE / LINES; i++) {
        const int k = k0 + line + i * LINES;
        x[i] = 0;
        if (k < len && a0 + along < width)
            x[i] = load_1(src, src_at + k * src_step + a0 + along, src_dt());
    }
    UNROLL_FOR (int i = 0; i < SIDE / LINES; i++) tile[(line + i * LINES) * PITCH + along] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    SET(pos, PAR_MAX_DIMS, across, 0);
    po_seek(&ctx, &po, pos, last);
    NO_UNROLL_FOR (int i = 0; i < SIDE / LINES; i++) {
        const int a = a0 + line + i * LINES;
        if (a >= width || k0 + along >= len) continue;
        po_ctx_t row_ctx = ctx;
        po_advance(&row_ctx, &po, across, a);
        store_1(po_apply(tile[along * PITCH + line + i * LINES], &row_ctx, &po, k0 + along, 1), dst,
                dst_at + a * dst_step + k0 + along, dst_dt());
    }
}
