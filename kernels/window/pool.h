/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the pooling kernels share: specialisation constants, and the part of a window that lies
 * in the source. */
#ifndef KERNELS_POOL_H
#define KERNELS_POOL_H

#include "io.h"
#include "pool_params.h"
#include "postops.h"

/* Of dimension d, the kernel reads taps first <= k < end from the source. Tap 0 is at
 * position `at`. */
typedef struct {
    int at, first, end;
} taps_t;

static inline taps_t taps_of(const cv_window_t *w, int d, int o) {
    taps_t t;
    const int step = w->dilation[d];
    t.at = o * w->stride[d] - w->pad[d];
    if (step == 1) { /* without division */
        t.first = max(-t.at, 0);
        t.end = min((int)w->k[d], (int)w->in[d] - t.at);
    } else {
        t.first = t.at < 0 ? (step - 1 - t.at) / step : 0;
        t.end = t.at < w->in[d] ? min(w->k[d], (w->in[d] - t.at + step - 1) / step) : 0;
    }
    if (t.end <= t.first) t.first = t.end = 0;
    return t;
}

static inline int count_of(const taps_t *t) {
    return t->end - t->first;
}

/* A loop over the taps or rows of a window that the module knows has a constant number of steps.
 * All its loads are on their way at once, as they do not depend on what is inside. */
#define EACH_KNOWN(i, n, most)                                                                     \
    UNROLL_FOR (int i = 0; i < (most); i++)                                                        \
        if (i < (n))

#if VW > 1 /* computes as many results at once as a value has elements */
#if VW == 16
typedef int16 indexv_t;
#else
typedef int8 indexv_t;
#endif
typedef struct {
    accv_t x;
    indexv_t index;
} pooled_t;

static inline void pool_in(pooled_t *r, accv_t v, int index) {
    if (!flag(PLF_MAX)) {
        r->x += v;
        return;
    }
    /* A NaN stays: nothing is greater. */
    if (flag(PLF_WS)) r->index = v > r->x || v != v ? (indexv_t)index : r->index;
    r->x = MAXIMUM(v, r->x);
}
#endif

#endif
