/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pooling: any types and strides. A work-item owns one element of the result and adds up
 * the gradients of the windows that the element is in. */
#include "place.h"
#include "pool.h"
#include "pool_backward_params.h"

/* Of dimension d, windows first <= o < end reach over a position of the image. */
typedef struct {
    int at, first, end;
} windows_t;

static inline windows_t windows_of(const cv_window_t *w, int d, int i) {
    windows_t r;
    const int reach = (w->k[d] - 1) * w->dilation[d];
    r.at = i + w->pad[d];
    r.first = r.at > reach ? (r.at - reach + w->stride[d] - 1) / w->stride[d] : 0;
    r.end = min(r.at / w->stride[d] + 1, (int)w->out[d]);
    return r;
}

/* The tap of window o that reads the position; -1: the dilation steps over it. */
static inline int tap_of(const cv_window_t *w, int d, const windows_t *r, int o) {
    const int from_first = r->at - o * w->stride[d];
    return from_first % w->dilation[d] ? -1 : from_first / w->dilation[d];
}

static inline int index_at(gcptr_t ws, long at) {
    return flag(PLF_WS_U8) ? ws[at] : ((__global const int *)ws)[at];
}

/* Elements of the image in window o, of dimension d. */
static inline acc_t count_in(const cv_window_t *w, int d, int o) {
    const taps_t t = taps_of(w, d, o);
    return count_of(&t);
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
            const acc_t rows =
                    flag(PLF_EXCLUDE) ? count_in(&p.win, 0, od) * count_in(&p.win, 1, oh) : 1;
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
