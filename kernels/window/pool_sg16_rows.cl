/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for sub-groups of 16, where the width is contiguous in the source. The lanes lie along a
 * row of results. If one window covers a whole plane, the lanes lie along this window. */
#include "pool_sg16.h"

/* Loads elements at, at + stride, ... of a row of the source; elements outside of the row
 * are `none`. */
static inline tile_t load_row(
        gcptr_t src, long row, int at, int stride, int width, int n, float none) {
    if (stride == 1 && at >= 0 && at + n <= width) return load_tile(src, row + at, n, src_dt());
    const int size = sg_element_size(src_dt());
    uint8 bits = 0;
    uint in = 0;
    EACH (j, parts(), SG_PARTS) {
        const int k = SG_LANES * j + sg_lane(), i = at + k * stride;
        if (k >= n || (uint)i >= (uint)width) continue;
        in |= 1u << j;
        bits[j] = size == 4   ? ((__global const uint *)src)[row + i]
                  : size == 2 ? ((__global const ushort *)src)[row + i]
                              : src[row + i];
    }
    tile_t x = sg_values(bits, src_dt());
    EACH (j, parts(), SG_PARTS) x[j] = in >> j & 1 ? x[j] : none;
    return x;
}

/* Pools one window of n contiguous elements. */
static inline void pool_plane(pooled_t *r, gcptr_t src, long at, int n, __local float *place) {
    pooled_t lanes;
    lanes.x = flag(PLF_MAX) ? -INFINITY : 0.0f;
    lanes.index = 0;
    NO_UNROLL_FOR (int k = 0; k < n; k += tile_size()) {
        tile_t v = load_tile(src, at + k, n - k, src_dt());
        if (flag(PLF_MAX) && n - k < tile_size()) v = sg_first(v, n - k, -INFINITY);
        pool_in(&lanes, v, k);
    }
    float x = lanes.x[0];
    if (!flag(PLF_MAX)) {
        EACH (j, parts(), SG_PARTS) x += j ? lanes.x[j] : 0.0f;
        r->x = lanes_sum(x, place);
        return;
    }
    EACH (j, parts(), SG_PARTS) x = MAXIMUM(lanes.x[j], x);
    x = sg_maximum(x, place);
    if (flag(PLF_WS)) { /* the first of the largest elements, or a NaN's */
        int index = n;
        EACH (j, parts(), SG_PARTS) {
            const int i = lanes.index[j] + SG_LANES * j + sg_lane();
            if ((lanes.x[j] == x || (lanes.x[j] != lanes.x[j] && x != x)) && i < index) index = i;
        }
        index = lanes_min_int(index, place);
        r->index = index < n ? index : 0;
    }
    r->x = x;
}

SG_KERNEL void pool_sg16_rows(gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    LANES_PLACE(place);
    po_ctx_t ctx = PO_CTX;
    const int width = p.win.out[2], pieces = (width + tile_size() - 1) / tile_size();
    /* All sub-groups of a work-group execute the reduction of a plane, so those without work go on
     * with the last item. */
    int item = get_group_id(0) * sg_count() + sg_number();
    const bool exists = item < p.nrows * pieces;
    item = min(item, p.nrows * pieces - 1);
    const int ow = item % pieces * tile_size(), n = min(tile_size(), width - ow);
    item /= pieces;
    int pos[PAR_MAX_DIMS];
    pos[4] = item % p.win.out[1];
    item /= p.win.out[1];
    pos[3] = item % p.win.out[0];
    item /= p.win.out[0];
    const int c = item % p.padded_channels;
    pos[0] = item / p.padded_channels;
    pos[1] = c / p.dst.block;
    pos[2] = c % p.dst.block;
    const long to = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + pos[2] * p.dst.c_inner +
                    pos[3] * p.dst.sp[0] + pos[4] * p.dst.sp[1] + ow * p.dst.sp[2];
    const int read_c = min(c, p.channels - 1);
    const long from = pos[0] * p.src.n + (read_c / p.src.block) * p.src.c_outer +
                      (read_c % p.src.block) * p.src.c_inner;
    const taps_t td = taps_of(&p.win, 0, pos[3]), th = taps_of(&p.win, 1, pos[4]);
    const int lines = count_of(&td) * count_of(&th), at = ow * p.win.stride[2] - p.win.pad[2];
    const float none = flag(PLF_MAX) ? -INFINITY : 0.0f;
    const bool valid = c < p.channels;

    pooled_t r;
    r.x = none;
    r.index = 0;
    if (flag(PLF_PLANE)) {
        pool_plane(&r, src, from, p.win.in[0] * p.win.in[1] * p.win.in[2], place);
    } else if (valid) {
        NO_UNROLL_FOR (int kd = td.first; kd < td.end; kd++) {
            NO_UNROLL_FOR (int kh = th.first; kh < th.end; kh++) {
                const long line = from + (long)(td.at + kd * p.win.dilation[0]) * p.src.sp[0] +
                                  (long)(th.at + kh * p.win.dilation[1]) * p.src.sp[1];
                NO_UNROLL_FOR (int kw = 0; kw < p.win.k[2]; kw++)
                    pool_in(&r,
                            load_row(src, line, at + kw * p.win.dilation[2], p.win.stride[2],
                                    p.win.in[2], n, none),
                            (kd * p.win.k[1] + kh) * p.win.k[2] + kw);
            }
        }
    }

    /* The number of elements in each window, and the first tap that reads one. */
    tile_t count = (float)(lines * p.win.k[2]);
    indexv_t first = 0;
    if (p.ragged && !flag(PLF_PLANE)) {
        EACH (j, parts(), SG_PARTS) {
            const taps_t tw = taps_of(&p.win, 2, ow + SG_LANES * j + sg_lane());
            count[j] = lines * count_of(&tw);
            first[j] = tw.first;
        }
    }
    first += (td.first * p.win.k[1] + th.first) * p.win.k[2];
    if (!flag(PLF_MAX)) {
        r.x /= flag(PLF_EXCLUDE) ? fmax(count, (tile_t)1.0f)
                                 : (tile_t)(float)(p.win.k[0] * p.win.k[1] * p.win.k[2]);
    } else {
        if (flag(PLF_WS)) r.index = r.x == -INFINITY ? first & (count != 0.0f) : r.index;
        r.x = count == 0.0f ? (tile_t)p.lowest : r.x;
    }
    if (po_count() > 0 && valid) {
        po_seek(&ctx, &po, pos, 5);
        r.x = po_apply(r.x, &ctx, &po, ow, n);
    }
    if (exists) store_pooled(&r, dst, ws, to, p.dst.sp[2], valid ? n : 0, n);
}
