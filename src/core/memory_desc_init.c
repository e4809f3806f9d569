/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of dense memory descriptors: from strides, from a tag, from another descriptor's
 * layout. */
#include <string.h>

#include "core/memory_desc.h"
#include "core/memory_desc_impl.h"
#include "core/tags.h"
#include "core/util.h"
#include "core/verbose.h"

static bool is_runtime(int64_t v) {
    return v == DNNL_RUNTIME_DIM_VAL;
}

dnnl_status_t md_refuse_at(dnnl_status_t status, const char *what, const char *file, int line) {
    if (!what) return dnnl_success;
    return verbose_sentence(
            status, VERBOSE_CHECK, "create:check", "memory", file, line, "%s", what);
}

const char *md_dims_problem(
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_kind_t kind) {
    if (ndims == 0) return NULL;
    if (ndims < 0 || ndims > DNNL_MAX_NDIMS)
        return "the number of dimensions is not between 0 and 12";
    if (!dims) return "dims is NULL";
    if (!dt_is_tensor_type(dt)) return "a tensor cannot have this data type";

    int64_t product = 1;
    for (int d = 0; d < ndims; d++) {
        if (is_runtime(dims[d])) {
            if (kind == dnnl_format_kind_any)
                return "a descriptor of format kind any cannot have run-time dimensions";
        } else if (dims[d] < 0) {
            return "a dimension is negative";
        } else if (dims[d] > 0 && !mul_ok(product, dims[d], &product)) {
            return "the product of the dimensions overflows";
        }
    }
    return NULL;
}

/* Sorts the dimensions from the fastest to the slowest. Among equal strides, dimensions of one
 * block go first. */
static void order_by_stride(const md_t *md, const int64_t *count, int *order) {
    const int64_t *strides = md->format_desc.blocking.strides;
    for (int d = 0; d < md->ndims; d++) {
        int at = d;
        for (; at > 0; at--) {
            const int other = order[at - 1];
            if (strides[other] < strides[d] ||
                    (strides[other] == strides[d] && count[other] <= count[d]))
                break;
            order[at] = other;
        }
        order[at] = d;
    }
}

const char *md_layout_problem(const md_t *md) {
    const md_blocking_t *b = &md->format_desc.blocking;
    dnnl_dims_t blocks, count;
    int order[DNNL_MAX_NDIMS];
    int64_t reach = 1, bytes;
    bool known = true;

    for (int i = 0; i < b->inner_nblks; i++)
        if (!mul_ok(reach, b->inner_blks[i], &reach))
            return "the product of the inner blocks overflows";
    md_blocks(md, blocks);
    for (int d = 0; d < md->ndims; d++) {
        if (b->strides[d] < 0 && !is_runtime(b->strides[d])) return "a stride is negative";
        if (is_runtime(b->strides[d]) || is_runtime(md->padded_dims[d]) || md->padded_dims[d] == 0)
            known = false;
    }
    if (!known) return NULL; /* no elements, or run-time values: nothing to check */

    for (int d = 0; d < md->ndims; d++) count[d] = div_up(md->padded_dims[d], blocks[d]);
    order_by_stride(md, count, order);
    for (int i = 0; i < md->ndims; i++) {
        const int d = order[i];
        /* A stride of 0 is a broadcast. The stride of a single block is never used, and frameworks
         * put any value there. */
        if (b->strides[d] == 0 || count[d] == 1) continue;
        if (b->strides[d] < reach)
            return "elements overlap: a stride is smaller than the extent of the faster dimensions";
        if (!mul_ok(b->strides[d], count[d], &reach)) return "a stride overflows";
    }
    if (!md_bytes_ok(md, &bytes)) return "the size in bytes overflows";
    return NULL;
}

/* A byte has two elements of a 4-bit type, so each row has to start at an even element. */
static const char *stride_parity_problem(const md_t *md) {
    if (dt_bits(md->data_type) >= 8 || md_has_zero_dim(md) || md_has_runtime_dims_or_strides(md))
        return NULL;
    for (int d = 0; d < md->ndims; d++) {
        const int64_t stride = md->format_desc.blocking.strides[d];
        if (md->padded_dims[d] != 1 && stride > 1 && stride % 2)
            return "a stride of a 4-bit data type is odd";
    }
    return NULL;
}

static void start(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_kind_t kind) {
    md_t fresh = {.ndims = ndims, .data_type = dt, .format_kind = kind};
    memcpy(fresh.dims, dims, (size_t)ndims * sizeof(*dims));
    memcpy(fresh.padded_dims, dims, (size_t)ndims * sizeof(*dims));
    *md = fresh; /* dims may point into *md */
}

/* Sets the dense strides of a layout over the dims of *md. */
static const char *apply_layout(md_t *md, const layout_t *layout, bool count_zeros) {
    md_blocking_t *b = &md->format_desc.blocking;
    dnnl_dims_t blocks;
    int64_t stride = 1;

    if (layout->ndims != md->ndims) return "the tag is for another number of dimensions";
    memset(&md->format_desc, 0, sizeof(md->format_desc));
    md->format_kind = dnnl_blocked;
    b->inner_nblks = layout->nblks;
    for (int i = 0; i < layout->nblks; i++) {
        b->inner_blks[i] = layout->blk[i];
        b->inner_idxs[i] = layout->blk_dim[i];
        if (!mul_ok(stride, layout->blk[i], &stride))
            return "the product of the inner blocks overflows";
    }
    md_blocks(md, blocks);
    for (int i = md->ndims - 1; i >= 0; i--) {
        const int d = layout->order[i];
        b->strides[d] = stride;
        if (is_runtime(md->dims[d])) {
            md->padded_dims[d] = stride = DNNL_RUNTIME_DIM_VAL;
            continue;
        }
        if (!round_up_ok(md->dims[d], blocks[d], &md->padded_dims[d]))
            return "a padded dimension overflows";
        if (is_runtime(stride) || (md->dims[d] == 0 && !count_zeros)) continue;
        if (!mul_ok(stride, md->padded_dims[d] / blocks[d], &stride)) return "a stride overflows";
    }
    const char *problem = md_layout_problem(md);
    return problem ? problem : stride_parity_problem(md);
}

static const char *build(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        const layout_t *layout, bool count_zeros) {
    md_t fresh;
    const char *problem = md_dims_problem(ndims, dims, dt, dnnl_blocked);
    if (problem) return problem;
    start(&fresh, ndims, dims, dt, dnnl_blocked);
    problem = apply_layout(&fresh, layout, count_zeros);
    if (!problem) *md = fresh;
    return problem;
}

dnnl_status_t md_init_tag(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_tag_t tag) {
    layout_t layout;
    if (ndims == 0 || tag == dnnl_format_tag_undef) return memset(md, 0, sizeof(*md)), dnnl_success;
    if (tag == dnnl_format_tag_any) {
        const char *problem = md_dims_problem(ndims, dims, dt, dnnl_format_kind_any);
        if (!problem) start(md, ndims, dims, dt, dnnl_format_kind_any);
        return md_refuse(dnnl_invalid_arguments, problem);
    }
    if (!layout_of_tag(tag, &layout))
        return md_refuse(dnnl_invalid_arguments, "unknown format tag");
    return md_refuse(dnnl_invalid_arguments, build(md, ndims, dims, dt, &layout, false));
}

dnnl_status_t md_init_string_tag(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, const char *tag) {
    layout_t layout;
    if (!tag || !layout_parse(tag, &layout))
        return md_refuse(dnnl_invalid_arguments, "the tag does not spell a layout");
    return md_refuse(dnnl_invalid_arguments, build(md, ndims, dims, dt, &layout, true));
}

dnnl_status_t md_init_strides(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        const dnnl_dim_t *strides) {
    md_t fresh;
    if (ndims == 0) return memset(md, 0, sizeof(*md)), dnnl_success;
    const char *problem = md_dims_problem(ndims, dims, dt, dnnl_blocked);
    if (problem) return md_refuse(dnnl_invalid_arguments, problem);

    start(&fresh, ndims, dims, dt, dnnl_blocked);
    int64_t *out = fresh.format_desc.blocking.strides;
    if (strides) {
        memcpy(out, strides, (size_t)ndims * sizeof(*strides));
    } else {
        /* A run-time dimension makes its own stride a run-time value too, so that a memory object
         * may have padded rows. */
        bool runtime = false;
        out[ndims - 1] = 1;
        for (int d = ndims - 2; d >= 0; d--) {
            runtime = runtime || is_runtime(dims[d]) || is_runtime(dims[d + 1]);
            if (runtime) out[d] = DNNL_RUNTIME_DIM_VAL;
            else if (!mul_ok(out[d + 1], dims[d + 1], &out[d]))
                return md_refuse(dnnl_invalid_arguments, "a stride overflows");
        }
    }
    problem = md_layout_problem(&fresh);
    if (!problem) problem = stride_parity_problem(&fresh);
    if (!problem) *md = fresh;
    return md_refuse(dnnl_invalid_arguments, problem);
}

static dnnl_status_t set_layout(md_t *md, const layout_t *layout) {
    if (!md_is_any(md))
        return md_refuse(dnnl_invalid_arguments,
                "only a descriptor of format kind any can be given a layout");
    return md_refuse(
            dnnl_invalid_arguments, build(md, md->ndims, md->dims, md->data_type, layout, false));
}

dnnl_status_t md_set_tag(md_t *md, dnnl_format_tag_t tag) {
    layout_t layout;
    if (!layout_of_tag(tag, &layout))
        return md_refuse(dnnl_invalid_arguments, "unknown format tag");
    return set_layout(md, &layout);
}

dnnl_status_t md_set_plain(md_t *md) {
    layout_t layout = {.ndims = md->ndims};
    int inner = md->ndims - 1;
    if (dt_bits(md->data_type) < 8)
        while (inner > 0 && md->dims[inner] % 2) inner--;
    if (inner >= 0 && md->dims[inner] % 2) inner = md->ndims - 1;
    for (int d = 0; d < md->ndims; d++) layout.order[d] = d < inner ? d : d + 1;
    if (md->ndims) layout.order[md->ndims - 1] = inner;
    return set_layout(md, &layout);
}

dnnl_status_t md_set_like(md_t *md, const md_t *like) {
    if (!md_is_blocked(like)) return md_set_plain(md);
    const md_blocking_t *b = &like->format_desc.blocking;
    layout_t layout = {.ndims = like->ndims, .nblks = b->inner_nblks};
    md_order(like, layout.order);
    for (int i = 0; i < b->inner_nblks; i++) {
        layout.blk[i] = (int)b->inner_blks[i];
        layout.blk_dim[i] = (int)b->inner_idxs[i];
    }
    return set_layout(md, &layout);
}

dnnl_status_t md_init_host_scalar(md_t *md, dnnl_data_type_t dt) {
    const dnnl_dim_t one = 1;
    const char *problem = md_dims_problem(1, &one, dt, dnnl_format_kind_host_scalar);
    if (!problem) start(md, 1, &one, dt, dnnl_format_kind_host_scalar);
    return md_refuse(dnnl_invalid_arguments, problem);
}

bool md_matches_tag(const md_t *md, dnnl_format_tag_t tag) {
    layout_t layout;
    md_t gold;
    if (!md_is_blocked(md) || !layout_of_tag(tag, &layout) || layout.ndims != md->ndims)
        return false;
    if (build(&gold, md->ndims, md->dims, md->data_type, &layout, false)) return false;
    memcpy(gold.padded_dims, md->padded_dims,
            sizeof(gold.padded_dims)); /* a tag does not determine them */
    memcpy(gold.padded_offsets, md->padded_offsets, sizeof(gold.padded_offsets));
    return md_same_layout(md, &gold);
}
