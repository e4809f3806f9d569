/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernel of attention: any strides and sizes. A work-item computes SD_COLUMNS elements
 * of the result of one query. */
#include "sdpa.h"

__kernel void sdpa_any(gcptr_t q, gcptr_t k, gcptr_t v, SD_REST) {
    const int row = get_global_id(0);
    if (row >= p.queries) return;
    const sd_at_t at = sd_seek(&p, get_global_id(2));
    sd_plain(q, k, v, mask, sd_scale(scale, host_scale), dst, &p, &at, row,
            (int)get_global_id(1) * SD_COLUMNS);
}
