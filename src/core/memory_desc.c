/* SPDX-License-Identifier: Apache-2.0 */
/* What memory descriptors say about themselves: predicates, sizes, offsets, equality, hashing. */
#include "core/memory_desc.h"

#include <string.h>

#include "core/hash.h"
#include "core/memory_desc_impl.h"
#include "core/util.h"

bool md_is_zero(const md_t *md) {
    return !md || md->ndims == 0;
}
bool md_is_any(const md_t *md) {
    return md && md->format_kind == dnnl_format_kind_any;
}
bool md_is_blocked(const md_t *md) {
    return md && md->format_kind == dnnl_blocked;
}
bool md_is_plain(const md_t *md) {
    return md_is_blocked(md) && md->format_desc.blocking.inner_nblks == 0;
}
bool md_is_host_scalar(const md_t *md) {
    return md && md->format_kind == dnnl_format_kind_host_scalar;
}
bool md_is_sparse(const md_t *md) {
    return md && md->format_kind == dnnl_format_kind_sparse;
}

bool md_is_grouped(const md_t *md) {
    return md_is_sparse(md) && md->format_desc.sparse.encoding == dnnl_grouped;
}

static bool any_equals(const int64_t *v, int n, int64_t wanted) {
    for (int i = 0; i < n; i++)
        if (v[i] == wanted) return true;
    return false;
}

bool md_has_zero_dim(const md_t *md) {
    return md_is_zero(md) || any_equals(md->dims, md->ndims, 0);
}

bool md_has_runtime_dims(const md_t *md) {
    return md && any_equals(md->dims, md->ndims, DNNL_RUNTIME_DIM_VAL);
}

bool md_has_runtime_dims_or_strides(const md_t *md) {
    return md_has_runtime_dims(md) ||
           (md_is_blocked(md) &&
                   any_equals(md->format_desc.blocking.strides, md->ndims, DNNL_RUNTIME_DIM_VAL));
}

bool md_is_instance(const md_t *promised, const md_t *md) {
    if (md->ndims != promised->ndims || md->data_type != promised->data_type || !md_is_blocked(md))
        return false;
    for (int d = 0; d < md->ndims; d++) {
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL) return false;
        if (promised->dims[d] != DNNL_RUNTIME_DIM_VAL && promised->dims[d] != md->dims[d])
            return false;
    }
    if (!md_is_blocked(promised)) return true;
    const md_blocking_t *a = &promised->format_desc.blocking, *b = &md->format_desc.blocking;
    for (int d = 0; d < md->ndims; d++)
        if (a->strides[d] != DNNL_RUNTIME_DIM_VAL && md->dims[d] > 1 &&
                a->strides[d] != b->strides[d])
            return false;
    return a->inner_nblks == b->inner_nblks &&
           memcmp(a->inner_blks, b->inner_blks,
                   (size_t)a->inner_nblks * sizeof(a->inner_blks[0])) == 0 &&
           memcmp(a->inner_idxs, b->inner_idxs,
                   (size_t)a->inner_nblks * sizeof(a->inner_idxs[0])) == 0;
}

void md_blocks(const md_t *md, dnnl_dim_t *blocks) {
    for (int d = 0; d < md->ndims; d++) blocks[d] = 1;
    if (!md_is_blocked(md)) return;
    const md_blocking_t *b = &md->format_desc.blocking;
    for (int i = 0; i < b->inner_nblks; i++) blocks[b->inner_idxs[i]] *= b->inner_blks[i];
}

int64_t md_nelems(const md_t *md, bool with_padding) {
    if (md_is_zero(md)) return 0;
    if (md_has_runtime_dims(md)) return DNNL_RUNTIME_DIM_VAL;
    int64_t n = 1;
    for (int d = 0; d < md->ndims; d++) n *= with_padding ? md->padded_dims[d] : md->dims[d];
    return n;
}

bool md_span_ok(const md_t *md, int64_t *span) {
    const md_blocking_t *b = &md->format_desc.blocking;
    dnnl_dims_t blocks;
    *span = 0;
    if (md_has_zero_dim(md)) return true;
    *span = 1; /* also if all strides are 0 */
    md_blocks(md, blocks);
    for (int d = 0; d < md->ndims; d++) {
        /* A submemory that is smaller than a block still occupies the whole block. */
        const int64_t count = div_up(md->padded_dims[d], blocks[d]);
        int64_t reach;
        if (!mul_ok(count, count == 1 ? 1 : b->strides[d], &reach)) return false;
        *span = max_i64(*span, reach);
    }
    if (*span == 1)
        for (int i = 0; i < b->inner_nblks; i++) *span *= b->inner_blks[i];
    return true;
}

int64_t md_span(const md_t *md) {
    int64_t span;
    if (!md_is_blocked(md)) return 0;
    if (!md_has_zero_dim(md) && md_has_runtime_dims_or_strides(md)) return DNNL_RUNTIME_DIM_VAL;
    return md_span_ok(md, &span) ? span : INT64_MAX;
}

bool dt_bytes_ok(dnnl_data_type_t dt, int64_t nelems, int64_t *bytes) {
    if (dt_bits(dt) < 8) return *bytes = nelems / 2 + nelems % 2, true;
    return mul_ok(nelems, (int64_t)dt_size(dt), bytes);
}

/* Bytes of the compensation that int8 weights have behind their data. Such descriptors come from
 * blobs only. */
static bool extra_bytes_ok(const md_t *md, int64_t *bytes) {
    const md_extra_t *x = &md->extra;
    const struct {
        uint64_t flag;
        int mask;
    } masked[] = {
            {MD_EXTRA_COMP_S8S8, x->compensation_mask},
            {MD_EXTRA_RNN_U8S8_COMP, x->compensation_mask},
            {MD_EXTRA_COMP_ASYMM_SRC, x->asymm_compensation_mask},
    };
    *bytes = x->flags & MD_EXTRA_COMP_GPU_ASYMM_SRC ? x->dst_size : 0;
    for (int i = 0; i < ARRAY_LEN(masked); i++) {
        if (!(x->flags & masked[i].flag)) continue;
        int64_t n = 4;
        for (int d = 0; d < md->ndims; d++)
            if ((masked[i].mask & 1 << d) && !mul_ok(n, md->padded_dims[d], &n)) return false;
        if (!add_ok(*bytes, n, bytes)) return false;
    }
    return true;
}

bool md_bytes_ok(const md_t *md, int64_t *bytes) {
    const uint64_t with_buffer = MD_EXTRA_COMP_S8S8 | MD_EXTRA_RNN_U8S8_COMP |
                                 MD_EXTRA_COMP_ASYMM_SRC | MD_EXTRA_COMP_GPU_ASYMM_SRC;
    int64_t span, extra;
    if (!md_span_ok(md, &span) || !dt_bytes_ok(md->data_type, span, bytes)) return false;
    if (!span || !(md->extra.flags & with_buffer)) return true;
    return round_up_ok(*bytes, 4, bytes) && extra_bytes_ok(md, &extra) &&
           add_ok(*bytes, extra, bytes);
}

/* The number and type of the elements in one handle of a sparse descriptor; 0 for a handle that it
 * does not have. */
static int64_t sparse_handle(const md_t *md, int index, dnnl_data_type_t *dt) {
    const md_sparse_t *s = &md->format_desc.sparse;
    *dt = index == 0 ? md->data_type : s->metadata_types[0];
    switch (s->encoding) {
    case dnnl_csr:
        if (index != 2) return index <= 2 ? s->nnz : 0;
        *dt = s->metadata_types[1];
        return md->dims[0] + 1;
    case dnnl_coo: return index <= md->ndims ? s->nnz : 0;
    case dnnl_grouped: return index == 0 ? s->nnz : index == 1 ? s->grouped.group_count : 0;
    default: return 0; /* packed: an implementation has to choose the layout first */
    }
}

size_t md_size(const md_t *md, int index) {
    int64_t bytes = 0;
    dnnl_data_type_t dt;
    if (md_has_zero_dim(md) || index < 0) return 0;
    switch ((int)md->format_kind) {
    case dnnl_blocked:
        if (index) return 0;
        if (md_has_runtime_dims_or_strides(md)) return DNNL_RUNTIME_SIZE_VAL;
        return md_bytes_ok(md, &bytes) ? (size_t)bytes : SIZE_MAX;
    case dnnl_format_kind_sparse: {
        if (md_has_runtime_dims(md)) return DNNL_RUNTIME_SIZE_VAL;
        const int64_t n = sparse_handle(md, index, &dt);
        return dt_bytes_ok(dt, n, &bytes) ? (size_t)bytes : SIZE_MAX;
    }
    case dnnl_format_kind_host_scalar: return index ? 0 : dt_size(md->data_type);
    default: return 0;
    }
}

dnnl_data_type_t md_handle_type(const md_t *md, int index) {
    dnnl_data_type_t dt = md->data_type;
    if (md_is_sparse(md)) sparse_handle(md, index, &dt);
    return dt;
}

int md_num_handles(const md_t *md) {
    if (!md_is_sparse(md)) return 1;
    switch (md->format_desc.sparse.encoding) {
    case dnnl_packed: return 3;
    case dnnl_grouped: return 2;
    default: return md->ndims + 1;
    }
}

int64_t md_offset(const md_t *md, const dnnl_dim_t *pos) {
    if (!md_is_blocked(md)) return 0;
    const md_blocking_t *b = &md->format_desc.blocking;
    dnnl_dims_t outer;
    int64_t offset = md->offset0, inner_stride = 1;
    for (int d = 0; d < md->ndims; d++) outer[d] = pos[d] + md->padded_offsets[d];
    for (int i = b->inner_nblks - 1; i >= 0; i--) {
        int64_t *p = &outer[b->inner_idxs[i]];
        offset += *p % b->inner_blks[i] * inner_stride;
        *p /= b->inner_blks[i];
        inner_stride *= b->inner_blks[i];
    }
    for (int d = 0; d < md->ndims; d++) offset += outer[d] * b->strides[d];
    return offset;
}

int64_t md_end(const md_t *md) {
    dnnl_dims_t blocks, last;
    if (!md_is_blocked(md) || md_has_zero_dim(md)) return 0;
    md_blocks(md, blocks);
    for (int d = 0; d < md->ndims; d++) {
        const int64_t end = md->padded_offsets[d] + md->padded_dims[d];
        last[d] = div_up(end, blocks[d]) * blocks[d] - 1 - md->padded_offsets[d];
    }
    return md_offset(md, last) + 1;
}

bool md_is_dense(const md_t *md, bool with_padding) {
    if (!md_is_blocked(md) || md_is_zero(md) || md_has_runtime_dims_or_strides(md)) return false;
    if (any_equals(md->format_desc.blocking.strides, md->ndims, 0) && !md_has_zero_dim(md))
        return false;
    return md_nelems(md, with_padding) == md_span(md);
}

bool md_repeats(const md_t *md) {
    dnnl_dims_t blocks;
    if (!md_is_blocked(md) || md_has_zero_dim(md)) return false;
    md_blocks(md, blocks);
    for (int d = 0; d < md->ndims; d++)
        if (md->format_desc.blocking.strides[d] == 0 && md->padded_dims[d] > blocks[d]) return true;
    return false;
}

void md_order(const md_t *md, int *order) {
    const md_blocking_t *b = &md->format_desc.blocking;
    dnnl_dims_t blocks, count;
    md_blocks(md, blocks);
    for (int d = 0; d < md->ndims; d++) {
        int at = d;
        count[d] = div_up(md->padded_dims[d], blocks[d]);
        /* Insertion sort by stride, largest first. A stride of 0 repeats everything inside of it,
         * so it goes outermost. A dimension of one outer block may have the same stride as the next
         * slower dimension, and belongs inside of it. */
        for (; at > 0; at--) {
            const int other = order[at - 1];
            const uint64_t mine = (uint64_t)b->strides[d] - 1,
                           theirs = (uint64_t)b->strides[other] - 1;
            if (theirs > mine || (theirs == mine && count[other] >= count[d])) break;
            order[at] = other;
        }
        order[at] = d;
    }
}

static bool is_unit(const md_t *md, int d) {
    return md->dims[d] == 1 && md->padded_dims[d] == 1;
}

static bool same(const int64_t *a, const int64_t *b, int n) {
    return !memcmp(a, b, (size_t)n * sizeof(*a));
}

/* The caller has compared the dims. */
static bool same_blocking(const md_t *a, const md_t *b) {
    const md_blocking_t *x = &a->format_desc.blocking, *y = &b->format_desc.blocking;
    if (x->inner_nblks != y->inner_nblks || !same(x->inner_blks, y->inner_blks, x->inner_nblks) ||
            !same(x->inner_idxs, y->inner_idxs, x->inner_nblks))
        return false;
    for (int d = 0; d < a->ndims; d++)
        if (x->strides[d] != y->strides[d] && !is_unit(a, d))
            return false; /* strides of unit dimensions are never used */
    return true;
}

static bool same_sparse(const md_sparse_t *a, const md_sparse_t *b) {
    if (a->encoding != b->encoding || a->nnz != b->nnz ||
            a->metadata_types[0] != b->metadata_types[0] ||
            a->metadata_types[1] != b->metadata_types[1])
        return false;
    return a->encoding != dnnl_grouped ||
           (a->grouped.group_count == b->grouped.group_count &&
                   a->grouped.variable_dim_idx == b->grouped.variable_dim_idx);
}

static bool same_extra(const md_extra_t *a, const md_extra_t *b) {
    if (a->flags != b->flags) return false;
    if (a->flags == 0) return true;
    return a->compensation_mask == b->compensation_mask &&
           a->asymm_compensation_mask == b->asymm_compensation_mask &&
           a->scale_adjust == b->scale_adjust && same(a->idhw, b->idhw, 3) &&
           same(a->odhw, b->odhw, 3) && same(a->pdhw, b->pdhw, 3) && same(a->ddhw, b->ddhw, 3) &&
           a->dst_size == b->dst_size;
}

bool md_same_dims(const md_t *a, const md_t *b) {
    if (md_is_zero(a) || md_is_zero(b)) return md_is_zero(a) && md_is_zero(b);
    return a->ndims == b->ndims && same(a->dims, b->dims, a->ndims);
}

static bool same_padding(const md_t *a, const md_t *b) {
    return same(a->padded_dims, b->padded_dims, a->ndims) &&
           same(a->padded_offsets, b->padded_offsets, a->ndims);
}

bool md_same_layout(const md_t *a, const md_t *b) {
    return md_is_blocked(a) && md_is_blocked(b) && md_same_dims(a, b) && same_padding(a, b) &&
           same_blocking(a, b);
}

bool md_equal(const md_t *a, const md_t *b) {
    if (md_is_zero(a) || md_is_zero(b)) return md_is_zero(a) && md_is_zero(b);
    if (!md_same_dims(a, b) || !same_padding(a, b) || a->data_type != b->data_type ||
            a->offset0 != b->offset0 || a->format_kind != b->format_kind ||
            !same_extra(&a->extra, &b->extra))
        return false;
    switch ((int)a->format_kind) {
    case dnnl_blocked: return same_blocking(a, b);
    case dnnl_format_kind_sparse:
        return same_sparse(&a->format_desc.sparse, &b->format_desc.sparse);
    default: return true;
    }
}

static uint64_t mix_array(uint64_t h, const int64_t *v, int n) {
    for (int i = 0; i < n; i++) h = hash_u64((uint64_t)v[i], h);
    return h;
}

/* Hashes what md_equal() compares, and nothing else. */
uint64_t md_hash(const md_t *md, uint64_t seed) {
    if (md_is_zero(md)) return hash_u64(0, seed);
    const int64_t head[] = {
            md->ndims, md->data_type, md->format_kind, md->offset0, (int64_t)md->extra.flags};
    uint64_t h = mix_array(seed, head, ARRAY_LEN(head));
    h = mix_array(h, md->dims, md->ndims);
    h = mix_array(h, md->padded_dims, md->ndims);
    h = mix_array(h, md->padded_offsets, md->ndims);
    if (md_is_blocked(md)) {
        const md_blocking_t *b = &md->format_desc.blocking;
        for (int d = 0; d < md->ndims; d++)
            if (!is_unit(md, d)) h = mix_array(h, &b->strides[d], 1);
        h = mix_array(mix_array(h, b->inner_blks, b->inner_nblks), b->inner_idxs, b->inner_nblks);
    } else if (md_is_sparse(md)) {
        const md_sparse_t *s = &md->format_desc.sparse;
        const int64_t sparse[] = {s->encoding, s->nnz, s->metadata_types[0], s->metadata_types[1]};
        h = mix_array(h, sparse, ARRAY_LEN(sparse));
        if (s->encoding == dnnl_grouped) {
            const int64_t grouped[] = {s->grouped.group_count, s->grouped.variable_dim_idx};
            h = mix_array(h, grouped, ARRAY_LEN(grouped));
        }
    }
    return h;
}
