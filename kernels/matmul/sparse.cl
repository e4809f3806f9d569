/* SPDX-License-Identifier: Apache-2.0 */
/* Product of a sparse and a dense matrix. The entries of the sparse matrix are in the order of the
 * lines of the result. The sums of a few lanes stay in registers while the kernel reads the entries
 * of a line. */
#include "sparse_params.h"
#include "types.h"

#ifndef NV
#define NV 1
#endif

SPEC_GETTER(values_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(dense_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)

__kernel void matmul_sparse(gcptr_t values, __global const int *indices,
        __global const int *pointers, gcptr_t dense, gptr_t dst, const mm_sparse_t p) {
    const long lane = (long)get_global_id(0) * (VW * NV);
    if (lane >= p.lanes) return;
    const int width = min((long)(VW * NV), p.lanes - lane);
    const int first_line = get_global_id(1) * p.lines_per_item;
    const int last_line = min(first_line + p.lines_per_item, p.lines);
    for (int line = first_line; line < last_line; line++) {
        const int begin = p.empty ? 0 : pointers[line], end = p.empty ? 0 : pointers[line + 1];
        long at = line * p.dst_line + lane * p.dst_lane;
#if NV > 1
        if (width == VW * NV && p.dense_lane == 1) {
            accv_t sums[NV];
            __attribute__((opencl_unroll_hint)) for (int j = 0; j < NV; j++)
                sums[j] = 0;
            NO_UNROLL_FOR (int i = begin; i < end; i++) {
                const accv_t value = load_1(values, i, values_dt());
                const long from = indices[i] * p.dense_k + lane;
                __attribute__((opencl_unroll_hint)) for (int j = 0; j < NV; j++)
                    sums[j] = mad(value, load_16(dense, from + j * VW, dense_dt()), sums[j]);
            }
            __attribute__((opencl_unroll_hint)) for (int j = 0; j < NV; j++, at += VW * p.dst_lane)
                store_v(sums[j], dst, at, p.dst_lane, VW, dst_dt());
            continue;
        }
#endif
        NO_UNROLL_FOR (int j = 0; j < width; j += VW, at += VW * p.dst_lane) {
            const int n = min(VW, width - j);
            accv_t sum = 0;
            NO_UNROLL_FOR (int i = begin; i < end; i++) {
                const long from = indices[i] * p.dense_k + (lane + j) * p.dense_lane;
                sum = mad((accv_t)load_1(values, i, values_dt()),
                        load_v(dense, from, p.dense_lane, n, dense_dt()), sum);
            }
            store_v(sum, dst, at, p.dst_lane, n, dst_dt());
        }
    }
}
