/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the entries of a sparse matrix, which may have any order, by the lines of the result. It is
 * a counting sort in which each work-item reads all entries and moves those of its own lines, so
 * that no work-item waits for another one. */
#include "sparse_params.h"
#include "types.h"

SPEC_GETTER(values_dt, SPEC_SRC_DT, DT_F32)

/* pointers[line + 1] first holds the number of entries of the line, then the place of its next
 * entry, and at the end the place after its last entry. */
__kernel void sparse_order(gcptr_t values, __global const int *lines, __global const int *ks,
        __global float *to_values, __global int *to_ks, __global int *pointers,
        const mm_sparse_order_t p) {
    const int first = get_global_id(0) * p.lines_per_item,
              last = min(first + p.lines_per_item, p.lines);
    if (first >= last) return;
    const int begin = p.compressed ? ks[0] : 0,
              end = p.compressed ? min(ks[p.compressed], p.entries) : p.entries;
    int place = 0;
    if (first == 0) pointers[0] = 0;
    for (int line = first; line < last; line++) pointers[line + 1] = 0;
    for (int i = begin; i < end; i++) {
        const int line = lines[i];
        place += line < first;
        if (line >= first && line < last) pointers[line + 1]++;
    }
    for (int line = first; line < last; line++) {
        const int count = pointers[line + 1];
        pointers[line + 1] = place;
        place += count;
    }
    int k = 0;
    for (int i = begin; i < end; i++) {
        const int line = lines[i];
        if (line < first || line >= last) continue;
        while (k + 1 < p.compressed && ks[k + 1] <= i) k++;
        const int at = pointers[line + 1]++;
        to_ks[at] = p.compressed ? k : ks[i];
        to_values[at] = load_1(values, i, values_dt());
    }
}
