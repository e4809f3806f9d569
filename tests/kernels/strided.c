/* SPDX-License-Identifier: Apache-2.0 */
/* Makes descriptors of primitives from strides. */
#include "strided.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"

dnnl_status_t strided_matmul(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_matmul_primitive_desc_create(
            handle, harness_engine, &md[0], &md[1], NULL, &md[2], attr);
}

dnnl_status_t strided_inner_product(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_inner_product_forward_primitive_desc_create(
            handle, harness_engine, dnnl_forward_inference, &md[0], &md[1], NULL, &md[2], attr);
}

dnnl_status_t strided_convolution(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    const dnnl_dims_t ones = {1, 1}, zeros = {0, 0};
    return dnnl_convolution_forward_primitive_desc_create(handle, harness_engine,
            dnnl_forward_inference, dnnl_convolution_direct, &md[0], &md[1], NULL, &md[2], ones,
            zeros, zeros, zeros, attr);
}

dnnl_status_t strided_pooling(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    const dnnl_dims_t ones = {1, 1, 1}, zeros = {0};
    dnnl_dims_t kernel = {0};
    for (int d = 2; d < md[0].ndims; d++) kernel[d - 2] = md[0].dims[d] - md[1].dims[d] + 1;
    return dnnl_pooling_forward_primitive_desc_create(handle, harness_engine,
            dnnl_forward_inference, dnnl_pooling_avg_include_padding, &md[0], &md[1], ones, kernel,
            zeros, zeros, zeros, attr);
}

dnnl_status_t strided_softmax(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_softmax_forward_primitive_desc_create(handle, harness_engine,
            dnnl_forward_inference, dnnl_softmax_accurate, &md[0], &md[1], md[0].ndims - 1, attr);
}

dnnl_status_t strided_softmax_down(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_softmax_forward_primitive_desc_create(handle, harness_engine,
            dnnl_forward_inference, dnnl_softmax_accurate, &md[0], &md[1], 0, attr);
}

dnnl_status_t strided_group_norm(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_group_normalization_forward_primitive_desc_create(
            handle, harness_engine, dnnl_forward_inference, &md[0], &md[1], 2, 1e-5f, 0, attr);
}

dnnl_status_t strided_batch_norm(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_batch_normalization_forward_primitive_desc_create(
            handle, harness_engine, dnnl_forward_training, &md[0], &md[1], 1e-5f, 0, attr);
}

dnnl_status_t strided_layer_norm(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create(
            handle, harness_engine, dnnl_forward_inference, &md[0], &md[1], NULL, 1e-5f, 0, attr);
}

dnnl_status_t strided_sum(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_reduction_primitive_desc_create(
            handle, harness_engine, dnnl_reduction_sum, &md[0], &md[1], 0, 0, attr);
}

dnnl_status_t strided_eltwise(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_eltwise_forward_primitive_desc_create(handle, harness_engine,
            dnnl_forward_inference, dnnl_eltwise_tanh, &md[0], &md[1], 0, 0, attr);
}

dnnl_status_t strided_binary(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_binary_primitive_desc_create(
            handle, harness_engine, dnnl_binary_add, &md[0], &md[1], &md[2], attr);
}

dnnl_status_t strided_reorder(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    return dnnl_reorder_primitive_desc_create(
            handle, &md[0], harness_engine, &md[1], harness_engine, attr);
}

dnnl_status_t strided_attention(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr) {
    md_t values = md[1];
    const md_blocking_t *from = &md[1].format_desc.blocking;
    md_blocking_t *to = &values.format_desc.blocking;
    for (int d = 0; d < 2; d++) {
        values.dims[1 + d] = values.padded_dims[1 + d] = md[1].dims[2 - d];
        to->strides[1 + d] = from->strides[2 - d];
    }
    return dnnl_ze_sdpa_primitive_desc_create(handle, harness_engine, &md[0], &md[1], &values,
            &md[2], NULL, NULL, 0, md[1].dims[0], dnnl_ze_attn_mask_none, attr);
}

static md_t make(const strided_t *t) {
    md_t md;
    int nd = 0;
    bool dense = true;
    while (nd < DNNL_MAX_NDIMS && t->dims[nd]) nd++;
    for (int d = 0; d < nd; d++) dense = dense && t->strides[d] == 0;
    assert_int_equal(
            md_init_strides(&md, nd, t->dims, t->dt, dense ? NULL : t->strides), dnnl_success);
    return md;
}

dnnl_status_t strided_create(dnnl_primitive_desc_t *handle, strided_fn create,
        const strided_t *tensors, const strided_t *added) {
    md_t md[STRIDED_TENSORS];
    for (int t = 0; t < STRIDED_TENSORS; t++) md[t] = make(&tensors[t]);
    dnnl_post_ops_t post_ops;
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_post_ops_create(&post_ops), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    if (added && added->dims[0]) {
        const md_t added_md = make(added);
        assert_int_equal(
                dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, &added_md), dnnl_success);
        assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, post_ops), dnnl_success);
    }
    if (ref_is_tf32(harness_hints.forced_variant))
        assert_int_equal(
                dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_tf32), dnnl_success);
    const dnnl_status_t status = create(handle, md, hinted(attr));
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(post_ops);
    return status;
}
