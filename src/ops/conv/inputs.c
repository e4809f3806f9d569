/* SPDX-License-Identifier: Apache-2.0 */
/* Source and weights of a convolution in the layouts that its kernels read. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/problem.h"

const char *conv_plain_copy(const conv_t *cv, const operand_t *from, operand_t *copy, md_t *md) {
    epilogue_t none;
    epilogue_init(&none);
    REFUSE_IF(why_not_of(ew_scratch_md(md, &none, from->md), "a blocked input is too large"));
    return image_copy(cv->p, from, md, copy);
}

const char *conv_channels_last(const conv_t *cv, operand_t *src, md_t *md, cv_tensor_t *t) {
    const md_t *from = cv->src.md;
    const int64_t channels = from->dims[1];
    *src = cv->src;
    if (image_tensor(t, from) && (t->c_inner == 1 || channels <= 1) && t->block >= channels)
        return NULL;
    REFUSE_IF(why_not_of(md_init_string_tag(md, cv->ndims, from->dims, from->data_type,
                                 image_channels_last(cv->ndims)),
            "src is too large to be copied"));
    image_tensor(t, md);
    return image_copy(cv->p, &cv->src, md, src);
}

const char *conv_pack_weights(
        const conv_t *cv, const char *tag, dnnl_data_type_t dt, operand_t *packed, md_t *md) {
    const md_t *wei = cv->wei.md;
    *packed = cv->wei;
    REFUSE_IF(why_not_of(md_init_string_tag(md, wei->ndims, wei->dims, dt, tag),
            "weights are too large to be packed"));
    if (wei->data_type == dt && md_same_layout(wei, md)) return NULL;
    return image_copy(cv->p, &cv->wei, md, packed);
}

dnnl_data_type_t conv_byte_type(dnnl_data_type_t dt) {
    switch ((int)dt) {
    case dnnl_s4: return dnnl_s8;
    case dnnl_u4: return dnnl_u8;
    case dnnl_f4_e2m1: return dnnl_f8_e4m3;
    default: return dt;
    }
}

conv_strides_t conv_weights_strides(const conv_t *cv, const md_t *md) {
    const int first = cv->with_groups;
    const int64_t *strides = md->format_desc.blocking.strides;
    conv_strides_t s = {first ? strides[0] : 0, strides[first], strides[first + 1], {0}};
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(cv->ndims, i);
        if (d >= 0) s.tap[i] = strides[first + d];
    }
    return s;
}
