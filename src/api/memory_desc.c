/* SPDX-License-Identifier: Apache-2.0 */
/* The memory descriptor functions of dnnl.h: arguments, ownership, queries. */
#include <string.h>

#include "core/alloc.h"
#include "core/memory_desc.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"

#define CHECK_NOT_NULL(ptr)                                                                        \
    do {                                                                                           \
        if (!(ptr))                                                                                \
            return verbose_check(                                                                  \
                    dnnl_invalid_arguments, "memory", "%s: " #ptr " is NULL", __func__);           \
    } while (0)

#define CHECK_DESC(md)                                                                             \
    do {                                                                                           \
        CHECK_NOT_NULL(md);                                                                        \
        const char *problem = md_problem(md);                                                      \
        if (problem)                                                                               \
            return verbose_check(dnnl_invalid_arguments, "memory", "%s: %s", __func__, problem);   \
    } while (0)

/* Ends a constructor: sets *out to a copy of md if the status is success. */
static dnnl_status_t hand_out(dnnl_memory_desc_t *out, const md_t *md, dnnl_status_t status) {
    if (status) return status;
    md_t *copy = dz_malloc(sizeof(*copy));
    if (!copy) return verbose_error(dnnl_out_of_memory, "memory", "no memory for a descriptor");
    *copy = *md;
    *out = copy;
    return dnnl_success;
}

#define CREATE(init, ...)                                                                          \
    do {                                                                                           \
        md_t md;                                                                                   \
        CHECK_NOT_NULL(memory_desc);                                                               \
        return hand_out(memory_desc, &md, init(&md, __VA_ARGS__));                                 \
    } while (0)

dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, const dnnl_dims_t strides) {
    CREATE(md_init_strides, ndims, dims, data_type, strides);
}

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_format_tag_t tag) {
    CREATE(md_init_tag, ndims, dims, data_type, tag);
}

/* No public header declares it, as in oneDNN: test tools declare it themselves. It accepts every
 * tag that follows the rules of naming, even without an enumerator. */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag);
dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag) {
    CHECK_NOT_NULL(tag);
    CREATE(md_init_string_tag, ndims, dims, data_type, tag);
}

dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt) {
    CREATE(md_init_csr, ndims, dims, data_type, nnz, indices_dt, pointers_dt);
}

dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt) {
    CREATE(md_init_coo, ndims, dims, data_type, nnz, indices_dt);
}

dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz) {
    CREATE(md_init_packed, ndims, dims, data_type, nnz);
}

dnnl_status_t dnnl_memory_desc_create_with_grouped_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, int variable_dim_idx,
        dnnl_dim_t group_count, dnnl_data_type_t offsets_dt) {
    CREATE(md_init_grouped, ndims, dims, data_type, variable_dim_idx, group_count, offsets_dt);
}

dnnl_status_t dnnl_memory_desc_create_host_scalar(
        dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type) {
    CREATE(md_init_host_scalar, data_type);
}

dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dims_t dims,
        const dnnl_dims_t offsets) {
    CHECK_DESC(parent_memory_desc);
    CHECK_NOT_NULL(dims);
    CHECK_NOT_NULL(offsets);
    CREATE(md_init_submemory, parent_memory_desc, dims, offsets);
}

dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, int ndims, const dnnl_dims_t dims) {
    dnnl_memory_desc_t *memory_desc = out_memory_desc;
    CHECK_DESC(in_memory_desc);
    CREATE(md_init_reshape, in_memory_desc, ndims, dims);
}

dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, const int *permutation) {
    dnnl_memory_desc_t *memory_desc = out_memory_desc;
    CHECK_DESC(in_memory_desc);
    CHECK_NOT_NULL(permutation);
    CREATE(md_init_permute, in_memory_desc, permutation);
}

dnnl_status_t dnnl_memory_desc_create_with_blob(
        dnnl_memory_desc_t *memory_desc, const uint8_t *blob) {
    CHECK_NOT_NULL(blob);
    CREATE(md_init_blob, blob);
}

dnnl_status_t dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc) {
    CHECK_NOT_NULL(memory_desc);
    CHECK_NOT_NULL(size);
    if (!blob) return *size = sizeof(*memory_desc), dnnl_success;
    if (*size < sizeof(*memory_desc))
        return verbose_check(dnnl_invalid_arguments, "memory",
                "a blob of %zu bytes does not fit into %zu", sizeof(*memory_desc), *size);
    memcpy(blob, memory_desc, sizeof(*memory_desc));
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_clone(
        dnnl_memory_desc_t *memory_desc, const_dnnl_memory_desc_t existing_memory_desc) {
    CHECK_NOT_NULL(memory_desc);
    CHECK_NOT_NULL(existing_memory_desc);
    return hand_out(memory_desc, existing_memory_desc, dnnl_success);
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc) {
    dz_free(memory_desc);
    return dnnl_success;
}

int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs) {
    if (lhs == rhs) return 1;
    return lhs && rhs && md_counts_ok(lhs) && md_counts_ok(rhs) && md_equal(lhs, rhs);
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc) {
    return dnnl_memory_desc_get_size_v2(memory_desc, 0);
}

size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index) {
    return md_problem(memory_desc) ? 0 : md_size(memory_desc, index);
}

size_t dnnl_data_type_size(dnnl_data_type_t data_type) {
    return dt_size(data_type);
}

static dnnl_status_t query_blocking(const md_t *md, dnnl_query_t what, void *result) {
    const md_blocking_t *b = &md->format_desc.blocking;
    if (!md_is_blocked(md))
        return verbose_check(dnnl_invalid_arguments, "memory",
                "a descriptor that is not blocked has no strides or blocks");
    switch ((int)what) {
    case dnnl_query_strides: *(const dnnl_dims_t **)result = &b->strides; break;
    case dnnl_query_inner_nblks_s32: *(int32_t *)result = b->inner_nblks; break;
    case dnnl_query_inner_blks: *(const dnnl_dims_t **)result = &b->inner_blks; break;
    default: *(const dnnl_dims_t **)result = &b->inner_idxs; break;
    }
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_query(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result) {
    const md_t *md = memory_desc;
    CHECK_NOT_NULL(memory_desc);
    CHECK_NOT_NULL(result);
    switch ((int)what) {
    case dnnl_query_ndims_s32: *(int32_t *)result = md->ndims; break;
    case dnnl_query_dims: *(const dnnl_dims_t **)result = &md->dims; break;
    case dnnl_query_data_type: *(dnnl_data_type_t *)result = md->data_type; break;
    case dnnl_query_submemory_offset_s64: *(dnnl_dim_t *)result = md->offset0; break;
    case dnnl_query_padded_dims: *(const dnnl_dims_t **)result = &md->padded_dims; break;
    case dnnl_query_padded_offsets: *(const dnnl_dims_t **)result = &md->padded_offsets; break;
    case dnnl_query_format_kind: *(dnnl_format_kind_t *)result = md->format_kind; break;
    case dnnl_query_strides:
    case dnnl_query_inner_nblks_s32:
    case dnnl_query_inner_blks:
    case dnnl_query_inner_idxs: return query_blocking(md, what, result);
    default:
        return verbose_check(dnnl_unimplemented, "memory",
                "query %d is not one of memory descriptors", (int)what);
    }
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_query_v2(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result) {
    const md_t *md = memory_desc;
    CHECK_NOT_NULL(memory_desc);
    CHECK_NOT_NULL(result);
    const md_sparse_t *s = md_is_sparse(md) ? &md->format_desc.sparse : NULL;
    const int limit = s && what == dnnl_query_data_type ? md_num_handles(md) : 1;
    if (index < 0 || index >= limit)
        return verbose_check(
                dnnl_invalid_arguments, "memory", "query %d has no index %d", (int)what, index);

    switch ((int)what) {
    case dnnl_query_num_handles_s32: *(int32_t *)result = md_num_handles(md); return dnnl_success;
    case dnnl_query_data_type:
        /* All index buffers of COO have the same type. */
        if (index)
            *(dnnl_data_type_t *)result =
                    s->metadata_types[s->encoding == dnnl_coo ? 0 : index - 1];
        else *(dnnl_data_type_t *)result = md->data_type;
        return dnnl_success;
    case dnnl_query_sparse_encoding:
    case dnnl_query_nnz_s64:
        if (!s)
            return verbose_check(dnnl_invalid_arguments, "memory",
                    "a sparse property asked of a descriptor that is not sparse");
        if (what == dnnl_query_nnz_s64) *(dnnl_dim_t *)result = s->nnz;
        else *(dnnl_sparse_encoding_t *)result = s->encoding;
        return dnnl_success;
    default: return dnnl_memory_desc_query(memory_desc, what, result);
    }
}
