/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_post_ops_*: operations on the result of a primitive before it is stored. */
#include <string.h>

#include "core/check.h"
#include "core/alloc.h"
#include "core/attr.h"
#include "oneapi/dnnl/dnnl.h"

#define OUT_OF_MEMORY() verbose_error(dnnl_out_of_memory, "post_ops", "no memory for post-ops")

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    dnnl_post_ops_t p = dz_calloc(1, sizeof(*p));
    if (!p) return OUT_OF_MEMORY();
    *post_ops = p;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    CHECK_NOT_NULL(existing_post_ops, "post_ops");
    dnnl_post_ops_t p = dz_malloc(sizeof(*p));
    if (!p || post_ops_copy(p, existing_post_ops) != dnnl_success) {
        dz_free(p);
        return OUT_OF_MEMORY();
    }
    *post_ops = p;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops) {
    if (post_ops) dz_free(post_ops->entry);
    dz_free(post_ops);
    return dnnl_success;
}

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops) {
    return post_ops ? post_ops->len : 0;
}

dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index) {
    if (!post_ops || index < 0 || index >= post_ops->len) return dnnl_undefined_primitive;
    return post_ops->entry[index].kind;
}

static dnnl_status_t append(dnnl_post_ops_t post_ops, const post_op_t *op) {
    if (post_ops->len >= POST_OPS_MAX)
        return verbose_check(
                dnnl_out_of_memory, "post_ops", "there are %d post-ops already", post_ops->len);
    post_op_t *entry = post_ops_append(post_ops);
    if (!entry) return OUT_OF_MEMORY();
    *entry = *op;
    return dnnl_success;
}

static dnnl_status_t get_entry(const_dnnl_post_ops_t post_ops, int index,
        dnnl_primitive_kind_t kind, const post_op_t **entry) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    CHECK_ARG(index >= 0 && index < post_ops->len, "post_ops", "index %d of %d post-ops", index,
            post_ops->len);
    CHECK_ARG(post_ops->entry[index].kind == kind, "post_ops", "post-op %d is of another kind",
            index);
    *entry = &post_ops->entry[index];
    return dnnl_success;
}

static bool is_runtime_f32(float value) {
    const float runtime = DNNL_RUNTIME_F32_VAL;
    return memcmp(&value, &runtime, sizeof(value)) == 0;
}

dnnl_status_t dnnl_post_ops_append_sum(
        dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t data_type) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    CHECK_ARG(!is_runtime_f32(scale), "post_ops", "the scale of a sum must be known");
    CHECK_ARG(data_type == dnnl_data_type_undef || dt_bits(data_type), "post_ops",
            "%d is not a data type", (int)data_type);
    post_op_t op = {.kind = dnnl_sum, .sum = {scale, zero_point, data_type}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float *scale,
        int32_t *zero_point, dnnl_data_type_t *data_type) {
    const post_op_t *e = NULL;
    TRY(get_entry(post_ops, index, dnnl_sum, &e));
    if (scale) *scale = e->sum.scale;
    if (zero_point) *zero_point = e->sum.zero_point;
    if (data_type) *data_type = e->sum.dt;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_eltwise(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha, float beta) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    const bool forward = alg_kind >= dnnl_eltwise_relu && alg_kind <= dnnl_eltwise_hardswish;
    const bool use_dst = alg_kind >= dnnl_eltwise_relu_use_dst_for_bwd &&
                         alg_kind <= dnnl_eltwise_clip_v2_use_dst_for_bwd;
    CHECK_ARG(forward || use_dst, "post_ops", "%d is not an eltwise algorithm", (int)alg_kind);
    CHECK_ARG(!is_runtime_f32(alpha) && !is_runtime_f32(beta), "post_ops",
            "alpha and beta cannot be run-time values");
    const bool clips = alg_kind == dnnl_eltwise_clip || alg_kind == dnnl_eltwise_clip_v2 ||
                       alg_kind == dnnl_eltwise_clip_v2_use_dst_for_bwd;
    CHECK_ARG(!clips || beta >= alpha, "post_ops", "clip needs alpha <= beta");
    const bool inverted = alg_kind == dnnl_eltwise_relu_use_dst_for_bwd ||
                          alg_kind == dnnl_eltwise_elu_use_dst_for_bwd;
    CHECK_ARG(!inverted || alpha >= 0, "post_ops",
            "with a negative alpha the result does not tell the source");
    post_op_t op = {.kind = dnnl_eltwise, .eltwise = {alg_kind, 1.0f, alpha, beta}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, float *alpha, float *beta) {
    const post_op_t *e = NULL;
    TRY(get_entry(post_ops, index, dnnl_eltwise, &e));
    if (alg_kind) *alg_kind = e->eltwise.alg;
    if (alpha) *alpha = e->eltwise.alpha;
    if (beta) *beta = e->eltwise.beta;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
        dnnl_data_type_t bias_data_type, dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size,
        dnnl_dim_t stride_size, dnnl_dim_t padding_l_size) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    CHECK_ARG(dt_bits(weights_data_type) && dt_bits(dst_data_type), "post_ops",
            "a depthwise convolution needs the types of weights and destination");
    CHECK_ARG(bias_data_type == dnnl_data_type_undef || dt_bits(bias_data_type), "post_ops",
            "%d is not a data type", (int)bias_data_type);
    CHECK_ARG(kernel_size > 0 && stride_size > 0, "post_ops", "kernel and stride must be positive");
    CHECK_ARG(padding_l_size < kernel_size, "post_ops", "the kernel would lie in the padding");
    post_op_t op = {.kind = dnnl_convolution,
            .depthwise = {weights_data_type, bias_data_type, dst_data_type, kernel_size,
                    stride_size, padding_l_size}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
        dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
        dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
        dnnl_dim_t *padding_l_size) {
    const post_op_t *e = NULL;
    TRY(get_entry(post_ops, index, dnnl_convolution, &e));
    if (weights_data_type) *weights_data_type = e->depthwise.wei_dt;
    if (bias_data_type) *bias_data_type = e->depthwise.bias_dt;
    if (dst_data_type) *dst_data_type = e->depthwise.dst_dt;
    if (kernel_size) *kernel_size = e->depthwise.kernel;
    if (stride_size) *stride_size = e->depthwise.stride;
    if (padding_l_size) *padding_l_size = e->depthwise.padding;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_binary(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc) {
    return dnnl_post_ops_append_binary_v2(post_ops, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    CHECK_NOT_NULL(src1_desc, "post_ops");
    CHECK_ARG(alg_kind >= dnnl_binary_add && alg_kind <= dnnl_binary_select, "post_ops",
            "%d is not a binary algorithm", (int)alg_kind);
    CHECK_ARG(alg_kind != dnnl_binary_select || src2_desc, "post_ops",
            "select needs a second source");
    const char *problem = md_problem(src1_desc);
    if (!problem) problem = md_problem(src2_desc);
    CHECK_ARG(!problem, "post_ops", "a source of a binary post-op: %s", problem);
    CHECK_ARG(!md_has_runtime_dims(src1_desc) && (!src2_desc || !md_has_runtime_dims(src2_desc)),
            "post_ops", "the sources of a binary post-op cannot have run-time dimensions");
    post_op_t op = {.kind = dnnl_binary, .binary = {.alg = alg_kind, .src1 = *src1_desc}};
    if (src2_desc) op.binary.src2 = *src2_desc;
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc) {
    return dnnl_post_ops_get_params_binary_v2(post_ops, index, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc,
        const_dnnl_memory_desc_t *src2_desc) {
    const post_op_t *e = NULL;
    TRY(get_entry(post_ops, index, dnnl_binary, &e));
    if (alg_kind) *alg_kind = e->binary.alg;
    if (src1_desc) *src1_desc = &e->binary.src1;
    if (src2_desc) *src2_desc = &e->binary.src2;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask) {
    CHECK_NOT_NULL(post_ops, "post_ops");
    post_op_t op = {.kind = dnnl_prelu, .prelu = {mask}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int *mask) {
    const post_op_t *e = NULL;
    TRY(get_entry(post_ops, index, dnnl_prelu, &e));
    if (mask) *mask = e->prelu.mask;
    return dnnl_success;
}
