/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a matmul: inputs made plain or packed where a kernel wants them so, the product with as much
 * of the attributes as it takes, the rest of the attributes. */
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/lib/spec.h"
#include "kernels/matmul/matmul_params.h"
#include "plan/variant_id.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/plan.h"
#include "plan/variant.h"

/* 16-bit products come in vectors of 8 sums at most, as kernels have no type for more: with wider registers
 * floats are as fast. */
const matmul_tile_t matmul_tiles[] = {
        {KERNEL_matmul_cpu_dot, MATMUL_FEW_ROWS, 1, WALK_COLUMNS, 0, UINT32_MAX},
        {KERNEL_matmul_cpu_wide, MM_WIDE_ROWS, 8, WALK_WIDE, 0, UINT32_MAX},
        {KERNEL_matmul_cpu_2x64, 2, 4, WALK_ROWS, 0, UINT32_MAX},
        {KERNEL_matmul_cpu_s16, 3, 1, WALK_PAIRS, 8, 8},
        {KERNEL_matmul_cpu_12x32, 12, 2, WALK_PANELS, 16, UINT32_MAX},
        {KERNEL_matmul_cpu_6x16, 6, 1, WALK_PANELS, 0, UINT32_MAX},
};
const int matmul_tile_count = ARRAY_LEN(matmul_tiles);

/* Work-groups that keep every thread busy to the end, and what a group should at least have to do. */
enum { GROUPS_PER_UNIT = 4, PRODUCTS_PER_GROUP = 150000, ROWS_PER_PACK = 64 };

uint64_t matmul_reserve(matmul_t *mm, uint64_t bytes) {
    const uint64_t at = (mm->scratch + 63) & ~UINT64_C(63);
    mm->scratch = at + bytes;
    return at;
}

void matmul_bind(plan_t *plan, const matmul_matrix_t *x) {
    if (x->slot >= 0) plan_arg(plan, x->slot, x->offset);
    else plan_scratch(plan, x->offset);
}

void matmul_set_strides(matmul_matrix_t *x, const md_t *md) {
    for (int d = 0; d < md->ndims; d++)
        x->stride[d] = md->dims[d] == 1 ? 0 : md->format_desc.blocking.strides[d];
}

bool matmul_unknown(const matmul_t *mm, int slot) {
    return slot >= 0 && md_has_runtime_dims_or_strides(&mm->pd->args[slot].md);
}

const char *matmul_plain_input(matmul_t *mm, int slot, const md_t *md, matmul_matrix_t *x) {
    memset(x, 0, sizeof(*x));
    if (md_is_plain(md)) {
        x->slot = slot;
        x->dt = md->data_type;
        x->offset = dt_offset(md->data_type, md->offset0);
        matmul_set_strides(x, md);
        return NULL;
    }
    if (matmul_unknown(mm, slot)) return "a blocked input has run-time dims";
    epilogue_t none;
    epilogue_init(&none);
    md_t plain;
    if (ew_scratch_md(&plain, &none, md) != dnnl_success) return "a blocked input is too large";
    x->slot = -1;
    x->dt = plain.data_type;
    x->offset = matmul_reserve(mm, md_size(&plain, 0));
    matmul_set_strides(x, &plain);
    const operand_t from = {md, slot, 0}, to = {&plain, -1, x->offset};
    return ew_plan(&(planner_t){.pd = mm->pd, .caps = mm->caps, .mds = mm->mds, .plan = mm->plan},
            -1, &none, 0, &from, &to, &to);
}

/* ---- the result ---- */

static void make_chain(const matmul_t *mm, epilogue_t *chain) {
    const int bias = pd_find_arg(mm->pd, DNNL_ARG_BIAS);
    if (mm->chain) {
        *chain = *mm->chain;
        return;
    }
    epilogue_init(chain);
    if (!mm->scale_src) epilogue_add_scale(chain, mm->pd, OP_MUL, DNNL_ARG_SRC);
    if (!mm->scale_wei) epilogue_add_scale(chain, mm->pd, OP_MUL, DNNL_ARG_WEIGHTS);
    if (bias >= 0) epilogue_add_tensor(chain, mm->pd, OP_ADD, bias);
    epilogue_add_post_ops(chain, mm->pd);
    epilogue_add_dst(chain, mm->pd);
}

const char *matmul_plan_result(matmul_t *mm, matmul_result_t *r) {
    axis_t axes[MM_DIMS];
    for (int d = 0; d < mm->ndims; d++) axes[d] = (axis_t){d, 1, mm->dst.dims[d]};
    memset(&r->c, 0, sizeof(r->c));
    make_chain(mm, &r->chain);
    epilogue_segment(&r->seg, &r->chain, 0);
    const char *why_not = epilogue_strides(&r->seg, mm->pd, mm->mds, axes, mm->ndims);
    /* No kernel here owns the two halves of a byte of the destination. */
    const bool writable = md_is_plain(&mm->dst) && !dt_is_nibble(mm->dst.data_type);
    r->complete = writable && !attr_is_dynamic(mm->pd, DNNL_ARG_DST) && !why_not &&
                  r->seg.count == r->chain.len;
    if (r->complete) {
        r->c.slot = mm->dst_slot;
        r->c.dt = mm->dst.data_type;
        r->c.offset = dt_offset(r->c.dt, mm->dst.offset0);
        matmul_set_strides(&r->c, &mm->dst);
        return NULL;
    }
    if (matmul_unknown(mm, mm->dst_slot))
        return "the attributes need an intermediate result, and dst has run-time dims";
    /* A copy of bits: floats would not hold large sums. */
    const bool integers = mm->exact && mm->dst.data_type == dnnl_s32 && r->chain.len == 0;
    r->rest = r->seg.count;
    if (why_not || !md_is_plain(&mm->dst)) {
        epilogue_t none;
        epilogue_init(&none);
        epilogue_segment(&r->seg, &none, 0);
        r->rest = 0;
    }
    dnnl_status_t status = ew_scratch_md(&r->scratch_md, &r->chain, &mm->dst);
    if (status == dnnl_success && integers)
        status = md_init_strides(&r->scratch_md, mm->ndims, mm->dst.dims, dnnl_s32, NULL);
    if (status != dnnl_success) return "dst is too large for an intermediate result";
    r->c.slot = -1;
    r->c.dt = r->scratch_md.data_type;
    r->c.offset = matmul_reserve(mm, md_size(&r->scratch_md, 0));
    matmul_set_strides(&r->c, &r->scratch_md);
    return NULL;
}

const char *matmul_plan_float_result(matmul_t *mm, matmul_result_t *r) {
    const char *why_not = matmul_plan_result(mm, r);
    if (why_not) return why_not;
    return r->c.dt == dnnl_f64 || (r->seg.dts >> dnnl_f64 & 1)
                   ? "the attributes have double precision"
                   : NULL;
}

int64_t matmul_batch(const md_t *md) {
    int64_t count = 1;
    for (int d = 0; d < md->ndims - 2; d++) count *= md->dims[d];
    return count;
}

/* What lies in the scratchpad, divided by scales that come from it. */
static const char *plan_quantise(matmul_t *mm, const matmul_result_t *r) {
    enum { GROUP = 16 };
    const int nd = mm->ndims;
    const quant_t *q = quant_find(&mm->pd->attr.scales, DNNL_ARG_DST);
    const float_format_t *format = attr_float_format(mm->dst.data_type);
    const int seed = pd_find_arg(mm->pd, DNNL_ARG_ATTR_ROUNDING_SEED);
    if (!md_is_plain(&mm->dst)) return "scales are computed for a plain dst";
    const int64_t *stride = mm->dst.format_desc.blocking.strides;
    for (int d = 0; dt_is_nibble(mm->dst.data_type) && d < nd; d++)
        if (mm->dst.dims[d] > 1 && (d == nd - 1 ? stride[d] != 1 : stride[d] % 2 != 0))
            return "two groups of dst would share a byte";
    if (mm->plan->nsteps >= ROOM_STEPS) return "the chain of post-ops is too long";
    if (r->c.dt != dnnl_f32) return "the attributes have double precision";
    mm_quantise_t p;
    memset(&p, 0, sizeof(p));
    p.ndims = nd;
    p.group = (int32_t)q->group_dims[1];
    p.groups = (int32_t)(mm->n / p.group);
    p.dropped = format->dropped;
    p.most = format->most;
    p.normal = format->normal;
    for (int d = 0; d < nd; d++) {
        p.dims[d] = (int32_t)mm->dst.dims[d];
        p.stride[d] = stride[d];
    }
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(p.groups, GROUP), (uint32_t)mm->m, (uint32_t)matmul_batch(&mm->dst)};
    plan_step(mm->plan, KERNEL_matmul_quantise, size, count);
    plan_spec(mm->plan, SPEC_SRC1_DT, (uint32_t)q->dt);
    plan_spec(mm->plan, SPEC_DST_DT, (uint32_t)mm->dst.data_type);
    plan_spec(mm->plan, SPEC_FLAGS,
            (q->qmode == dnnl_quantization_mode_dynamic_mx ? MMQ_POWERS : 0) |
                    (seed >= 0 ? MMQ_ROUND : 0));
    plan_scratch(mm->plan, r->c.offset);
    plan_arg(mm->plan, mm->dst_slot, dt_offset(mm->dst.data_type, mm->dst.offset0));
    plan_arg(mm->plan, pd_find_arg(mm->pd, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST), 0);
    plan_arg(mm->plan, seed, 0);
    plan_const(mm->plan, &p, sizeof(p));
    return NULL;
}

const char *matmul_finish_result(matmul_t *mm, const matmul_result_t *r) {
    if (r->complete) return NULL;
    if (attr_is_dynamic(mm->pd, DNNL_ARG_DST)) {
        const operand_t here = {&r->scratch_md, -1, r->c.offset};
        const char *why_not = r->rest == r->chain.len
                                      ? NULL
                                      : ew_plan(&(planner_t){.pd = mm->pd,
                                                        .caps = mm->caps,
                                                        .mds = mm->mds,
                                                        .plan = mm->plan},
                                                -1, &r->chain, r->rest, &here, &here, &here);
        return why_not ? why_not : plan_quantise(mm, r);
    }
    const operand_t from = {&r->scratch_md, -1, r->c.offset}, to = {&mm->dst, mm->dst_slot, 0};
    return ew_plan(&(planner_t){.pd = mm->pd, .caps = mm->caps, .mds = mm->mds, .plan = mm->plan},
            -1, &r->chain, r->rest, &from, &to, &from);
}

/* ---- scales and zero points inside the sum ---- */

/* Values lie row-major over the dimensions of the mask, one for each group. `first` positions of the kernel
 * come before the tensor's. */
void matmul_set_quant(mm_quant_t *out, const quant_t *q, const md_t *like, int first) {
    memset(out, 0, sizeof(*out));
    out->group[0] = out->group[1] = 1;
    if (!q) return;
    out->dt = (int32_t)q->dt;
    int64_t stride = 1;
    for (int d = like->ndims - 1; d >= 0; d--) {
        const int g = d - (like->ndims - 2);
        int64_t group = g >= 0 && q->group_ndims ? q->group_dims[g] : 1;
        if (group > like->dims[d]) group = like->dims[d] ? like->dims[d] : 1;
        if (g >= 0) out->group[g] = (int32_t)group;
        if (!(q->mask >> d & 1)) continue;
        if (like->dims[d] > 1) out->stride[first + d] = (int32_t)stride;
        stride *= like->dims[d] / group;
    }
}

void matmul_bind_scale(const matmul_t *mm, int arg) {
    plan_arg(mm->plan, pd_find_arg(mm->pd, DNNL_ARG_ATTR_SCALES | arg), 0);
}

/* A pointer and, where that is NULL, a value. */
void matmul_bind_zero(const matmul_t *mm, int arg) {
    const epilogue_source_t zero = epilogue_quant_source(mm->pd, ATTR_ZERO_POINTS, arg);
    plan_arg(mm->plan, zero.kind == SOURCE_QUANT ? zero.slot : -1, 0);
    plan_scalar_s32(mm->plan, zero.kind == SOURCE_HOST ? zero.slot : -1);
}

static const quant_t *zero_of(const matmul_t *mm, int arg) {
    return quant_find(&mm->pd->attr.zero_points, arg);
}

static const quant_t *scale_of(const matmul_t *mm, int arg) {
    return quant_find(&mm->pd->attr.scales, arg);
}

void matmul_specs(plan_t *plan, dnnl_data_type_t src, dnnl_data_type_t wei,
        const matmul_result_t *r, uint32_t flags) {
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)wei);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r->c.dt);
    plan_spec(plan, SPEC_FLAGS, flags);
    epilogue_specs(&r->seg, plan);
}

/* ---- the portable kernel ---- */

static const char *plan_any(matmul_t *mm, int row) {
    enum { GROUP = 16 };
    const int nd = mm->ndims;
    plan_t *plan = mm->plan;
    matmul_matrix_t a, b;
    matmul_result_t r;
    const char *why_not = matmul_plain_input(mm, mm->src_slot, &mm->src, &a);
    if (!why_not) why_not = matmul_plain_input(mm, mm->wei_slot, &mm->wei, &b);
    if (!why_not) why_not = matmul_plan_result(mm, &r);
    if (why_not) return why_not;
    if (!variants[row].needs_fp64 &&
            (a.dt == dnnl_f64 || r.c.dt == dnnl_f64 || (r.seg.dts >> dnnl_f64 & 1)))
        return "the data is double precision";

    mm_any_t p;
    memset(&p, 0, sizeof(p));
    p.ndims = nd;
    p.k = (int32_t)mm->k;
    p.a_k = a.stride[nd - 1];
    p.b_k = b.stride[nd - 2];
    for (int d = 0; d < nd; d++) {
        p.dims[d] = (int32_t)mm->dst.dims[d];
        p.a_stride[d] = d == nd - 1 ? 0 : a.stride[d];
        p.b_stride[d] = d == nd - 2 ? 0 : b.stride[d];
        p.c_stride[d] = r.c.stride[d];
    }
    matmul_set_quant(&p.sa, scale_of(mm, DNNL_ARG_SRC), &mm->src, 0);
    matmul_set_quant(&p.sb, scale_of(mm, DNNL_ARG_WEIGHTS), &mm->wei, 0);
    matmul_set_quant(&p.za, zero_of(mm, DNNL_ARG_SRC), &mm->src, 0);
    matmul_set_quant(&p.zb, zero_of(mm, DNNL_ARG_WEIGHTS), &mm->wei, 0);

    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(mm->n, GROUP), (uint32_t)mm->m, (uint32_t)matmul_batch(&mm->dst)};
    plan_step(plan, row, size, count);
    matmul_specs(plan, a.dt, b.dt, &r,
            (mm->exact ? MMF_INT : 0) | (zero_of(mm, DNNL_ARG_SRC) ? MMF_ZA : 0) |
                    (zero_of(mm, DNNL_ARG_WEIGHTS) ? MMF_ZB : 0) | (mm->scale_src ? MMF_SA : 0) |
                    (mm->scale_wei ? MMF_SB : 0));
    matmul_bind(plan, &a);
    matmul_bind(plan, &b);
    matmul_bind(plan, &r.c);
    plan_const(plan, &p, sizeof(p));
    matmul_bind_scale(mm, DNNL_ARG_SRC);
    matmul_bind_scale(mm, DNNL_ARG_WEIGHTS);
    matmul_bind_zero(mm, DNNL_ARG_SRC);
    matmul_bind_zero(mm, DNNL_ARG_WEIGHTS);
    epilogue_args(&r.seg, mm->pd, mm->mds, plan);
    return matmul_finish_result(mm, &r);
}

/* ---- the register tiles ---- */

void matmul_tile_params(const matmul_t *mm, const matmul_matrix_t *a, const matmul_matrix_t *b,
        const matmul_result_t *r, mm_tile_t *p) {
    const int nd = mm->ndims;
    memset(p, 0, sizeof(*p));
    p->ndims = nd;
    p->k = (int32_t)mm->k;
    p->n = (int32_t)mm->n;
    p->a_k = a->stride[nd - 1];
    p->b_k = b->stride[nd - 2];
    for (int d = 0; d < nd; d++) {
        p->dims[d] = (int32_t)mm->dst.dims[d];
        p->a_stride[d] = d == nd - 1 ? 0 : a->stride[d];
        p->b_stride[d] = d >= nd - 2 ? 0 : b->stride[d];
        p->c_stride[d] = r->c.stride[d];
    }
}

/* The sum is of integers, exactly; else scales and zero points are applied where the inputs are packed. */
static bool sums_integers(const matmul_t *mm) {
    return mm->exact && !mm->scale_src && !mm->scale_wei;
}

/* How the elements of a packed matrix lie: dst_row and so on of mm_pack_t. */
typedef struct {
    int row_dim; /* which of the last two dimensions are its rows */
    int nv;
    bool shorts, pairs;
    int64_t panels, row_stride, panel_stride, batch_stride;
} packing_t;

/* Packs x, an input with that argument and descriptor. */
static void pack(matmul_t *mm, matmul_matrix_t *x, int arg, const md_t *md, const packing_t *how) {
    const int row_dim = how->row_dim;
    const int nd = mm->ndims, first = MM_DIMS - nd;
    const int64_t rows = md->dims[nd - 2 + row_dim], cols = md->dims[nd - 1 - row_dim];
    const bool inside = !sums_integers(mm);
    const bool scaled = arg == DNNL_ARG_SRC ? mm->scale_src : mm->scale_wei;
    const quant_t *scale = scaled ? scale_of(mm, arg) : NULL;
    const quant_t *zero = inside ? zero_of(mm, arg) : NULL;

    mm_pack_t p;
    memset(&p, 0, sizeof(p));
    p.rows = (int32_t)rows;
    p.cols = (int32_t)cols;
    p.rows_per_item = ROWS_PER_PACK;
    const int64_t wanted = (int64_t)mm->caps->compute_units * GROUPS_PER_UNIT;
    while (p.rows_per_item > 16 && div_up(rows, p.rows_per_item) * how->panels * how->nv < wanted)
        p.rows_per_item /= 2;
    p.nv = how->nv;
    p.pairs = how->pairs;
    p.src_row = x->stride[nd - 2 + row_dim];
    p.src_col = x->stride[nd - 1 - row_dim];
    p.dst_row = how->row_stride;
    p.dst_panel = how->panel_stride;
    p.dst_batch = how->batch_stride;
    p.row_dim = row_dim;
    for (int d = 0; d < MM_DIMS - 2; d++) {
        p.dims[d] = d < first ? 1 : (int32_t)md->dims[d - first];
        p.src_batch[d] = d < first ? 0 : x->stride[d - first];
    }
    matmul_set_quant(&p.scale, scale, md, first);
    matmul_set_quant(&p.zero, zero, md, first);

    matmul_matrix_t packed = {.slot = -1,
            .dt = dnnl_f32,
            .offset = matmul_reserve(mm, (uint64_t)matmul_batch(md) * (uint64_t)how->batch_stride *
                                                 (how->shorts ? sizeof(int16_t) : sizeof(float)))};
    const uint32_t size[3] = {1, 1, 1};
    /* Neighbours in a row of the source come one after the other: they share its pages. */
    const uint32_t count[3] = {(uint32_t)(how->panels * how->nv),
            (uint32_t)div_up(rows, p.rows_per_item), (uint32_t)matmul_batch(md)};
    plan_step(mm->plan, how->shorts ? KERNEL_matmul_pack_s16 : KERNEL_matmul_pack, size, count);
    plan_spec(mm->plan, SPEC_SRC_DT, (uint32_t)x->dt);
    plan_spec(mm->plan, SPEC_FLAGS, (scale ? MMF_SB : 0) | (zero ? MMF_ZB : 0));
    matmul_bind(mm->plan, x);
    matmul_bind(mm->plan, &packed);
    plan_const(mm->plan, &p, sizeof(p));
    plan_arg(mm->plan, scale ? pd_find_arg(mm->pd, DNNL_ARG_ATTR_SCALES | arg) : -1, 0);
    if (zero) {
        matmul_bind_zero(mm, arg);
    } else {
        plan_arg(mm->plan, -1, 0);
        plan_scalar_s32(mm->plan, -1);
    }

    int64_t batch_stride = how->batch_stride;
    for (int d = nd - 3; d >= 0; d--) {
        packed.stride[d] = md->dims[d] == 1 ? 0 : batch_stride;
        batch_stride *= md->dims[d];
    }
    packed.stride[nd - 2 + row_dim] = how->row_stride;
    packed.stride[nd - 1 - row_dim] = 1;
    packed.panel = how->panel_stride;
    *x = packed;
}

/* The source as floats of any strides, but where a kernel wants its k dense, or as 16-bit integers. */
static const char *tile_source(matmul_t *mm, matmul_walk_t walk, matmul_matrix_t *a) {
    const int nd = mm->ndims;
    const char *why_not = matmul_plain_input(mm, mm->src_slot, &mm->src, a);
    const bool zero_inside = zero_of(mm, DNNL_ARG_SRC) && !sums_integers(mm);
    const bool dense_k = walk == WALK_COLUMNS || walk == WALK_PAIRS;
    const bool laid_out = !dense_k || (a->stride[nd - 1] == 1 && !matmul_unknown(mm, mm->src_slot));
    if (why_not ||
            (a->dt == dnnl_f32 && laid_out && !mm->scale_src && !zero_inside && walk != WALK_PAIRS))
        return why_not;
    if (matmul_unknown(mm, mm->src_slot))
        return "src has run-time dims and would have to be converted";
    const bool by_rows = dense_k || a->stride[nd - 1] == 1 || a->stride[nd - 2] != 1;
    const int64_t rows = by_rows ? mm->m : mm->k, panels = div_up(by_rows ? mm->k : mm->m, 16);
    const packing_t how = {.row_dim = !by_rows,
            .nv = 1,
            .shorts = walk == WALK_PAIRS,
            .panels = panels,
            .row_stride = panels * 16,
            .panel_stride = 16,
            .batch_stride = rows * panels * 16};
    pack(mm, a, DNNL_ARG_SRC, &mm->src, &how);
    return NULL;
}

/* Are the weights in the panels that the tile reads? */
static bool in_panels(const md_t *md, int nr, matmul_matrix_t *b) {
    const md_blocking_t *l = &md->format_desc.blocking;
    const int nd = md->ndims;
    if (md->data_type != dnnl_f32 || l->inner_nblks != 2 || l->inner_idxs[0] != nd - 2 ||
            l->inner_idxs[1] != nd - 1 || l->inner_blks[1] != nr ||
            l->strides[nd - 2] != l->inner_blks[0] * nr)
        return false;
    matmul_set_strides(b, md);
    b->stride[nd - 2] = nr;
    b->stride[nd - 1] = 1;
    b->panel = l->strides[nd - 1];
    return true;
}

/* Weights that are not packed: NULL if the row can walk through them like that. */
static const char *weights_in_place(const matmul_t *mm, const matmul_tile_t *t, int64_t rows) {
    const int nd = mm->ndims;
    const bool columns = t->walk == WALK_COLUMNS;
    if (t->walk == WALK_PAIRS) return "weights are to be 16-bit integers";
    if (t->walk != WALK_PANELS && matmul_unknown(mm, mm->dst_slot))
        return "the rows are not counted before the run";
    if (t->walk != WALK_PANELS &&
            rows > (t->walk == WALK_WIDE ? MATMUL_WIDE_ROWS : MATMUL_FEW_ROWS))
        return "for so many rows packed weights are faster";
    if (t->walk == WALK_WIDE && sums_integers(mm)) return "the sums are of integers";
    if (t->walk == WALK_WIDE && rows > MATMUL_FEW_ROWS && mm->k * mm->n <= MATMUL_SMALL_WEIGHTS)
        return "small weights are faster in tiles";
    if (t->walk == WALK_PANELS && mm->k * mm->n > MATMUL_SMALL_WEIGHTS) return "weights are large";
    if (!md_is_plain(&mm->wei)) return "weights have blocks";
    if (mm->wei.format_desc.blocking.strides[columns ? nd - 2 : nd - 1] != 1)
        return columns ? "the columns of weights are not dense"
                       : "the rows of weights are not dense";
    if (mm->n < t->nv * 16) return "weights are narrower than the tile";
    if (mm->scale_wei || (zero_of(mm, DNNL_ARG_WEIGHTS) && !sums_integers(mm)))
        return "weights have scales or zero points to apply before the sum";
    if (columns && sums_integers(mm) &&
            (zero_of(mm, DNNL_ARG_SRC) || zero_of(mm, DNNL_ARG_WEIGHTS)))
        return "dot products take no zero points";
    return NULL;
}

static const char *tile_weights(
        matmul_t *mm, const matmul_tile_t *t, int64_t rows, matmul_matrix_t *b, bool *in_place) {
    const int nd = mm->ndims, nr = t->nv * 16;
    const bool zero_inside = zero_of(mm, DNNL_ARG_WEIGHTS) && !sums_integers(mm);
    const bool as_they_are = !mm->scale_wei && !zero_inside;
    if (matmul_unknown(mm, mm->wei_slot)) return "weights have run-time dims";
    const char *why_not = weights_in_place(mm, t, rows);
    *in_place = !why_not;
    if (*in_place) {
        why_not = matmul_plain_input(mm, mm->wei_slot, &mm->wei, b);
        b->panel = b->stride[nd - 1];
        return why_not;
    }
    const bool few_in_panels =
            t->walk == WALK_ROWS && rows <= MATMUL_FEW_ROWS && !matmul_unknown(mm, mm->dst_slot);
    memset(b, 0, sizeof(*b));
    if (as_they_are && (t->walk == WALK_PANELS || few_in_panels) && in_panels(&mm->wei, nr, b)) {
        b->slot = mm->wei_slot;
        b->dt = dnnl_f32;
        b->offset = (uint64_t)mm->wei.offset0 * sizeof(float);
        return NULL;
    }
    if (t->walk != WALK_PANELS && t->walk != WALK_PAIRS) return why_not;
    why_not = matmul_plain_input(mm, mm->wei_slot, &mm->wei, b);
    if (why_not) return why_not;
    const int64_t panels = div_up(mm->n, nr);
    const bool pairs = t->walk == WALK_PAIRS;
    const int64_t row = pairs ? 2 * nr : nr, panel = (pairs ? div_up(mm->k, 2) : mm->k) * row;
    const packing_t how = {.nv = t->nv,
            .shorts = pairs,
            .pairs = pairs,
            .panels = panels,
            .row_stride = row,
            .panel_stride = panel,
            .batch_stride = panels * panel};
    pack(mm, b, DNNL_ARG_WEIGHTS, &mm->wei, &how);
    return NULL;
}

/* What the tile itself can subtract. */
static const char *tile_zeros(const matmul_t *mm) {
    const quant_t *za = zero_of(mm, DNNL_ARG_SRC), *zb = zero_of(mm, DNNL_ARG_WEIGHTS);
    if (!sums_integers(mm)) return NULL;
    if (za && za->mask) return "zero points of src change along k";
    if (zb && (zb->group_ndims || (zb->mask & ~(1 << (mm->ndims - 1)))))
        return "zero points of weights change along k or the batch";
    return NULL;
}

static const char *plan_tile(matmul_t *mm, const matmul_tile_t *t) {
    const int nr = t->nv * 16;
    const int64_t batch = matmul_batch(&mm->dst);
    const int64_t z = matmul_batch(&mm->wei) == 1 ? 1 : max_i64(batch, 1);
    const int64_t rows = batch / z * mm->m;
    plan_t *plan = mm->plan;
    matmul_matrix_t a, b;
    matmul_result_t r;
    if (mm->src.data_type == dnnl_f64) return "the data is double precision";
    if (!variant_is_forced(mm->pd, t->row) &&
            (mm->caps->simd_width < t->min_simd || mm->caps->simd_width > t->max_simd))
        return "the tile is made for vectors of another width";
    if (t->walk == WALK_PAIRS && !sums_integers(mm)) return "the sums are not of integers";
    const char *why_not = tile_zeros(mm);
    bool in_place = false;
    if (!why_not) why_not = tile_weights(mm, t, rows, &b, &in_place);
    if (!why_not) why_not = tile_source(mm, t->walk, &a);
    if (!why_not) why_not = matmul_plan_float_result(mm, &r);
    if (why_not) return why_not;

    mm_tile_t p;
    matmul_tile_params(mm, &a, &b, &r, &p);
    p.rows = rows;
    p.b_panel = b.panel;
    const quant_t *za = zero_of(mm, DNNL_ARG_SRC), *zb = zero_of(mm, DNNL_ARG_WEIGHTS);
    p.za_dt = za ? (int32_t)za->dt : 0;
    p.zb_dt = zb ? (int32_t)zb->dt : 0;
    p.zb_n = zb && zb->mask;

    int64_t panels = div_up(mm->n, nr), tiles = div_up(rows, t->mr);
    const int64_t wanted = (int64_t)mm->caps->compute_units * GROUPS_PER_UNIT;
    p.tiles = 1;
    while (p.tiles < 16 && p.tiles * t->mr * nr * max_i64(mm->k, 1) < PRODUCTS_PER_GROUP &&
            div_up(tiles, 2 * p.tiles) * panels * z >= wanted)
        p.tiles *= 2;
    if (t->walk == WALK_WIDE) {
        const int64_t units = max_i64(mm->caps->compute_units, 1);
        p.tiles = 1;
        p.panel_rows = (int32_t)max_i64(1, div_up(rows, max_i64(tiles, 1)));
        /* As few panels as keep every thread busy, not wider than the matrix. */
        p.panel_width = (int32_t)max_i64(
                nr, 16 * min_i64(MM_WIDE_SUMS / p.panel_rows,
                                 div_up(mm->n, 16 * div_up(units, max_i64(tiles * z, 1)))));
        if (p.panel_width > mm->n) p.panel_width -= 16;
        panels = div_up(mm->n, p.panel_width);
    }

    if (div_up(tiles, p.tiles) > UINT32_MAX) return "there are too many rows";
    const bool exact = sums_integers(mm);
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t below = (uint32_t)div_up(tiles, p.tiles), beside = (uint32_t)panels;
    const bool columns = t->walk == WALK_COLUMNS;
    const uint32_t count[3] = {columns ? beside : below, columns ? below : beside, (uint32_t)z};
    plan_step(plan, t->row, size, count);
    matmul_specs(plan, dnnl_f32, b.dt, &r,
            (exact ? MMF_INT : 0) | (exact && za ? MMF_ZA : 0) | (exact && zb ? MMF_ZB : 0) |
                    (in_place ? MMF_WINDOW : 0));
    matmul_bind(plan, &a);
    matmul_bind(plan, &b);
    matmul_bind(plan, &r.c);
    plan_const(plan, &p, sizeof(p));
    if (t->walk != WALK_COLUMNS && t->walk != WALK_WIDE) {
        matmul_bind_zero(mm, DNNL_ARG_SRC);
        matmul_bind_zero(mm, DNNL_ARG_WEIGHTS);
    }
    epilogue_args(&r.seg, mm->pd, mm->mds, plan);
    return matmul_finish_result(mm, &r);
}

const char *matmul_steps(matmul_t *mm, int row) {
    if (matmul_batch(&mm->dst) > UINT32_MAX) return "there are 2^32 or more matrices";
    for (int i = 0; i < matmul_tile_count; i++)
        if (matmul_tiles[i].row == row) return plan_tile(mm, &matmul_tiles[i]);
    if (variants[row].target == TARGET_XMX16) return matmul_plan_xmx(mm, row);
    if (variants[row].target == TARGET_XMX8) return matmul_plan_xmx8(mm, row);
    if (variants[row].target == TARGET_SG16) return matmul_plan_sg16(mm, row);
    return plan_any(mm, row);
}

void matmul_tell(const matmul_t *mm, const char *kind) {
    if (mm->reason[0]) verbose_note(kind, "%s: %s", variants[mm->pd->variant].id, mm->reason);
}

const char *matmul_plan(matmul_t *mm, int row) {
    plan_reset(mm->plan);
    mm->scratch = 0;
    mm->reason[0] = 0;
    return matmul_steps(mm, row);
}
