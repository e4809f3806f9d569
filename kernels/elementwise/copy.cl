/* SPDX-License-Identifier: Apache-2.0 */
/* Copies bytes between two buffers of the same layout: each work-item moves one contiguous block. */
#include "spec.h"

__kernel void copy(__global const uchar *src, __global uchar *dst, ulong nbytes, ulong block) {
    ulong i = get_global_id(0) * block;
    ulong end = min(i + block, nbytes);
    for (; i + 64 <= end; i += 64) vstore16(vload16(0, (__global const uint *)(src + i)), 0, (__global uint *)(dst + i));
    for (; i < end; i++) dst[i] = src[i];
}
