/* SPDX-License-Identifier: Apache-2.0 */
/* matmul with one sparse matrix. The kernel wants the entries in the order of the result's
 * dimension that is the sparse matrix's, as a source in compressed rows has them; others are
 * brought into it by a first step. */
#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/matmul/sparse_params.h"
#include "steps/copies.h"
#include "plan/variant_id.h"
#include "ops/matmul/check.h"
#include "ops/matmul/matmul.h"
#include "plan/variant.h"

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

static dnnl_status_t check(const pd_t *pd, const md_t *src, const md_t *wei, const md_t *dst) {
    if (md_is_sparse(src) && md_is_sparse(wei)) return REFUSE("src and weights are both sparse");
    dnnl_status_t status = check_dense(dst, "dst");
    if (status != dnnl_success) return status;
    if (pd_find_arg(pd, DNNL_ARG_BIAS) >= 0)
        return REFUSE("one matrix is sparse, and there is a bias");
    status = md_is_sparse(src) ? check_encoding(src, "src") : check_encoding(wei, "weights");
    if (status == dnnl_success)
        status = md_is_sparse(src) ? check_dense(wei, "weights") : check_dense(src, "src");
    if (status == dnnl_success) status = matmul_check_shapes(src, wei, NULL, dst);
    if (status != dnnl_success) return status;
    if (dst->ndims != 2) return REFUSE("one matrix is sparse, and there is a batch");
    status = check_size(src, "src");
    if (status == dnnl_success) status = check_size(wei, "weights");
    if (status == dnnl_success) status = check_size(dst, "dst");
    if (status != dnnl_success) return status;
    const dnnl_data_type_t dt = src->data_type;
    if ((dt != dnnl_f32 && dt != dnnl_f16) || wei->data_type != dt || dst->data_type != dt)
        return REFUSE("one matrix is sparse, and the data types are not f32 or f16 throughout");
    return attr_check(pd, 0, 0, NULL);
}

/* ---- plan ---- */

enum {
    LANES_CPU = 64, /* the kernel's vectors; from a quarter of a vector on it pays */
    FEW_LANES = 4,
    GROUP = 16, /* of other devices */
    ITEMS_PER_UNIT = 8,
};

typedef struct {
    const pd_t *pd;
    const caps_t *caps;
    int sparse_slot, dense_slot, dst_slot;
    const md_t *sparse, *dense, *dst;
    int line_dim; /* the dimension of dst, and of the sparse matrix, that is not k */
    int64_t lines, lanes, k, entries;
} product_t;

static product_t product_of(const pd_t *pd, const caps_t *caps) {
    product_t x = {.pd = pd, .caps = caps, .dst_slot = pd_find_arg(pd, DNNL_ARG_DST)};
    const int src = pd_find_arg(pd, DNNL_ARG_SRC), wei = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    x.line_dim = md_is_sparse(&pd->args[src].md) ? 0 : 1;
    x.sparse_slot = x.line_dim == 0 ? src : wei;
    x.dense_slot = x.line_dim == 0 ? wei : src;
    x.sparse = &pd->args[x.sparse_slot].md;
    x.dense = &pd->args[x.dense_slot].md;
    x.dst = &pd->args[x.dst_slot].md;
    x.lines = x.dst->dims[x.line_dim];
    x.lanes = x.dst->dims[1 - x.line_dim];
    x.k = x.sparse->dims[1 - x.line_dim];
    x.entries = x.k ? x.sparse->format_desc.sparse.nnz : 0;
    return x;
}

static bool is_csr(const product_t *x) {
    return x->sparse->format_desc.sparse.encoding == dnnl_csr;
}

static bool in_order(const product_t *x) {
    return !x->entries || (is_csr(x) && x->line_dim == 0);
}

/* Lines of a work-item, so that every unit has enough to do. */
static int64_t share(const product_t *x, int64_t items_elsewhere, int64_t per_unit) {
    const int64_t wanted = (int64_t)x->caps->compute_units * per_unit;
    const int64_t parts = div_up(wanted, items_elsewhere);
    return parts >= x->lines ? 1 : div_up(x->lines, parts);
}

/* Where the entries lie in the scratchpad once they are in order. */
typedef struct {
    uint64_t values, ks, pointers, size;
} place_t;

static uint64_t aligned(uint64_t bytes) {
    return (bytes + 63) & ~(uint64_t)63;
}

static place_t place_of(const product_t *x) {
    place_t p = {0};
    if (in_order(x)) return p;
    p.ks = aligned((uint64_t)x->entries * sizeof(float));
    p.pointers = p.ks + aligned((uint64_t)x->entries * sizeof(int32_t));
    p.size = p.pointers + (uint64_t)(x->lines + 1) * sizeof(int32_t);
    return p;
}

static void plan_order(const product_t *x, const place_t *to, plan_t *plan) {
    const uint32_t size[3] = {x->caps->is_cpu ? 1 : GROUP, 1, 1};
    mm_sparse_order_t p;
    memset(&p, 0, sizeof(p));
    p.lines = (int32_t)x->lines;
    /* Each work-item reads all entries: no more of them than run at a time. */
    p.lines_per_item = (int32_t)share(x, 1, size[0]);
    p.entries = (int32_t)x->entries;
    p.compressed = is_csr(x) ? (int32_t)x->k : 0;
    const uint32_t count[3] = {(uint32_t)div_up(div_up(x->lines, p.lines_per_item), size[0]), 1, 1};
    plan_step(plan, KERNEL_matmul_sparse_order, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)x->sparse->data_type);
    plan_handle(plan, x->sparse_slot, 0);
    /* Rows come before columns; compressed rows come after the columns. */
    const bool columns_first = is_csr(x);
    plan_handle(plan, x->sparse_slot, columns_first || x->line_dim == 0 ? 1 : 2);
    plan_handle(plan, x->sparse_slot, columns_first || x->line_dim == 0 ? 2 : 1);
    plan_scratch(plan, to->values);
    plan_scratch(plan, to->ks);
    plan_scratch(plan, to->pointers);
    plan_const(plan, &p, sizeof(p));
}

static void bind_entries(const product_t *x, const place_t *at, plan_t *plan) {
    if (!in_order(x)) {
        plan_scratch(plan, at->values);
        plan_scratch(plan, at->ks);
        plan_scratch(plan, at->pointers);
        return;
    }
    for (int i = 0; i < 3; i++) plan_handle(plan, x->entries ? x->sparse_slot : -1, i);
}

static void bind_dense(int slot, const md_t *md, plan_t *plan) {
    plan_arg(plan, slot, (uint64_t)md->offset0 * dt_size(md->data_type));
}

static void plan_product(const product_t *x, int row, const place_t *at, plan_t *plan) {
    const bool cpu = variants[row].target == TARGET_CPU;
    const uint32_t lanes = cpu ? LANES_CPU : 1;
    const uint32_t size[3] = {cpu ? 1 : GROUP, 1, 1};
    const md_blocking_t *dense = &x->dense->format_desc.blocking,
                        *dst = &x->dst->format_desc.blocking;
    const int64_t panels = div_up(x->lanes, lanes * size[0]);
    mm_sparse_t p;
    memset(&p, 0, sizeof(p));
    p.lines = (int32_t)x->lines;
    p.lanes = (int32_t)x->lanes;
    p.lines_per_item = x->caps->is_cpu ? (int32_t)share(x, panels, ITEMS_PER_UNIT) : 1;
    p.empty = !x->entries;
    p.dense_k = dense->strides[x->line_dim];
    p.dense_lane = dense->strides[1 - x->line_dim];
    p.dst_line = dst->strides[x->line_dim];
    p.dst_lane = dst->strides[1 - x->line_dim];
    const uint32_t count[3] = {(uint32_t)panels, (uint32_t)div_up(x->lines, p.lines_per_item), 1};
    plan_step(plan, row, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)(in_order(x) ? x->sparse->data_type : dnnl_f32));
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)x->dense->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)x->dst->data_type);
    bind_entries(x, at, plan);
    bind_dense(x->dense_slot, x->dense, plan);
    bind_dense(x->dst_slot, x->dst, plan);
    plan_const(plan, &p, sizeof(p));
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    const product_t x = product_of(pd, caps);
    if (variants[row].target == TARGET_CPU && x.lanes < FEW_LANES)
        return "the dense matrix is narrow";
    return NULL;
}

static dnnl_status_t resolve_any(pd_t *pd) {
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < pd->nargs && status == dnnl_success; i++)
        if (md_is_any(&pd->args[i].md)) status = md_set_plain(&pd->args[i].md);
    return status;
}

dnnl_status_t matmul_sparse_init(pd_t *pd, const caps_t *caps) {
    dnnl_status_t status = check(
            pd, pd_md(pd, DNNL_ARG_SRC), pd_md(pd, DNNL_ARG_WEIGHTS), pd_md(pd, DNNL_ARG_DST));
    if (status == dnnl_success) status = resolve_any(pd);
    if (status == dnnl_success) status = attr_add_args(pd);
    if (status != dnnl_success) return status;
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    status = select_variant(pd, caps, "matmul_sparse", fits);
    if (status != dnnl_success) return status;
    name_variant(pd);

    const product_t x = product_of(pd, caps);
    const place_t place = place_of(&x);
    plan_reset(&pd->plan);
    if (!in_order(&x)) plan_order(&x, &place, &pd->plan);
    plan_product(&x, pd->variant, &place, &pd->plan);
    return attr_add_scratchpad(pd, place.size);
}
