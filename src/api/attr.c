/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_primitive_attr_*: all attributes except those of quantization (attr_quant.c). */
#include "core/check.h"
#include "core/alloc.h"
#include "core/attr.h"
#include "oneapi/dnnl/dnnl.h"

#define OUT_OF_MEMORY() verbose_error(dnnl_out_of_memory, "attr", "no memory for attributes")

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr) {
    CHECK_NOT_NULL(attr, "attr");
    attr_t *a = dz_malloc(sizeof(*a));
    if (!a) return OUT_OF_MEMORY();
    attr_init(a);
    *attr = a;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(existing_attr, "attr");
    attr_t *a = dz_malloc(sizeof(*a));
    if (!a || attr_copy(a, existing_attr) != dnnl_success) {
        dz_free(a);
        return OUT_OF_MEMORY();
    }
    *attr = a;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) {
    if (attr) attr_fini(attr);
    dz_free(attr);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc) {
    return dnnl_primitive_attr_get_dropout_v2(attr, mask_desc, NULL, NULL, NULL);
}

dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t *mask_desc, dnnl_data_type_t *seed_dt, int *use_offset,
        int *use_host_scalars) {
    CHECK_NOT_NULL(attr, "attr");
    if (mask_desc) *mask_desc = &attr->dropout.mask_md;
    if (seed_dt) *seed_dt = attr->dropout.seed_dt;
    if (use_offset) *use_offset = attr->dropout.use_offset;
    if (use_host_scalars) *use_host_scalars = attr->dropout.use_host_scalars;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc) {
    return dnnl_primitive_attr_set_dropout_v2(attr, mask_desc, dnnl_s32, 0, 0);
}

dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt, int use_offset,
        int use_host_scalars) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(mask_desc, "attr");
    CHECK_ARG(mask_desc->data_type == dnnl_u8 || mask_desc->data_type == dnnl_data_type_undef,
            "attr", "the mask of dropout must be of type u8 or absent");
    CHECK_ARG(seed_dt == dnnl_s32 || seed_dt == dnnl_s64, "attr",
            "the seed of dropout must be of type s32 or s64");
    const char *problem = md_problem(mask_desc);
    CHECK_ARG(!problem, "attr", "the mask of dropout: %s", problem);
    attr->dropout.set = true;
    attr->dropout.mask_md = *mask_desc;
    attr->dropout.seed_dt = seed_dt;
    attr->dropout.use_offset = use_offset != 0;
    attr->dropout.use_host_scalars = use_host_scalars != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode) {
    CHECK_NOT_NULL(mode, "attr");
    return dnnl_primitive_attr_get_fpmath_mode_v2(attr, mode, NULL);
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode) {
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    CHECK_NOT_NULL(attr, "attr");
    if (mode) *mode = attr->fpmath_mode;
    if (apply_to_int) *apply_to_int = attr->fpmath_apply_to_int;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG((int)mode >= 0 && mode <= dnnl_fpmath_mode_tf32, "attr", "%d is not a math mode",
            (int)mode);
    attr->fpmath_mode = mode;
    attr->fpmath_apply_to_int = apply_to_int != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode) {
    CHECK_NOT_NULL(mode, "attr");
    *mode = attr_default_fpmath_mode();
    return dnnl_success;
}

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    CHECK_ARG(attr_set_default_fpmath_mode(mode) == dnnl_success, "attr", "%d is not a math mode",
            (int)mode);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int *value) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(value, "attr");
    *value = attr->deterministic;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value) {
    CHECK_NOT_NULL(attr, "attr");
    attr->deterministic = value != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(mode, "attr");
    *mode = attr->acc_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG((int)mode >= 0 && mode <= dnnl_accumulation_mode_f16, "attr",
            "%d is not an accumulation mode", (int)mode);
    attr->acc_mode = mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(mode, "attr");
    *mode = attr->scratchpad_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG(mode == dnnl_scratchpad_mode_library || mode == dnnl_scratchpad_mode_user, "attr",
            "%d is not a scratchpad mode", (int)mode);
    attr->scratchpad_mode = mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(mode, "attr");
    *mode = attr_rounding_mode(attr, arg);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG(mode == dnnl_rounding_mode_environment || mode == dnnl_rounding_mode_stochastic,
            "attr", "%d is not a rounding mode", (int)mode);
    const bool settable =
            arg == DNNL_ARG_DST || arg == DNNL_ARG_DIFF_SRC || arg == DNNL_ARG_DIFF_WEIGHTS;
    CHECK_ARG(settable || mode == dnnl_rounding_mode_environment, "attr",
            "argument %d cannot have a rounding mode: only destinations and gradients can", arg);
    if (settable) attr_set_rounding_mode(attr, arg, mode);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(post_ops, "attr");
    *post_ops = &attr->post_ops;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_NOT_NULL(post_ops, "attr");
    if (post_ops == &attr->post_ops) return dnnl_success;
    struct dnnl_post_ops copy;
    if (post_ops_copy(&copy, post_ops) != dnnl_success) return OUT_OF_MEMORY();
    dz_free(attr->post_ops.entry);
    attr->post_ops = copy;
    return dnnl_success;
}
