/* SPDX-License-Identifier: Apache-2.0 */
/* Packs weights to the panels that the variants for matrix units read, for sources that gather.cl
 * has copied or whose groups are merged. The weights between two merged groups are zero. */
#include "conv.h"

/* A work-item writes 32 bits: one column, and as many weights along k as fit. */
__kernel void conv_panels(gcptr_t wei, __global uint *dst, const cv_panels_t p) {
    const int at = get_global_id(0), g = get_global_id(1), row = at / 16;
    if (row >= p.rows) return;
    const int element = src_dt() == DT_S8 || src_dt() == DT_U8 ? 1 : 2, fours = 4 / element,
              step = row / 32 % p.panel_steps;
    const int column = (row / 32 / p.panel_steps * 2 + row / 16 % 2) * 16 + at % 16,
              k = (step * 16 + row % 16) * fours;
    const int of_group = column / p.oc, channels = p.merged * p.ic;
    uint word = 0;
    UNROLL_FOR (int i = 0; i < 4; i += element) {
        const int beside = (k + i / element) % p.outer_run, c = beside % channels;
        const int tap = (k + i / element) / p.outer_run * p.inner + beside / channels;
        if (beside >= p.inner * channels || of_group >= p.merged || c / p.ic != of_group) continue;
        const long e = (g * p.merged + of_group) * p.wei_g + (column - of_group * p.oc) * p.wei_o +
                       (c - of_group * p.ic) * p.wei_i + tap / p.k[2] / p.k[1] * p.wei_k[0] +
                       tap / p.k[2] % p.k[1] * p.wei_k[1] + tap % p.k[2] * p.wei_k[2];
        const uint value = element == 1 ? wei[e] : ((__global const ushort *)wei)[e];
        word |= value << i * 8;
    }
    dst[((long)g * p.rows + row) * 16 + at % 16] = word;
}
