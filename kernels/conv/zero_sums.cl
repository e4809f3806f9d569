/* SPDX-License-Identifier: Apache-2.0 */
/* The amounts that a source zero point adds to a convolution with weights in panels: for each tap
 * of the window and each output channel, the sum over the channels of zero point * weight. */
#include "conv.h"

__kernel void conv_zero_sums(
        gcptr_t wei, __global int *sums, const cv_zero_t p, gcptr_t za_ptr, int za) {
    const int c = get_global_id(0), tap = get_global_id(1), g = get_global_id(2);
    if (c >= p.columns) return;
    const int first = tap / p.inner * p.outer_run + tap % p.inner * p.channels,
              end = first + p.channels;
    const int panel = c / 16, row = panel / 2 * p.panel_steps * 32 + panel % 2 * 16;
    __global const char *w = (__global const char *)wei + g * p.wei_g + row * 64L + c % 16 * 4;
    const bool aligned = ((ulong)wei & 3) == 0;
    int sum = 0;
    for (int four = first / 4; four * 4 < end; four++) {
        const long word = (four / 16 * 32L + four % 16) * 16;
        const char4 x = aligned ? ((__global const char4 *)w)[word] : vload4(word, w);
        const char v[4] = {x.s0, x.s1, x.s2, x.s3};
        UNROLL_FOR (int i = 0; i < 4; i++) {
            const int at = four * 4 + i - first;
            if (at < 0 || at >= p.channels) continue;
            sum += (src_dt() == DT_U8 ? (uchar)v[i] : v[i]) *
                   (za_ptr ? load_int(za_ptr, ((long)g * p.channels + at) * p.za_step, p.za_dt)
                           : za);
        }
    }
    sums[((long)g * p.taps + tap) * p.columns + c] = sum;
}
