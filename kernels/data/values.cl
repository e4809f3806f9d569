/* SPDX-License-Identifier: Apache-2.0 */
/* Writes constants of the plan to memory. */
#include "io.h"
#include "values_params.h"

__kernel void write_values(gptr_t to, const values_t p) {
    const long i = get_global_id(0);
    if (i >= p.total) return;
    const int from = (int)min(i, (long)p.count - 1);
    store_1(AT(p.value, VALUES_MAX, from, ), to, i, dst_dt());
}
