/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of memory descriptors with more than one buffer. */
#include <string.h>

#include "core/memory_desc.h"
#include "core/memory_desc_impl.h"

/* Clears *md and sets the fields that all encodings have. */
static const char *start(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        dnnl_sparse_encoding_t encoding, dnnl_dim_t nnz, dnnl_data_type_t meta0,
        dnnl_data_type_t meta1) {
    md_t fresh = {.ndims = ndims, .data_type = dt, .format_kind = dnnl_format_kind_sparse};
    md_sparse_t *s = &fresh.format_desc.sparse;
    const char *problem = md_dims_problem(ndims, dims, dt, dnnl_format_kind_sparse);
    int64_t bytes;
    if (problem) return problem;
    if (nnz < 0 || !dt_bytes_ok(dnnl_s64, nnz, &bytes))
        return "the number of non-zero entries is negative or overflows";
    memcpy(fresh.dims, dims, (size_t)ndims * sizeof(*dims));
    memcpy(fresh.padded_dims, dims, (size_t)ndims * sizeof(*dims));
    s->encoding = encoding;
    s->nnz = nnz;
    s->metadata_types[0] = meta0;
    s->metadata_types[1] = meta1;
    *md = fresh;
    return NULL;
}

static const char few_dims[] = "the encoding exists for one and two dimensions only";
static const char index_type[] = "a tensor cannot have the data type of the indices or pointers";

dnnl_status_t md_init_csr(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        dnnl_dim_t nnz, dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt) {
    if (ndims == 0) return memset(md, 0, sizeof(*md)), dnnl_success;
    if (ndims > 2) return md_refuse(dnnl_unimplemented, few_dims);
    if (!dt_is_tensor_type(indices_dt) || !dt_is_tensor_type(pointers_dt))
        return md_refuse(dnnl_invalid_arguments, index_type);
    return md_refuse(dnnl_invalid_arguments,
            start(md, ndims, dims, dt, dnnl_csr, nnz, indices_dt, pointers_dt));
}

dnnl_status_t md_init_coo(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        dnnl_dim_t nnz, dnnl_data_type_t indices_dt) {
    if (ndims == 0) return memset(md, 0, sizeof(*md)), dnnl_success;
    if (ndims > 2) return md_refuse(dnnl_unimplemented, few_dims);
    if (!dt_is_tensor_type(indices_dt)) return md_refuse(dnnl_invalid_arguments, index_type);
    return md_refuse(dnnl_invalid_arguments,
            start(md, ndims, dims, dt, dnnl_coo, nnz, indices_dt, dnnl_data_type_undef));
}

dnnl_status_t md_init_packed(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_dim_t nnz) {
    if (ndims == 0) return memset(md, 0, sizeof(*md)), dnnl_success;
    return md_refuse(dnnl_invalid_arguments, start(md, ndims, dims, dt, dnnl_packed, nnz,
                                                     dnnl_data_type_undef, dnnl_data_type_undef));
}

dnnl_status_t md_init_grouped(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        int variable_dim_idx, dnnl_dim_t group_count, dnnl_data_type_t offsets_dt) {
    int64_t bytes;
    if (ndims == 0) return memset(md, 0, sizeof(*md)), dnnl_success;
    if (ndims != 2)
        return md_refuse(dnnl_unimplemented, "the grouped encoding exists for two dimensions only");
    const char *problem = md_dims_problem(ndims, dims, dt, dnnl_format_kind_sparse);
    if (problem) return md_refuse(dnnl_invalid_arguments, problem);
    if (dims[0] <= 0 || dims[1] <= 0)
        return md_refuse(
                dnnl_invalid_arguments, "the grouped encoding has no zero or run-time dimensions");
    if (group_count <= 0 || !dt_bytes_ok(dnnl_s32, group_count, &bytes))
        return md_refuse(
                dnnl_invalid_arguments, "the number of groups is not positive or overflows");
    if (offsets_dt != dnnl_s32)
        return md_refuse(
                dnnl_invalid_arguments, "the offsets of the groups have to be of type s32");
    if (variable_dim_idx != 0 && variable_dim_idx != 1)
        return md_refuse(dnnl_invalid_arguments, "the variable dimension is not 0 or 1");

    problem = start(
            md, ndims, dims, dt, dnnl_grouped, dims[0] * dims[1], offsets_dt, dnnl_data_type_undef);
    if (problem) return md_refuse(dnnl_invalid_arguments, problem);
    /* The dimension that varies between groups is the slow one, so that one group follows the
     * other. */
    md_grouped_t *g = &md->format_desc.sparse.grouped;
    g->group_count = group_count;
    g->variable_dim_idx = variable_dim_idx;
    g->strides[variable_dim_idx] = dims[1 - variable_dim_idx];
    g->strides[1 - variable_dim_idx] = 1;
    return dnnl_success;
}
