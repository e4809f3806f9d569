/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors of the buffer of another one: a part of it, a new shape, or permuted axes. */
#include <string.h>

#include "core/memory_desc.h"
#include "core/memory_desc_impl.h"
#include "core/util.h"

static bool is_runtime(int64_t v) {
    return v == DNNL_RUNTIME_DIM_VAL;
}

dnnl_status_t md_init_submemory(
        md_t *md, const md_t *parent, const dnnl_dim_t *dims, const dnnl_dim_t *offsets) {
    if (md_has_runtime_dims_or_strides(parent))
        return md_refuse(dnnl_unimplemented,
                "a descriptor with run-time dimensions or strides has no submemory");
    for (int d = 0; d < parent->ndims; d++) {
        int64_t end;
        if (is_runtime(dims[d]) || is_runtime(offsets[d]))
            return md_refuse(
                    dnnl_unimplemented, "a submemory cannot have run-time dimensions or offsets");
        if (dims[d] < 0 || offsets[d] < 0 || !add_ok(dims[d], offsets[d], &end) ||
                end > parent->dims[d])
            return md_refuse(dnnl_invalid_arguments, "the submemory is not inside of its parent");
    }
    if (!md_is_blocked(parent))
        return md_refuse(dnnl_unimplemented, "a descriptor that is not blocked has no submemory");

    md_t part = *parent;
    dnnl_dims_t blocks;
    md_blocks(parent, blocks);
    for (int d = 0; d < parent->ndims; d++) {
        const bool to_the_end = offsets[d] + dims[d] == parent->dims[d];
        int64_t step;
        if (offsets[d] % blocks[d] || parent->padded_offsets[d] ||
                (!to_the_end && dims[d] % blocks[d] && dims[d] > blocks[d]))
            return md_refuse(dnnl_unimplemented, "the submemory starts or ends inside of a block");
        part.dims[d] = dims[d];
        part.padded_dims[d] = to_the_end ? parent->padded_dims[d] - offsets[d] : dims[d];
        if (!mul_ok(offsets[d] / blocks[d], parent->format_desc.blocking.strides[d], &step) ||
                !add_ok(part.offset0, step, &part.offset0))
            return md_refuse(dnnl_invalid_arguments, "the offset of the submemory overflows");
    }
    *md = part;
    return dnnl_success;
}

/* Reshaping goes through both shapes from their ends. Each step takes from each shape the shortest
 * run of dimensions such that both runs have the same number of elements. */
typedef struct {
    const md_t *in;
    md_t *out;
    int in_begin, in_end; /* the run is [begin, end) */
    int out_begin, out_end;
} reshape_t;

static bool has_block(const md_t *md, int dim) {
    const md_blocking_t *b = &md->format_desc.blocking;
    for (int i = 0; i < b->inner_nblks; i++)
        if (b->inner_idxs[i] == dim) return true;
    return false;
}

/* The output gets a dimension of 1 that the input does not have. */
static bool reshape_insert_unit(reshape_t *r) {
    const md_blocking_t *in = &r->in->format_desc.blocking;
    int64_t stride = 1;
    r->out_begin = r->out_end - 1;
    if (r->in_end == r->in->ndims) {
        for (int i = 0; i < in->inner_nblks; i++) stride *= in->inner_blks[i];
    } else {
        dnnl_dims_t blocks;
        md_blocks(r->in, blocks);
        if (!mul_ok(in->strides[r->in_end], r->in->dims[r->in_end], &stride)) return false;
        stride /= blocks[r->in_end];
    }
    r->out->padded_dims[r->out_begin] = 1;
    r->out->padded_offsets[r->out_begin] = 0;
    r->out->format_desc.blocking.strides[r->out_begin] = stride;
    return true;
}

static bool reshape_keep(reshape_t *r) {
    const int from = r->in_begin = r->in_end - 1, to = r->out_begin = r->out_end - 1;
    const md_blocking_t *in = &r->in->format_desc.blocking;
    md_blocking_t *out = &r->out->format_desc.blocking;
    r->out->padded_dims[to] = r->in->padded_dims[from];
    r->out->padded_offsets[to] = r->in->padded_offsets[from];
    out->strides[to] = in->strides[from];
    for (int i = 0; i < in->inner_nblks; i++)
        if (in->inner_idxs[i] == from) out->inner_idxs[i] = to;
    return true;
}

/* Gives the output's run dense strides over the elements of the input's run, which has to be plain
 * and dense. */
static bool reshape_rearrange(reshape_t *r) {
    const md_t *in = r->in;
    const int64_t *strides = in->format_desc.blocking.strides;
    for (int d = r->in_begin; d < r->in_end; d++) {
        int64_t next;
        if (has_block(in, d) || in->padded_dims[d] != in->dims[d] || in->padded_offsets[d])
            return false;
        if (d > r->in_begin && (!mul_ok(in->dims[d], strides[d], &next) || next != strides[d - 1]))
            return false;
    }
    int64_t stride = strides[r->in_end - 1];
    for (int d = r->out_end - 1; d >= r->out_begin; d--) {
        r->out->padded_dims[d] = r->out->dims[d];
        r->out->padded_offsets[d] = 0;
        r->out->format_desc.blocking.strides[d] = stride;
        if (!mul_ok(stride, r->out->dims[d], &stride)) return false;
    }
    return true;
}

static bool reshape_step(reshape_t *r) {
    const md_t *in = r->in, *out = r->out;
    const bool out_is_unit = r->out_end > 0 && out->dims[r->out_end - 1] == 1;
    r->in_begin = r->in_end;
    r->out_begin = r->out_end;

    if (r->in_end > 0 && in->dims[r->in_end - 1] == 1) {
        /* Drops a dimension of 1, unless it has padding. */
        if (in->padded_dims[r->in_end - 1] == 1 && !has_block(in, r->in_end - 1))
            return r->in_begin--, true;
        return out_is_unit && reshape_keep(r);
    }
    if (out_is_unit) return reshape_insert_unit(r);
    if (r->in_end == 0 || r->out_end == 0) return false;

    int64_t in_volume = in->dims[--r->in_begin], out_volume = out->dims[--r->out_begin];
    while (in_volume != out_volume) {
        /* These products cannot overflow: the product of all dimensions was checked. */
        if (in_volume < out_volume) {
            if (r->in_begin == 0) return false;
            in_volume *= in->dims[--r->in_begin];
        } else {
            if (r->out_begin == 0) return false;
            out_volume *= out->dims[--r->out_begin];
        }
        if (in_volume == 0 || out_volume == 0)
            return false; /* a dimension of 0 matches another 0 only */
    }
    const bool single = r->in_begin + 1 == r->in_end && r->out_begin + 1 == r->out_end;
    return single ? reshape_keep(r) : reshape_rearrange(r);
}

static int64_t volume(const dnnl_dim_t *dims, int ndims) {
    int64_t n = 1;
    for (int d = 0; d < ndims; d++)
        if (dims[d] > 0) n *= dims[d];
    return n;
}

static const char *view_problem(const md_t *in) {
    if (md_is_zero(in)) return "the zero descriptor has no axes";
    if (!md_is_any(in) && !md_is_blocked(in))
        return "the axes of this format kind cannot change: only blocked and any";
    if (md_has_runtime_dims_or_strides(in))
        return "the axes of run-time dimensions or strides cannot change";
    return NULL;
}

dnnl_status_t md_init_reshape(md_t *md, const md_t *in, int ndims, const dnnl_dim_t *dims) {
    const char *problem = view_problem(in);
    if (!problem) problem = md_dims_problem(ndims, dims, in->data_type, in->format_kind);
    if (problem) return md_refuse(dnnl_invalid_arguments, problem);
    for (int d = 0; d < ndims; d++)
        if (is_runtime(dims[d]))
            return md_refuse(dnnl_invalid_arguments, "the new shape has run-time dimensions");
    if (volume(in->dims, in->ndims) != volume(dims, ndims))
        return md_refuse(dnnl_invalid_arguments, "the new shape has another number of elements");
    if (in->extra.flags)
        return md_refuse(
                dnnl_invalid_arguments, "a descriptor with compensation data cannot be reshaped");
    if (md_is_any(in) || ndims == 0)
        return md_init_tag(md, ndims, dims, in->data_type, dnnl_format_tag_any);

    md_t out = {.ndims = ndims,
            .data_type = in->data_type,
            .format_kind = dnnl_blocked,
            .offset0 = in->offset0};
    const md_blocking_t *b = &in->format_desc.blocking;
    memcpy(out.dims, dims, (size_t)ndims * sizeof(*dims));
    out.format_desc.blocking.inner_nblks = b->inner_nblks;
    memcpy(out.format_desc.blocking.inner_blks, b->inner_blks, sizeof(b->inner_blks));

    reshape_t r = {.in = in, .out = &out, .in_end = in->ndims, .out_end = ndims};
    while (r.in_end || r.out_end) {
        if (!reshape_step(&r))
            return md_refuse(
                    dnnl_invalid_arguments, "the layout cannot be expressed in the new shape");
        r.in_end = r.in_begin;
        r.out_end = r.out_begin;
    }
    *md = out;
    return dnnl_success;
}

dnnl_status_t md_init_permute(md_t *md, const md_t *in, const int *permutation) {
    const uint64_t gpu = MD_EXTRA_COMP_GPU_ASYMM_SRC, bwd = MD_EXTRA_COMP_GPU_ASYMM_SRC_BWD,
                   swap = MD_EXTRA_COMP_GPU_ASYMM_SRC_SWAP;
    const uint64_t flags = in->extra.flags;
    const char *problem = view_problem(in);
    unsigned seen = 0;
    if (problem) return md_refuse(dnnl_invalid_arguments, problem);
    if (flags && flags != gpu && flags != (gpu | bwd) && flags != (gpu | bwd | swap))
        return md_refuse(dnnl_invalid_arguments,
                "the axes of a descriptor with compensation data cannot be permuted");
    for (int d = 0; d < in->ndims; d++)
        if (permutation[d] >= 0 && permutation[d] < in->ndims) seen |= 1u << permutation[d];
    if (seen != (1u << in->ndims) - 1)
        return md_refuse(dnnl_invalid_arguments, "the list is not a permutation of the axes");

    md_t out = *in;
    const md_blocking_t *from = &in->format_desc.blocking;
    md_blocking_t *to = &out.format_desc.blocking;
    for (int d = 0; d < in->ndims; d++) {
        const int p = permutation[d];
        out.dims[p] = in->dims[d];
        out.padded_dims[p] = in->padded_dims[d];
        out.padded_offsets[p] = in->padded_offsets[d];
        if (md_is_blocked(in)) to->strides[p] = from->strides[d];
    }
    if (md_is_blocked(in))
        for (int i = 0; i < from->inner_nblks; i++)
            to->inner_idxs[i] = permutation[from->inner_idxs[i]];
    *md = out;
    return dnnl_success;
}
