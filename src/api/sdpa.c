/* SPDX-License-Identifier: Apache-2.0 */
/* The constructor of attention. */
#include "oneapi/dnnl/dnnl_ze_sdpa.h"

#include "api/constructors.h"

dnnl_status_t dnnl_ze_sdpa_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(DNNL_ZE_PRIMITIVE_KIND_SDPA);
    c.params.prop_kind = dnnl_forward_inference;
    c.params.attn_mask = (unsigned)attn_mask;
    c.params.invert_scale = invert_scale != 0;
    c.params.kv_heads = kv_head_number;
    IN(DNNL_ARG_QUERIES, query_desc);
    IN(DNNL_ARG_KEYS, key_desc);
    IN(DNNL_ARG_VALUES, value_desc);
    IN_OPTIONAL(DNNL_ARG_ATTN_MASK, mask_desc);
    constructor_optional(&c, DNNL_ARG_SCALE,
            PD_IN | (scale_desc && md_is_host_scalar(scale_desc) ? PD_HOST : 0), scale_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}
