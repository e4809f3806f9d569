/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantisation: computes a scale for each group of a row from its largest magnitude, and
 * divides the elements by it. A work-item processes one group, so that it owns whole bytes of
 * 4-bit types. */
#include "matmul_params.h"
#include "random.h"

SPEC_GETTER(scale_dt, SPEC_SRC1_DT, DT_E8M0)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F8_E4M3)
SPEC_GETTER(flags, SPEC_FLAGS, 0)

/* The code of a power of two: the exponent of the largest magnitude less that of the destination's
 * largest number. 255 means NaN. */
static inline int power_code(float largest, float most) {
    const int e = as_uint(largest) >> 23, top = as_uint(most) >> 23;
    return e == 255 ? 255 : max(e - top + 127, 0);
}

/* The scale in its own data type, at least 1/8. */
static inline float small_scale(float largest, float most) {
    const float scale = fmin(fmax(largest / most, 0.125f), 448.0f);
    return small_value(small_code(scale, scale_dt()), scale_dt());
}

__kernel void matmul_quantise(__global const float *src, gptr_t dst, gptr_t scales,
        __global const int *seed, const mm_quantise_t p) {
    const int group = get_global_id(0), nd = p.ndims;
    if (group >= p.groups) return;
    const long row = get_global_id(1) + (long)get_global_id(2) * AT(p.dims, MM_DIMS, nd - 2, );
    const long first = (long)group * p.group;
    const long step = AT(p.stride, MM_DIMS, nd - 1, );
    long rest = row, at = first * step;
    NO_UNROLL_FOR (int d = nd - 2; d >= 0; d--) {
        at += rest % AT(p.dims, MM_DIMS, d, ) * AT(p.stride, MM_DIMS, d, );
        rest /= AT(p.dims, MM_DIMS, d, );
    }
    src += row * AT(p.dims, MM_DIMS, nd - 1, ) + first;

    float largest = 0;
    for (int k = 0; k < p.group; k++) {
        const float x = fabs(src[k]);
        largest = x > largest || x != x ? x : largest;
    }
    const bool powers = (flags() & MMQ_POWERS) != 0;
    const int code = power_code(largest, p.most);
    const float scale = powers ? 1.0f : small_scale(largest, p.most);
    /* The inverse is exact, and it is a normal number even where the scale is not. */
    const float inverse = powers ? (code == 255 ? NAN : as_float((uint)(254 - code) << 23)) : 1.0f;
    if (powers) scales[row * p.groups + group] = code;
    else store_1(scale, scales, row * p.groups + group, scale_dt());
    for (int k = 0; k < p.group; k++) {
        const long i = at + k * step;
        float x = powers ? src[k] * inverse : src[k] / scale;
        if (x == x) x = fmin(fmax(x, -p.most), p.most);
        if (flags() & MMQ_ROUND)
            x = round_randomly(x, random_at(i, 0, 1, (uint)*seed, 0), p.dropped, p.most, p.normal);
        store_1(x, dst, i, dst_dt());
    }
}
