/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of memory descriptors that anybody may have written: blobs, and descriptors whose fields a
 * program has changed. */
#include <math.h>
#include <string.h>

#include "core/memory_desc.h"
#include "core/memory_desc_impl.h"
#include "core/util.h"

static bool is_runtime(int64_t v) {
    return v == DNNL_RUNTIME_DIM_VAL;
}

static const char *padding_problem(const md_t *raw) {
    int64_t end, product = 1;
    for (int d = 0; d < raw->ndims; d++) {
        if (is_runtime(raw->dims[d]) != is_runtime(raw->padded_dims[d]))
            return "a dimension and its padded dimension are not both run-time values";
        if (raw->padded_offsets[d] < 0) return "a padded offset is negative";
        if (is_runtime(raw->dims[d])) continue;
        if (!add_ok(raw->dims[d], raw->padded_offsets[d], &end) || end > raw->padded_dims[d])
            return "a padded dimension is smaller than the dimension and its offset";
        if (raw->padded_dims[d] && !mul_ok(product, raw->padded_dims[d], &product))
            return "the product of the padded dimensions overflows";
    }
    return raw->offset0 < 0 ? "the offset is negative" : NULL;
}

static const char *blocks_problem(const md_t *raw) {
    const md_blocking_t *b = &raw->format_desc.blocking;
    if (b->inner_nblks < 0 || b->inner_nblks > DNNL_MAX_NDIMS)
        return "the number of inner blocks is not between 0 and 12";
    for (int i = 0; i < b->inner_nblks; i++) {
        if (b->inner_idxs[i] < 0 || b->inner_idxs[i] >= raw->ndims)
            return "an inner block is of a dimension that does not exist";
        if (b->inner_blks[i] < 1 || b->inner_blks[i] > INT32_MAX)
            return "the size of an inner block is out of range";
    }
    /* Before others, since it checks that the product of the blocks does not overflow. */
    return md_layout_problem(raw);
}

static const char *blocked_problem(const md_t *raw) {
    dnnl_dims_t blocks;
    int64_t span, end, bytes;
    const char *problem = padding_problem(raw);
    if (!problem) problem = blocks_problem(raw);
    if (problem) return problem;

    md_blocks(raw, blocks);
    /* md_init_submemory() can make a dimension that is a part of a block. */
    for (int d = 0; d < raw->ndims; d++)
        if (!is_runtime(raw->padded_dims[d]) && raw->padded_dims[d] % blocks[d] &&
                raw->padded_dims[d] > blocks[d])
            return "a padded dimension is not a multiple of its block";
    if (!md_has_runtime_dims_or_strides(raw) &&
            (!md_span_ok(raw, &span) || !add_ok(span, raw->offset0, &end) ||
                    !dt_bytes_ok(raw->data_type, end, &bytes)))
        return "the end of the tensor overflows";
    return NULL;
}

static const char *extra_problem(const md_t *raw) {
    const md_extra_t *x = &raw->extra;
    const int all = (1 << raw->ndims) - 1;
    if (x->flags == 0) return NULL;
    if (x->flags & ~(uint64_t)MD_EXTRA_ALL)
        return "the flags of the compensation data have unknown bits";
    if (x->compensation_mask & ~all || x->asymm_compensation_mask & ~all || x->dst_size < 0 ||
            !isfinite(x->scale_adjust))
        return "the compensation data do not match the dimensions";
    return NULL;
}

static void copy(dnnl_dim_t *to, const dnnl_dim_t *from, int n) {
    memcpy(to, from, (size_t)n * sizeof(*from));
}

static const char *tensor_problem(const md_t *raw) {
    const char *problem = md_dims_problem(raw->ndims, raw->dims, raw->data_type, raw->format_kind);
    if (!problem) problem = extra_problem(raw);
    return problem ? problem : blocked_problem(raw);
}

/* Fields that a descriptor of this kind does not use become 0, whatever the blob has there. */
static dnnl_status_t init_blocked(md_t *md, const md_t *raw) {
    const char *problem = tensor_problem(raw);
    if (problem) return md_refuse(dnnl_invalid_arguments, problem);

    md_t fresh = {.ndims = raw->ndims,
            .data_type = raw->data_type,
            .format_kind = dnnl_blocked,
            .offset0 = raw->offset0};
    const md_blocking_t *from = &raw->format_desc.blocking;
    md_blocking_t *to = &fresh.format_desc.blocking;
    copy(fresh.dims, raw->dims, raw->ndims);
    copy(fresh.padded_dims, raw->padded_dims, raw->ndims);
    copy(fresh.padded_offsets, raw->padded_offsets, raw->ndims);
    copy(to->strides, from->strides, raw->ndims);
    copy(to->inner_blks, from->inner_blks, from->inner_nblks);
    copy(to->inner_idxs, from->inner_idxs, from->inner_nblks);
    to->inner_nblks = from->inner_nblks;
    if (raw->extra.flags) fresh.extra = raw->extra;
    *md = fresh;
    return dnnl_success;
}

/* The other kinds have few parameters. A descriptor made from them must be equal to the given
 * one. */
static dnnl_status_t rebuild(md_t *md, const md_t *raw) {
    const md_sparse_t *s = &raw->format_desc.sparse;
    const int ndims = raw->ndims;
    const dnnl_dim_t *dims = raw->dims;
    const dnnl_data_type_t dt = raw->data_type;

    if (raw->format_kind == dnnl_format_kind_any)
        return md_init_tag(md, ndims, dims, dt, dnnl_format_tag_any);
    if (raw->format_kind == dnnl_format_kind_host_scalar) return md_init_host_scalar(md, dt);
    if (raw->format_kind != dnnl_format_kind_sparse) return dnnl_invalid_arguments;
    switch ((int)s->encoding) {
    case dnnl_csr:
        return md_init_csr(md, ndims, dims, dt, s->nnz, s->metadata_types[0], s->metadata_types[1]);
    case dnnl_coo: return md_init_coo(md, ndims, dims, dt, s->nnz, s->metadata_types[0]);
    case dnnl_packed: return md_init_packed(md, ndims, dims, dt, s->nnz);
    case dnnl_grouped:
        return md_init_grouped(md, ndims, dims, dt, s->grouped.variable_dim_idx,
                s->grouped.group_count, s->metadata_types[0]);
    default: return dnnl_invalid_arguments;
    }
}

dnnl_status_t md_init_blob(md_t *md, const uint8_t *blob) {
    md_t raw, fresh;
    memcpy(&raw, blob, sizeof(raw));
    if (raw.ndims == 0) {
        if (raw.data_type != dnnl_data_type_undef || raw.format_kind != dnnl_format_kind_undef)
            return md_refuse(dnnl_invalid_arguments,
                    "the blob has a data type or a format kind, but no dimensions");
        memset(md, 0, sizeof(*md));
        return dnnl_success;
    }
    if (raw.ndims < 0 || raw.ndims > DNNL_MAX_NDIMS)
        return md_refuse(
                dnnl_invalid_arguments, "the number of dimensions is not between 0 and 12");
    if (raw.format_kind == dnnl_blocked) return init_blocked(md, &raw);
    if (rebuild(&fresh, &raw) || !md_equal(&fresh, &raw))
        return md_refuse(dnnl_invalid_arguments, "the blob is not a descriptor of its format kind");
    *md = fresh;
    return dnnl_success;
}

bool md_counts_ok(const md_t *md) {
    const int nblks = md_is_blocked(md) ? md->format_desc.blocking.inner_nblks : 0;
    return md->ndims >= 0 && md->ndims <= DNNL_MAX_NDIMS && nblks >= 0 && nblks <= DNNL_MAX_NDIMS;
}

const char *md_problem(const md_t *md) {
    md_t fresh;
    if (md_is_zero(md)) return NULL;
    if (!md_counts_ok(md)) return "the number of dimensions or of blocks is not between 0 and 12";
    if (md_is_blocked(md)) return tensor_problem(md);
    /* Programs often make one by hand from another descriptor. Its padding has no meaning. */
    if (md_is_any(md)) {
        const char *problem = md_dims_problem(md->ndims, md->dims, md->data_type, md->format_kind);
        return problem ? problem : padding_problem(md);
    }
    if (rebuild(&fresh, md) || !md_equal(&fresh, md)) return "not a descriptor of its format kind";
    return NULL;
}
