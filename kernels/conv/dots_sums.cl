/* SPDX-License-Identifier: Apache-2.0 */
/* Where the sums of a convolution by dot products begin, if packing has moved the source: minus the
 * distance times the sum of the weights of a channel. A work-item has a panel of NR channels. */
#define VW 16
#include "conv.h"
#include "../lib/dots.h"

#define NR (16 * NV)

DOTS_FUNCTION void sum_columns(int16 *sum, __global const int *w, int words) {
    const int16 ones = 0x01010101;
    int16 acc[NV];
    UNROLL_FOR (int j = 0; j < NV; j++) acc[j] = 0;
    for (int k = 0; k < words; k++, w += NR)
        UNROLL_FOR (int j = 0; j < NV; j++) acc[j] = dot(acc[j], ones, vload16(j, w));
    UNROLL_FOR (int j = 0; j < NV; j++) sum[j] = acc[j];
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_dots_sums(
        __global const int *wei, __global int *start, const cv_dots_sums_t p) {
    const int panel = get_group_id(0), g = get_group_id(1);
    int16 sum[NV];
    sum_columns(sum, wei + g * p.wei_g + panel * p.wei_panel, p.words);
    union {
        int16 v[NV];
        int s[NR];
    } t;
    UNROLL_FOR (int j = 0; j < NV; j++) t.v[j] = sum[j] * -p.moved;
    for (int c = 0; c < NR && panel * NR + c < p.oc; c++) start[g * p.oc + panel * NR + c] = t.s[c];
}
