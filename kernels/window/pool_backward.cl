/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pooling: any types and strides. A work-item owns one element of the result and adds up
 * the gradients of the windows that the element is in. */
#include "place.h"
#include "pool_backward.h"

static inline int index_at(gcptr_t ws, long at) {
    return flag(PLF_WS_U8) ? ws[at] : ((__global const int *)ws)[at];
}

__kernel void pool_backward(gcptr_t src, gptr_t dst, gcptr_t ws, const pool_backward_params_t p) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    int pos[5];
    const long to = place_item(pos, &p.dst, p.win.in, c);
    if (c >= p.channels) {
        store_1(0, dst, to, dst_dt());
        return;
    }

    const windows_t rd = windows_of(&p.win, 0, pos[2]), rh = windows_of(&p.win, 1, pos[3]),
                    rw = windows_of(&p.win, 2, pos[4]);
    const long from = pos[0] * p.src.n + channel_at(&p.src, c),
               ws_from = flag(PLF_MAX) ? pos[0] * p.ws.n + channel_at(&p.ws, c) : 0;
    acc_t x = 0;
    for (int od = rd.first; od < rd.end; od++) {
        const int kd = tap_of(&p.win, 0, &rd, od);
        for (int oh = rh.first; kd >= 0 && oh < rh.end; oh++) {
            const int kh = tap_of(&p.win, 1, &rh, oh);
            acc_t rows = 1;
            if (flag(PLF_EXCLUDE)) rows = count_in(&p.win, 0, od) * (acc_t)count_in(&p.win, 1, oh);
            acc_t sum = 0; /* of a row: a sum of all could lose small terms in rounding */
            for (int ow = rw.first; kh >= 0 && ow < rw.end; ow++) {
                const int kw = tap_of(&p.win, 2, &rw, ow);
                if (kw < 0) continue;
                if (flag(PLF_MAX)) {
                    const int index = (kd * p.win.k[1] + kh) * p.win.k[2] + kw;
                    const long at = ws_from + od * p.ws.sp[0] + oh * p.ws.sp[1] + ow * p.ws.sp[2];
                    if (index_at(ws, at) != index) continue;
                }
                acc_t v = load_1(src, from + od * p.src.sp[0] + oh * p.src.sp[1] + ow * p.src.sp[2],
                        src_dt());
                if (flag(PLF_EXCLUDE)) v /= rows * count_in(&p.win, 2, ow);
                sum += v;
            }
            x += sum;
        }
    }
    if (!flag(PLF_MAX | PLF_EXCLUDE)) x /= (acc_t)p.win.k[0] * p.win.k[1] * p.win.k[2];
    store_1(x, dst, to, dst_dt());
}
