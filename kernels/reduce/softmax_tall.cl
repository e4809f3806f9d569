/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax along an axis that is not contiguous, next to a contiguous loop, for columns that are too
 * long for the registers of sub-groups. A work-group keeps a few columns in registers, MR elements
 * in each of its work-items, so that the source is read once. */
#include "io.h"
#include "reduce_params.h"
#include "types.h"

SPEC_GETTER(is_log, SPEC_FIRST_FREE, 0)
SPEC_GETTER(columns, SPEC_TALL_COLUMNS, TALL_FEWEST)

/* Combines the values of all work-items that have the same column. */
#define TALL_ACROSS(name, op)                                                                      \
    static inline float name(float x, __local float *place) {                                      \
        const int item = get_local_id(0);                                                          \
        place[item] = x;                                                                           \
        for (int n = TALL_ITEMS / 2; n >= columns(); n /= 2) {                                     \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            if (item < n) place[item] = op(place[item], place[item + n]);                          \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        return place[item % columns()];                                                            \
    }
#define TALL_PLUS(x, y) ((x) + (y))
TALL_ACROSS(tall_max, fmax)
TALL_ACROSS(tall_sum, TALL_PLUS)

__attribute__((reqd_work_group_size(TALL_ITEMS, 1, 1))) __kernel void softmax_tall(
        gcptr_t src, gptr_t dst, const nd_params_t p) {
    __local float tops[TALL_ITEMS], sums[TALL_ITEMS];
    const int axis = p.ndims - 2, len = AT(p.size, PAR_MAX_DIMS, axis, ),
              width = AT(p.size, PAR_MAX_DIMS, axis + 1, ), item = get_local_id(0);
    const uint blocks = (width + columns() - 1) / columns(), group = get_group_id(0);
    const int k = group % blocks * columns() + item % columns(), first = item / columns(),
              step = TALL_ITEMS / columns();
    uint row = group / blocks;
    long from = min(k, width - 1) + min(first, len - 1) * AT(p.src_stride, PAR_MAX_DIMS, axis, ),
         to = k + first * AT(p.dst_stride, PAR_MAX_DIMS, axis, );
    EACH_DOWN(d, axis, PAR_MAX_DIMS) {
        const uint size = p.size[d], pos = d ? row % size : row;
        row /= size;
        from += pos * p.src_stride[d];
        to += pos * p.dst_stride[d];
    }
    const long src_step = AT(p.src_stride, PAR_MAX_DIMS, axis, ) * step,
               dst_step = AT(p.dst_stride, PAR_MAX_DIMS, axis, ) * step;
    const int n = k < width && first < len ? (len - first + step - 1) / step : 0;

    float x[MR], top = -INFINITY, sum = 0;
    UNROLL_FOR (int i = 0; i < MR; i++) { /* what is not there is the last element again */
        const float y = load_1(src, from, src_dt());
        x[i] = i < n ? y : -INFINITY;
        from += i + 1 < n ? src_step : 0;
    }
    UNROLL_FOR (int i = 0; i < MR; i++) top = fmax(top, x[i]);
    top = tall_max(top, tops);
    UNROLL_FOR (int i = 0; i < MR; i++) {
        const float y = x[i] - top, e = exp(y);
        x[i] = is_log() ? y : e;
        sum += i < n ? e : 0;
    }
    sum = tall_sum(sum, sums);
    const float rest = is_log() ? log(sum) : 1 / sum;
    UNROLL_FOR (int i = 0; i < MR; i++) {
        if (i < n) store_1(is_log() ? x[i] - rest : x[i] * rest, dst, to, dst_dt());
        to += dst_step;
    }
}
