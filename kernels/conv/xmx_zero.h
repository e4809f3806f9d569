/* SPDX-License-Identifier: Apache-2.0 */
/* Zero points of the source in the variants for matrix units. zero_sums.cl has computed the sums of
 * zero point * weight per tap. */
#ifndef KERNELS_CONV_XMX_ZERO_H
#define KERNELS_CONV_XMX_ZERO_H

#include "conv.h"

/* True if the tap reads inside of the image. at: position of the first tap. */
static inline bool is_inside(const cv_window_t *w, int i, int at, int k) {
    at += k * w->dilation[i];
    if (!cv_flag(CVF_PHASES)) return (uint)at < (uint)w->in[i];
    return at >= 0 && at % w->stride[i] == 0 && at / w->stride[i] < w->in[i];
}

/* The amount that the source zero point adds to the sum at a position. sums: of tap 0; all: of
 * all taps. */
static int zero_part(__global const int *sums, const cv_xmx_t *t, const int *pos, int all) {
    const cv_window_t *w = &t->win;
    int z = pos[2] + w->pad[0], y = pos[3] + w->pad[1], x = pos[4] + w->pad[2];
    if (!cv_flag(CVF_PHASES)) {
        z = pos[2] * w->stride[0] - w->pad[0];
        y = pos[3] * w->stride[1] - w->pad[1];
        x = pos[4] * w->stride[2] - w->pad[2];
        if (is_inside(w, 0, z, 0) && is_inside(w, 0, z, w->k[0] - 1) && is_inside(w, 1, y, 0) &&
                is_inside(w, 1, y, w->k[1] - 1) && is_inside(w, 2, x, 0) &&
                is_inside(w, 2, x, w->k[2] - 1))
            return all;
    }
    int sum = 0;
    for (int kz = 0; kz < w->k[0]; kz++)
        for (int ky = 0; ky < w->k[1]; ky++)
            for (int kx = 0; kx < w->k[2]; kx++, sums += t->zero_columns)
                if (is_inside(w, 0, z, kz) && is_inside(w, 1, y, ky) && is_inside(w, 2, x, kx))
                    sum += *sums;
    return sum;
}

#endif
