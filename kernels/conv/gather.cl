/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a source to pixels that block loads can read: each group of channels is padded with zeros
 * to a multiple of 64 bytes. If there are few channels, a pixel holds the channels of several taps
 * of the window side by side, and its position is a position of the destination. */
#include "conv.h"
#include "place.h"

/* A work-item copies one line of 64 bytes of a pixel. The work-items of a work-group copy the same
 * line of different pixels, so that they visit the taps together. */
__kernel void conv_gather(gcptr_t src, __global uint *dst, const cv_gather_t p) {
    const int x = get_global_id(1), row = (int)get_group_id(2) % p.rows,
              n = (int)get_group_id(2) / p.rows;
    if (x >= p.size[2]) return;
    const int element = src_dt() == DT_S8 || src_dt() == DT_U8 ? 1 : 2;
    const int z = row / p.size[1], y = row % p.size[1], g = (int)get_group_id(0) / p.lines,
              k = (int)get_group_id(0) % p.lines * (64 / element);
    int at = k % p.run, rest = k / p.run; /* position in a run, and number of the run */
    int kx = rest % p.k[2];
    rest /= p.k[2];
    int ky = rest % p.k[1], kz = rest / p.k[1], from_x = 0, end = 0;
    long from = 0;
    bool found = false;
    __global uint *to =
            dst +
            (((long)get_group_id(2) * p.size[2] + x) * get_num_groups(0) + get_group_id(0)) * 16;
    NO_UNROLL_FOR (int piece = 0; piece < 4; piece++) {
        uint words[4]; /* an initial value would be a constant of the module */
        UNROLL_FOR (int i = 0; i < 4; i++) words[i] = 0;
        UNROLL_FOR (int i = 0; i < 16; i += element, at++) {
            if (at == p.run) {
                at = 0;
                found = false;
                if (++kx == p.k[2]) {
                    kx = 0;
                    if (++ky == p.k[1]) {
                        ky = 0;
                        kz++;
                    }
                }
            }
            if (!found) {
                const int from_z = z * p.stride[0] - p.pad[0] + kz * p.dilation[0],
                          from_y = y * p.stride[1] - p.pad[1] + ky * p.dilation[1];
                from_x = x * p.stride[2] - p.pad[2] + kx * p.dilation[2];
                from = n * p.src.n + from_z * p.src.sp[0] + from_y * p.src.sp[1];
                end = kz < p.k[0] && (uint)from_z < (uint)p.in[0] && (uint)from_y < (uint)p.in[1]
                              ? p.channels
                              : 0;
                if (p.run > p.channels) { /* all taps of a row */
                    from_x *= p.channels;
                    end = end ? p.in[2] * p.channels : 0;
                } else {
                    if ((uint)from_x >= (uint)p.in[2]) end = 0;
                    from += from_x * p.src.sp[2];
                    from_x = 0;
                }
                found = true;
            }
            const int c = from_x + at;
            if (c < 0 || c >= end) continue;
            const long e = from + (p.whole ? c * p.src.c_inner + g * p.group
                                           : channel_at(&p.src, g * p.channels + c));
            const uint value = element == 1 ? src[e] : ((__global const ushort *)src)[e];
            words[i / 4] |= value << i % 4 * 8;
        }
        vstore4((uint4)(words[0], words[1], words[2], words[3]), piece, to);
    }
}
