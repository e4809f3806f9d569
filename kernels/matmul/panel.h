/* SPDX-License-Identifier: Apache-2.0 */
/* Code that floats.h and pairs.h share. */
#ifndef KERNELS_MATMUL_PANEL_H
#define KERNELS_MATMUL_PANEL_H

#include "tile.h"

/* What the tiles of a work-item have in common: the panel at element `at` of b, and the zero point
 * of a. */
typedef struct {
    gcptr_t b;
    long at;
    int za;
} panel_t;

static inline void open_panel(
        panel_t *panel, gcptr_t b, long at, __private const mm_tile_t *t, int za) {
    (void)t;
    panel->b = b;
    panel->at = at;
    panel->za = za;
}

static inline int sum_of_row(__global const elem_t *a, __private const mm_tile_t *t) {
    int sum = 0;
    for (int k = 0; k < t->k; k++) sum += (int)a[k * t->a_k];
    return sum;
}

static inline void close_panel(void) {} /* nothing was opened */

#endif
