/* SPDX-License-Identifier: Apache-2.0 */
/* matmul with one sparse matrix. The kernel reads the entries line by line, a line being a row of a
 * sparse source or a column of sparse weights. A source in compressed rows has them so; for others
 * a first step brings them into this order. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/matmul/sparse_params.h"
#include "ops/matmul/check.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/planners.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "matmul", __VA_ARGS__)

/* ---- checks ---- */

static dnnl_status_t check_encoding(const md_t *md, const char *name) {
    const md_sparse_t *s = &md->format_desc.sparse;
    if (s->encoding != dnnl_csr && s->encoding != dnnl_coo)
        return REFUSE("%s is neither in compressed rows nor a list of coordinates", name);
    if (s->metadata_types[0] != dnnl_s32 ||
            (s->encoding == dnnl_csr && s->metadata_types[1] != dnnl_s32))
        return REFUSE("indices and pointers of %s are not s32", name);
    if (s->nnz > INT32_MAX) return REFUSE("%s has 2^31 entries or more", name);
    return dnnl_success;
}

static dnnl_status_t check_dense(const md_t *md, const char *name) {
    if (md_is_sparse(md)) return REFUSE("%s is sparse", name);
    if (!md_is_any(md) && !md_is_plain(md))
        return REFUSE("%s is not an array without blocks", name);
    return dnnl_success;
}

static dnnl_status_t check_size(const md_t *md, const char *name) {
    if (md_has_runtime_dims_or_strides(md))
        return REFUSE("one matrix is sparse, and %s has run-time dimensions or strides", name);
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] > INT32_MAX) return REFUSE("dimension %d of %s is 2^31 or more", d, name);
    return dnnl_success;
}

/* The sparse matrix and the dense one it is multiplied with. */
static dnnl_status_t check_pair(const md_t *src, const md_t *wei) {
    TRY(md_is_sparse(src) ? check_encoding(src, "src") : check_encoding(wei, "weights"));
    return md_is_sparse(src) ? check_dense(wei, "weights") : check_dense(src, "src");
}

static dnnl_status_t check_types(const md_t *src, const md_t *wei, const md_t *dst) {
    const dnnl_data_type_t dt = src->data_type;
    if ((dt != dnnl_f32 && dt != dnnl_f16) || wei->data_type != dt || dst->data_type != dt)
        return REFUSE("one matrix is sparse, and the data types are not f32 or f16 throughout");
    return dnnl_success;
}

static dnnl_status_t check(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS),
               *dst = pd_md(pd, DNNL_ARG_DST);
    if (md_is_sparse(src) && md_is_sparse(wei)) return REFUSE("src and weights are both sparse");
    TRY(check_dense(dst, "dst"));
    if (pd_find_arg(pd, DNNL_ARG_BIAS) >= 0)
        return REFUSE("one matrix is sparse, and there is a bias");
    TRY(check_pair(src, wei));
    TRY(matmul_check_shapes(src, wei, NULL, dst));
    if (dst->ndims != 2) return REFUSE("one matrix is sparse, and there is a batch");
    TRY(check_size(src, "src"));
    TRY(check_size(wei, "weights"));
    TRY(check_size(dst, "dst"));
    TRY(check_types(src, wei, dst));
    return attr_check(pd, 0, 0, NULL);
}

/* ---- plan ---- */

enum {
    FEW_LANES = 4, /* fewer lanes than a quarter of a vector do not pay for the kernel's vectors */
    GROUP = 16,    /* work-items of a work-group where a work-item is no thread */
    ITEMS_PER_UNIT = 8, /* work-items for each compute unit, so that all are busy to the end */
};

/* A dimension of the result belongs to the sparse matrix: its lines. The other belongs to the
 * dense one: its lanes. */
typedef struct {
    planner_t planner; /* first: plan_best() passes a pointer to it */
    operand_t sparse, dense, dst;
    int line_dim;
    int64_t lines, lanes, k, entries;
    bool in_order; /* entries come line by line: the kernel reads them where they are */
    uint64_t values, ks, pointers; /* else: offsets in the scratchpad of the entries in order */
} product_t;

static bool is_csr(const product_t *x) {
    return x->sparse.md->format_desc.sparse.encoding == dnnl_csr;
}

static product_t product_of(pd_t *pd, const caps_t *caps) {
    product_t x = {.planner = planner_of(pd, caps)};
    const operand_t src = operand_of(&x.planner, DNNL_ARG_SRC),
                    wei = operand_of(&x.planner, DNNL_ARG_WEIGHTS);
    const bool sparse_src = md_is_sparse(src.md);
    x.line_dim = sparse_src ? 0 : 1;
    x.sparse = sparse_src ? src : wei;
    x.dense = sparse_src ? wei : src;
    x.dst = operand_of(&x.planner, DNNL_ARG_DST);
    x.lines = x.dst.md->dims[x.line_dim];
    x.lanes = x.dst.md->dims[1 - x.line_dim];
    x.k = x.sparse.md->dims[1 - x.line_dim];
    x.entries = x.k ? x.sparse.md->format_desc.sparse.nnz : 0;
    x.in_order = !x.entries || (is_csr(&x) && x.line_dim == 0);
    return x;
}

/* Lines of a work-item, so that every unit has `per_unit` work-items; `beside`: those of a line. */
static int64_t lines_per_item(const product_t *x, int64_t beside, int64_t per_unit) {
    const int64_t wanted = (int64_t)x->planner.caps->compute_units * per_unit;
    const int64_t parts = div_up(wanted, beside);
    return parts >= x->lines ? 1 : div_up(x->lines, parts);
}

static void bind_scratch(const product_t *x) {
    plan_scratch(x->planner.plan, x->values);
    plan_scratch(x->planner.plan, x->ks);
    plan_scratch(x->planner.plan, x->pointers);
}

/* The step that writes the entries line by line to the scratchpad. */
static void plan_order(product_t *x) {
    planner_t *p = &x->planner;
    const uint32_t size[3] = {p->caps->is_cpu ? 1 : GROUP, 1, 1};
    x->values = planner_reserve(p, (uint64_t)x->entries * sizeof(float));
    x->ks = planner_reserve(p, (uint64_t)x->entries * sizeof(int32_t));
    x->pointers = planner_reserve(p, (uint64_t)(x->lines + 1) * sizeof(int32_t));
    mm_sparse_order_t params;
    memset(&params, 0, sizeof(params));
    params.lines = (int32_t)x->lines;
    /* Each work-item reads all entries: no more of them than run at a time. */
    params.lines_per_item = (int32_t)lines_per_item(x, 1, size[0]);
    params.entries = (int32_t)x->entries;
    params.compressed = is_csr(x) ? (int32_t)x->k : 0;
    const uint32_t count[3] = {
            (uint32_t)div_up(div_up(x->lines, params.lines_per_item), size[0]), 1, 1};
    plan_step(p->plan, KERNEL_matmul_sparse_order, size, count);
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)x->sparse.md->data_type);
    plan_handle(p->plan, x->sparse.slot, 0);
    /* Handles of coordinates: rows, then columns. Of compressed rows: columns, then pointers. */
    const bool lines_first = is_csr(x) || x->line_dim == 0;
    plan_handle(p->plan, x->sparse.slot, lines_first ? 1 : 2);
    plan_handle(p->plan, x->sparse.slot, lines_first ? 2 : 1);
    bind_scratch(x);
    plan_const(p->plan, &params, sizeof(params));
}

static mm_sparse_t params_of(const product_t *x, int64_t panels) {
    const int64_t *dense = x->dense.md->format_desc.blocking.strides,
                  *dst = x->dst.md->format_desc.blocking.strides;
    mm_sparse_t params;
    memset(&params, 0, sizeof(params));
    params.lines = (int32_t)x->lines;
    params.lanes = (int32_t)x->lanes;
    params.lines_per_item =
            x->planner.caps->is_cpu ? (int32_t)lines_per_item(x, panels, ITEMS_PER_UNIT) : 1;
    params.empty = !x->entries;
    params.dense_k = dense[x->line_dim];
    params.dense_lane = dense[1 - x->line_dim];
    params.dst_line = dst[x->line_dim];
    params.dst_lane = dst[1 - x->line_dim];
    return params;
}

static void plan_product(product_t *x, int variant) {
    planner_t *p = &x->planner;
    const variant_geometry_t *g = &variants[variant].geometry;
    const bool cpu = variants[variant].target == TARGET_CPU;
    const int64_t lanes = cpu ? g->vw * g->nv : 1;
    const uint32_t size[3] = {cpu ? 1 : GROUP, 1, 1};
    const int64_t panels = div_up(x->lanes, lanes * size[0]);
    const mm_sparse_t params = params_of(x, panels);
    const uint32_t count[3] = {
            (uint32_t)panels, (uint32_t)div_up(x->lines, params.lines_per_item), 1};
    plan_step(p->plan, variant, size, count);
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)(x->in_order ? x->sparse.md->data_type : dnnl_f32));
    plan_spec(p->plan, SPEC_SRC1_DT, (uint32_t)x->dense.md->data_type);
    plan_spec(p->plan, SPEC_DST_DT, (uint32_t)x->dst.md->data_type);
    if (!x->in_order) bind_scratch(x);
    else
        for (int i = 0; i < 3; i++) plan_handle(p->plan, x->entries ? x->sparse.slot : -1, i);
    bind_operand(p->plan, &x->dense);
    bind_operand(p->plan, &x->dst);
    plan_const(p->plan, &params, sizeof(params));
}

const char *matmul_plan_sparse(planner_t *p, int variant) {
    product_t *x = (product_t *)p;
    if (variants[variant].target == TARGET_CPU && x->lanes < FEW_LANES)
        return "the dense matrix is narrow";
    if (!x->in_order) plan_order(x);
    plan_product(x, variant);
    return NULL;
}

static dnnl_status_t resolve_any(pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++)
        if (md_is_any(&pd->args[i].md)) TRY(md_set_plain(&pd->args[i].md));
    return dnnl_success;
}

dnnl_status_t matmul_sparse_init(pd_t *pd, const caps_t *caps) {
    TRY(check(pd));
    TRY(resolve_any(pd));
    TRY(attr_add_args(pd));
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    product_t x = product_of(pd, caps);
    TRY(plan_with_variants(&x.planner, pd, "matmul_sparse"));
    name_variant(pd);
    return planner_finish(&x.planner, pd);
}
