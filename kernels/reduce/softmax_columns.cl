/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax along an axis that is not contiguous, next to a contiguous loop. The lanes of sub-groups
 * of 16 lie along that loop. Columns that fit are kept in registers and read once. For longer
 * columns, a first pass computes the maximum and the sum together. */
#include "io.h"
#include "sg_pieces.h"

SPEC_GETTER(is_log, SPEC_FIRST_FREE, 0)

/* The columns of this sub-group. */
typedef struct {
    gcptr_t src;
    gptr_t dst;
    long at, dst_at, step, dst_step;
    int k, n, len; /* the first column, the number of columns, and their length */
} columns_t;

/* Loads a tile from row a of the columns on. */
static inline tile_t load_rows(const columns_t *c, int a, float fill) {
    return sg_load_pieces(c->src, c->at + a * c->step, c->step, c->len - a, c->n, src_dt(), fill);
}

/* exp(x - top), where both may be -INFINITY. */
static inline tile_t below(tile_t x, tile_t top) {
    return exp(x - (top == -INFINITY ? 0.0f : top));
}

static inline tile_t rest_of(tile_t sum) {
    return is_log() ? log(sum) : 1 / sum;
}

SG_KERNEL void softmax_columns(gcptr_t src, gptr_t dst, const nd_params_t p, PO_ARGS) {
    __local sg_columns_t places[2];
    po_ctx_t ctx = PO_CTX;
    const uint group = get_group_id(0), sg = sg_number();
    const int axis = sg_loops(), width = AT(p.size, PAR_MAX_DIMS, axis + 1, );
    const uint item = sg_groups() == 1 ? group * sg_count() + sg : group;
    const uint blocks = (width + sg_piece_size() - 1) / sg_piece_size(), row = item / blocks;
    sg_row_t r = sg_row_number(&p, row);
    columns_t c;
    c.src = src, c.dst = dst;
    c.k = (item - row * blocks) * sg_piece_size(), c.n = width - c.k,
    c.len = AT(p.size, PAR_MAX_DIMS, axis, );
    c.step = AT(p.src_stride, PAR_MAX_DIMS, axis, ),
    c.dst_step = AT(p.dst_stride, PAR_MAX_DIMS, axis, );
    c.at = sg_row_at(&r, p.src_stride) + c.k, c.dst_at = sg_row_at(&r, p.dst_stride) + c.k;
    const int part = sg_groups() == 1 ? 0 : sg, first = part * sg_pieces(),
              step = sg_groups() * sg_pieces();

    tile_t x[SG_MAX_TILES], top = -INFINITY, sum = 0;
    if (sg_tiles() == 0) {
        NO_UNROLL_FOR (int a = first; a < c.len; a += step) {
            const tile_t y = load_rows(&c, a, -INFINITY), before = top;
            top = fmax(top, y);
            sum = sum * below(before, top) + below(y, top);
        }
        const tile_t own = top;
        top = sg_columns_max(own, part, places[0]);
        sum *= below(own, top);
    } else {
        EACH (i, sg_tiles(), SG_MAX_TILES) {
            x[i] = load_rows(&c, first + i * step, -INFINITY);
            top = fmax(top, x[i]);
        }
        top = sg_columns_max(top, part, places[0]);
        EACH (i, sg_tiles(), SG_MAX_TILES) {
            const tile_t y = x[i] - top, e = exp(y);
            x[i] = is_log() ? y : e;
            sum += e;
        }
    }
    const tile_t rest = rest_of(sg_columns_sum(sum, part, places[1]));
    if (!r.valid) return;

    /* Tensors of the epilogue may have other strides. */
    const int parts = po_nsrcs() ? sg_pieces() : 1;
    int n = 0;
    NO_UNROLL_FOR (int a = first; sg_tiles() ? n < sg_tiles() : a < c.len; a += step, n++) {
        tile_t y = x[0];
        EACH (i, sg_tiles(), SG_MAX_TILES) y = i == n ? x[i] : y;
        if (sg_tiles() == 0) {
            y = load_rows(&c, a, 0) - top;
            if (!is_log()) y = exp(y);
        }
        y = is_log() ? y - rest : y * rest;
        NO_UNROLL_FOR (int q = 0; q < parts; q++) {
            SET(r.pos, PAR_MAX_DIMS, axis, min(a + q, c.len - 1));
            po_seek(&ctx, &po, r.pos, axis + 1);
            const tile_t z = po_apply(
                    parts == 1 ? y : sg_piece_of(y, q), &ctx, &po, c.k, min(c.n, sg_piece_size()));
            y = parts == 1 ? z : sg_with_piece(y, q, z);
        }
        sg_store_pieces(y, dst, c.dst_at + a * c.dst_step, c.dst_step, c.len - a, c.n, dst_dt());
    }
}
