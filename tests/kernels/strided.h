/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives on tensors with any strides, for tables of such tensors. */
#ifndef TESTS_KERNELS_STRIDED_H
#define TESTS_KERNELS_STRIDED_H

#include "core/memory_desc.h"

/* Dimensions end at the first 0. If all strides are 0, the tensor is dense and row-major. */
typedef struct {
    dnnl_data_type_t dt;
    dnnl_dims_t dims, strides;
} strided_t;

enum { STRIDED_TENSORS = 3 };

/* Tensors in the order of their descriptors, followed by the destination. A post-op adds `added` to
 * the result unless it is NULL or has no dimensions. */
typedef dnnl_status_t (*strided_fn)(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_create(dnnl_primitive_desc_t *handle, strided_fn create,
        const strided_t *tensors, const strided_t *added);

dnnl_status_t strided_matmul(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_inner_product(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_convolution(dnnl_primitive_desc_t *handle, const md_t *md,
        const_dnnl_primitive_attr_t attr); /* no padding */
/* Averages of windows with stride 1 and without padding. */
dnnl_status_t strided_pooling(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_softmax(dnnl_primitive_desc_t *handle, const md_t *md,
        const_dnnl_primitive_attr_t attr); /* of the last dimension */
dnnl_status_t strided_softmax_down(dnnl_primitive_desc_t *handle, const md_t *md,
        const_dnnl_primitive_attr_t attr); /* of the first */
dnnl_status_t strided_group_norm(dnnl_primitive_desc_t *handle, const md_t *md,
        const_dnnl_primitive_attr_t attr); /* of 2 groups */
dnnl_status_t strided_batch_norm(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_layer_norm(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_sum(dnnl_primitive_desc_t *handle, const md_t *md,
        const_dnnl_primitive_attr_t attr); /* a reduction */
dnnl_status_t strided_eltwise(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_binary(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
dnnl_status_t strided_reorder(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);
/* Queries and keys. The values have the layout of the keys, transposed. */
dnnl_status_t strided_attention(
        dnnl_primitive_desc_t *handle, const md_t *md, const_dnnl_primitive_attr_t attr);

/* clang-format off */
#define G(n) (INT64_C(1) << (n))
#define F16(...) {dnnl_f16, __VA_ARGS__}
#define F32(...) {dnnl_f32, __VA_ARGS__}
#define S8(...) {dnnl_s8, __VA_ARGS__}
#define S32(...) {dnnl_s32, __VA_ARGS__}
#define DENSE {0}
#define NONE {dnnl_data_type_undef, {0}, {0}}
/* clang-format on */

#endif
