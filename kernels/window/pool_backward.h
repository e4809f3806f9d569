/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the kernels of backward pooling share: the windows that an element is in. */
#ifndef KERNELS_POOL_BACKWARD_H
#define KERNELS_POOL_BACKWARD_H

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
    if (w->dilation[d] == 1) return from_first;
    return from_first % w->dilation[d] ? -1 : from_first / w->dilation[d];
}

/* Elements of the image in window o, of dimension d. */
static inline int count_in(const cv_window_t *w, int d, int o) {
    const taps_t t = taps_of(w, d, o);
    return count_of(&t);
}

#if VW == 16
/* Indices of n maxima; -1 in the other lanes. */
static inline int16 load_indices(gcptr_t ws, long at, int n) {
    union {
        int16 v;
        int s[16];
    } t;
    if (n == 16)
        return flag(PLF_WS_U8) ? convert_int16(vload16(0, ws + at))
                               : vload16(0, (__global const int *)ws + at);
    t.v = -1;
    NO_UNROLL_FOR (int i = 0; i < n; i++)
        t.s[i] = flag(PLF_WS_U8) ? ws[at + i] : ((__global const int *)ws)[at + i];
    return t.v;
}
#endif

#endif
