/* SPDX-License-Identifier: Apache-2.0 */
/* The portable pooling: any types and strides, one element of the result per work-item. */
#include "place.h"
#include "pool.h"

enum { PART = 4096 };

static inline void store_index(gptr_t ws, long at, int index) {
    if (flag(PLF_WS_U8)) ws[at] = index;
    if (flag(PLF_WS_S32)) ((__global int *)ws)[at] = index;
}

__kernel void pool_any(gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    const long dst_at = place_item(pos, &p.dst, p.win.out, c);
    const int inner = c % p.dst.block;
    if (c >= p.channels) {
        store_1(0, dst, dst_at, dst_dt());
        store_index(ws, dst_at, 0);
        return;
    }

    const taps_t td = taps_of(&p.win, 0, pos[2]), th = taps_of(&p.win, 1, pos[3]),
                 tw = taps_of(&p.win, 2, pos[4]);
    const acc_t count = (acc_t)count_of(&td) * count_of(&th) * count_of(&tw);
    const long from = pos[0] * p.src.n + channel_at(&p.src, c);
    acc_t x = flag(PLF_MAX) ? -INFINITY : 0;
    int index = -1;
    for (int kd = td.first; kd < td.end; kd++)
        for (int kh = th.first; kh < th.end; kh++) {
            /* The sum of a part of a row. A single sum over a large window would lose the last
             * elements in rounding. */
            acc_t sum = 0;
            for (int kw = tw.first; kw < tw.end; kw++) {
                const long s = from + (long)(td.at + kd * p.win.dilation[0]) * p.src.sp[0] +
                               (long)(th.at + kh * p.win.dilation[1]) * p.src.sp[1] +
                               (long)(tw.at + kw * p.win.dilation[2]) * p.src.sp[2];
                const acc_t v = load_1(src, s, src_dt());
                if (!flag(PLF_MAX)) {
                    sum += v;
                    if (kw % PART == PART - 1 || kw == tw.end - 1) {
                        x += sum;
                        sum = 0;
                    }
                } else if (index < 0 || v > x || v != v) {
                    x = v;
                    index = (kd * p.win.k[1] + kh) * p.win.k[2] + kw;
                }
            }
        }
    if (!flag(PLF_MAX))
        x /= flag(PLF_EXCLUDE) ? fmax(count, (acc_t)1)
                               : (acc_t)p.win.k[0] * p.win.k[1] * p.win.k[2];
    else if (count == 0) x = p.lowest;
    po_seek(&ctx, &po, pos, 5);
    store_1(po_apply(x, &ctx, &po, inner, 1), dst, dst_at, dst_dt());
    store_index(ws, dst_at, max(index, 0));
}
