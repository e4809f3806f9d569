/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernel of attention: any strides and sizes. A work-item computes sd_columns()
 * elements of the result of one query. */
#include "sdpa.h"

__kernel void sdpa_any(gcptr_t q, gcptr_t k, gcptr_t v, gcptr_t key_scale, gcptr_t key_zero,
        gcptr_t value_scale, gcptr_t value_zero, const sd_quants_t quants, SD_REST, SD_MORE,
        SD_SCALES) {
    const int row = get_global_id(0);
    const uint z = get_global_id(2);
    if (row >= p.queries) return;
    const sd_at_t at = sd_seek(&p, z);
    sd_quantised_t quant;
    quant.at = &quants;
    quant.key_scale = key_scale, quant.key_zero = key_zero;
    quant.value_scale = value_scale, quant.value_zero = value_zero;
    if (key_scale_dt()) quant.key_scale_at = sd_quant_seek(&quants.key_scale, &p, z);
    if (key_zero_dt()) quant.key_zero_at = sd_quant_seek(&quants.key_zero, &p, z);
    if (value_scale_dt()) quant.value_scale_at = sd_quant_seek(&quants.value_scale, &p, z);
    if (value_zero_dt()) quant.value_zero_at = sd_quant_seek(&quants.value_zero, &p, z);
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    const sd_scales_t scales = sd_scales(SD_SCALES_VALUES);
    sd_plain(q, k, v, mask, sd_scale(scale, host_scale) * scales.score, sd_cap(cap, host_cap), dst,
            stats, &p, &at, &quant, &more, &scales, row, (int)get_global_id(1) * sd_columns());
}
