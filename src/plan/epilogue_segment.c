/* SPDX-License-Identifier: Apache-2.0 */
/* What one step applies of an epilogue, and how it reads the sources. */
#include "plan/epilogue.h"

#include <string.h>

#include "kernels/lib/spec.h"

bool axis_stride(const md_t *md, const axis_t *axis, int64_t *stride) {
    *stride = 0;
    if (axis->size == 1 || md->dims[axis->dim] == 1) return true;
    const md_blocking_t *b = &md->format_desc.blocking;
    int64_t level_mult = 1, level_stride = 1;
    for (int i = b->inner_nblks - 1; i >= 0; i--) {
        int64_t blk = b->inner_blks[i];
        if (b->inner_idxs[i] == axis->dim) {
            if (axis->mult < level_mult * blk) {
                *stride = axis->mult / level_mult * level_stride;
                return axis->mult % level_mult == 0 && axis->mult * axis->size <= level_mult * blk;
            }
            level_mult *= blk;
        }
        level_stride *= blk;
    }
    const int64_t known = b->strides[axis->dim] == DNNL_RUNTIME_DIM_VAL ? 1 : b->strides[axis->dim];
    *stride = axis->mult / level_mult * known;
    return axis->mult % level_mult == 0;
}

static bool same_source(const epilogue_source_t *a, const epilogue_source_t *b) {
    return a->kind == b->kind && a->slot == b->slot && a->dt == b->dt && a->offset == b->offset;
}

/* The number of a source in a segment, added if it is new; -1: the segment is full. */
static int place_source(epilogue_segment_t *seg, const epilogue_source_t *s) {
    if (s->kind == SOURCE_NONE) return PO_NO_SRC;
    if (s->kind == SOURCE_HOST || s->kind == SOURCE_HOST_BITS) {
        const bool bits = s->kind == SOURCE_HOST_BITS;
        for (int i = 0; i < seg->nhosts; i++)
            if (seg->host[i].slot == s->slot) return PO_HOST_SRC + i;
        const int first = seg->nhosts;
        if (first + (bits ? 2 : 1) > PO_MAX_HOST) return -1;
        seg->host[seg->nhosts].slot = s->slot;
        seg->host[seg->nhosts++].part = bits ? HOST_LOW : HOST_FLOAT;
        if (bits) {
            seg->host[seg->nhosts].slot = s->slot;
            seg->host[seg->nhosts++].part = HOST_HIGH;
        }
        return PO_HOST_SRC + first;
    }
    for (int i = 0; i < seg->nsrcs; i++)
        if (same_source(&seg->src[i], s)) return i;
    if (seg->nsrcs == PO_MAX_SRCS) return -1;
    seg->src[seg->nsrcs] = *s;
    if (s->dt != dnnl_data_type_undef) seg->dts |= 1u << s->dt;
    return seg->nsrcs++;
}

static void mask_set(epilogue_segment_t *seg, int op) {
    if (op < 32) seg->mask_lo |= 1u << op;
    else seg->mask_hi |= 1u << (op - 32);
}

void epilogue_segment(epilogue_segment_t *seg, const epilogue_t *epilogue, int first) {
    memset(seg, 0, sizeof(*seg));
    seg->first = first;
    for (int i = first; i < epilogue->len && seg->count < PO_MAX_ENTRIES; i++) {
        const epilogue_op_t *op = &epilogue->op[i];
        epilogue_segment_t before = *seg;
        int src = place_source(seg, &op->src), cond = place_source(seg, &op->cond),
            scale = place_source(seg, &op->scale), offset = place_source(seg, &op->offset);
        if (src < 0 || cond < 0 || scale < 0 || offset < 0) {
            *seg = before;
            break;
        }
        mask_set(seg, op->op);
        if (scale != PO_NO_SRC && op->op != OP_DROPOUT) mask_set(seg, OP_BIT_SCALED);
        po_entry_t *entry = &seg->params.entry[seg->count++];
        *entry = (po_entry_t){PO_CODE(op->op, src, cond, scale), op->a, op->b, op->c};
        if (op->op == OP_DROPOUT) {
            uint32_t flags;
            memcpy(&flags, &op->c, sizeof(flags));
            flags |= (uint32_t)offset << 8;
            memcpy(&entry->c, &flags, sizeof(flags));
        }
    }
    for (int i = 0; i < seg->nsrcs; i++) seg->params.src[i].dt = (int32_t)seg->src[i].dt;
    if (!seg->dts) seg->dts = 1u << dnnl_f32; /* no source: the same module as with f32 ones */
}

const md_t *epilogue_source_md(
        const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *const *mds, md_t *tmp) {
    const epilogue_source_t *s = &seg->src[i];
#define MD_OF(slot) (mds && mds[slot] ? mds[slot] : &pd->args[slot].md)
    if (s->md) return s->md;
    if (s->kind == SOURCE_TENSOR) return MD_OF(s->slot);
    const dnnl_data_type_t dt = s->dt == dnnl_data_type_undef ? dnnl_u8 : s->dt;
    const md_t *like = MD_OF(s->like_slot);
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++)
        dims[d] = s->mask & 1 << d ? like->dims[d] / epilogue_source_group(seg, i, pd, d) : 1;
    if (md_init_strides(tmp, like->ndims, dims, dt, NULL) != dnnl_success)
        memset(tmp, 0, sizeof(*tmp));
    return tmp;
}

int64_t epilogue_source_group(const epilogue_segment_t *seg, int i, const pd_t *pd, int dim) {
    const epilogue_source_t *s = &seg->src[i];
    if (s->kind != SOURCE_QUANT) return 1;
    const int g = dim - (pd->args[s->like_slot].md.ndims - 2);
    return g >= 0 && s->group[g] > 1 ? s->group[g] : 1;
}

bool epilogue_source_stride(const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *md,
        const axis_t *axis, int64_t *stride) {
    axis_t groups = *axis;
    const int64_t group = epilogue_source_group(seg, i, pd, axis->dim);
    *stride = 0;
    if (group > 1 && axis->mult * axis->size <= group)
        return group % (axis->mult * axis->size) == 0;
    if (axis->mult % group) return false;
    groups.mult /= group;
    return axis_stride(md, &groups, stride);
}

const char *epilogue_set_strides(epilogue_segment_t *seg, int i, const int64_t *stride, int naxes) {
    po_src_t *src = &seg->params.src[i];
    if (naxes > PAR_MAX_DIMS) return "a source of an attribute has too many dimensions and blocks";
    for (int a = 0; a < naxes; a++) {
        if (stride[a] > INT32_MAX || stride[a] < 0)
            return "a stride of an attribute's source does not fit in 32 bits";
        src->stride[a] = (int32_t)stride[a];
    }
    src->vec_stride = src->stride[naxes - 1];
    return NULL;
}

const char *epilogue_set_large_strides(
        epilogue_segment_t *seg, int i, const int64_t *stride, int naxes) {
    po_src_t *low = &seg->params.src[i], *high = low + PO_MAX_LARGE;
    if (naxes > PAR_MAX_DIMS) return "a source of an attribute has too many dimensions and blocks";
    if (i >= PO_MAX_LARGE || seg->nsrcs > PO_MAX_LARGE)
        return "too many attributes have sources while a stride of one does not fit in 32 bits";
    for (int a = 0; a < naxes; a++) {
        low->stride[a] = (int32_t)(uint32_t)stride[a];
        high->stride[a] = (int32_t)(stride[a] >> 32);
    }
    low->vec_stride = low->stride[naxes - 1];
    high->vec_stride = high->stride[naxes - 1];
    seg->dts |= PO_LARGE;
    return NULL;
}

const char *epilogue_strides(epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds,
        const axis_t *axes, int naxes) {
    for (int i = 0; i < seg->nsrcs; i++) {
        md_t tmp;
        const md_t *md = epilogue_source_md(seg, i, pd, mds, &tmp);
        int64_t stride[PAR_MAX_DIMS];
        if (naxes > PAR_MAX_DIMS) return "the kernel has too many loops";
        for (int a = 0; a < naxes; a++)
            if (!epilogue_source_stride(seg, i, pd, md, &axes[a], &stride[a]))
                return "an attribute's source has blocks that the kernel does not";
        const char *why_not = epilogue_set_strides(seg, i, stride, naxes);
        if (why_not) return why_not;
    }
    return NULL;
}

static bool is_shared(const epilogue_segment_t *seg, uint32_t src, uint32_t axes) {
    for (int d = 0; d < PAR_MAX_DIMS && !(src & PO_HOST_SRC); d++)
        if (axes >> d & 1 && seg->params.src[src].stride[d]) return false;
    return true;
}

bool epilogue_block_ops(const epilogue_segment_t *seg, uint32_t shared, uint32_t *ops) {
    uint32_t list = 0;
    if (seg->count > PO_MAX_BLOCK_OPS || seg->mask_hi >> (OP_BIT_SCALED - 32)) return false;
    for (int e = 0; e < seg->count; e++) {
        const po_entry_t *entry = &seg->params.entry[e];
        const uint32_t op = entry->code & 255;
        const bool is_relu = op == OP_RELU && entry->a == 1 && entry->b == 0,
                   has_source = op == OP_ADD || op == OP_MUL || op == OP_SUB;
        if (!is_relu && !(has_source && is_shared(seg, entry->code >> 8 & 255, shared)))
            return false;
        const uint32_t src = entry->code >> 8 & 255;
        const bool on_host = has_source && src & PO_HOST_SRC,
                   is_dense = has_source && !on_host && !(seg->dts & PO_LARGE) &&
                              seg->params.src[src].vec_stride == 1;
        list |= (op | (on_host ? PO_BLOCK_HOST : 0) | (is_dense ? PO_BLOCK_DENSE : 0)) << 8 * e;
    }
    *ops = list;
    return true;
}

bool epilogue_is_random(const epilogue_segment_t *seg) {
    return seg->mask_hi & (1u << (OP_DROPOUT - 32) | 1u << (OP_ROUND_RANDOMLY - 32));
}

void epilogue_specs(const epilogue_segment_t *seg, plan_t *plan) {
    plan_spec(plan, SPEC_PO_COUNT, (uint32_t)seg->count);
    plan_spec(plan, SPEC_PO_MASK_LO, seg->mask_lo);
    plan_spec(plan, SPEC_PO_MASK_HI, seg->mask_hi);
    plan_spec(plan, SPEC_PO_DTS, seg->dts);
    plan_spec(plan, SPEC_PO_NSRCS, (uint32_t)seg->nsrcs);
}

/* A source with a descriptor of its own may be a part of the argument. */
static void bind_argument(plan_t *plan, const epilogue_source_t *s, const md_t *argument) {
    const md_t *md = s->kind == SOURCE_TENSOR && s->md ? s->md : argument;
    plan_arg(plan, s->slot, dt_offset(md->data_type, md->offset0));
}

void epilogue_args(
        const epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds, plan_t *plan) {
    for (int i = 0; i < PO_MAX_SRCS; i++) {
        const epilogue_source_t *s = &seg->src[i];
        if (i >= seg->nsrcs) plan_arg(plan, -1, 0);
        else if (s->kind == SOURCE_SCRATCH) plan_scratch(plan, s->offset);
        else bind_argument(plan, s, MD_OF(s->slot));
    }
    for (int i = 0; i < PO_MAX_HOST; i++) {
        if (i >= seg->nhosts) plan_scalar_f32(plan, -1);
        else if (seg->host[i].part == HOST_FLOAT) plan_scalar_f32(plan, seg->host[i].slot);
        else plan_scalar_half(plan, seg->host[i].slot, seg->host[i].part == HOST_HIGH);
    }
    plan_const(plan, &seg->params, sizeof(seg->params));
}
