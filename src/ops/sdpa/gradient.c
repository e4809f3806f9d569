/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in backward propagation: its checks, and the planners of its variants. The first step
 * is the sums of each row of the destination times its gradient. Then one step makes all gradients,
 * or one those of the queries and another those of keys and values. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/sdpa/gradient_params.h"
#include "ops/sdpa/sdpa.h"
#include "plan/attributes.h"
#include "plan/check.h"
#include "plan/device.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/variant_id.h"
#include "steps/local_tile.h"

#define FAMILY "sdpa"
#define INVALID(...) verbose_check(dnnl_invalid_arguments, FAMILY, __VA_ARGS__)
#define REFUSED(...) verbose_refuse(dnnl_unimplemented, FAMILY, __VA_ARGS__)

/* A problem of gradients. The planners of the variants get attention's. */
typedef struct {
    sdpa_t sd;
    operand_t diff_dst, diff_query, diff_key, diff_value, diff_score, delta;
    md_t delta_md;
    int64_t key_matrices;
    sd_gradients_t g;
} gradient_t;

/* ---- plans ---- */

static void set_layout(sd_layout_t *layout, const operand_t *of, bool turned) {
    if (!of->md) return;
    const int nd = of->md->ndims, row = nd - (turned ? 1 : 2), col = nd - (turned ? 2 : 1);
    const dnnl_dim_t *strides = of->md->format_desc.blocking.strides;
    for (int d = 0; d < nd - 2; d++) layout->outer[d] = of->md->dims[d] == 1 ? 0 : strides[d];
    layout->row = of->md->dims[row] == 1 ? 0 : strides[row];
    layout->col = of->md->dims[col] == 1 ? 0 : strides[col];
}

static void gradient_init(gradient_t *x, const planner_t *planner) {
    const pd_t *pd = planner->pd;
    memset(x, 0, sizeof(*x));
    x->sd = *(const sdpa_t *)planner;
    x->diff_dst = operand_of(planner, DNNL_ARG_DIFF_DST);
    x->diff_query = operand_of(planner, DNNL_ARG_DIFF_QUERIES);
    x->diff_key = operand_of(planner, DNNL_ARG_DIFF_KEYS);
    x->diff_value = operand_of(planner, DNNL_ARG_DIFF_VALUES);
    x->diff_score = (operand_t){NULL, -1, 0};
    if (pd_find_arg(pd, DNNL_ARG_DIFF_ATTN_SCORES) >= 0)
        x->diff_score = operand_of(planner, DNNL_ARG_DIFF_ATTN_SCORES);
    set_layout(&x->g.dst, &x->diff_dst, false);
    set_layout(&x->g.query, &x->diff_query, false);
    set_layout(&x->g.key, &x->diff_key, true);
    set_layout(&x->g.value, &x->diff_value, false);
    set_layout(&x->g.score, &x->diff_score, false);
    const int heads = x->sd.p.nouter - 1;
    x->g.share = heads < 0 ? 1 : x->sd.p.share[heads];
    x->key_matrices = x->sd.matrices / x->g.share;
}

static uint32_t type_of(const operand_t *operand) {
    return operand->md ? (uint32_t)operand->md->data_type : 0;
}

/* The first step. Only its own arguments matter to its code. */
static const char *plan_delta(gradient_t *x, int variant, int group) {
    sdpa_t *sd = &x->sd;
    const int64_t queries = sd->matrices * sd->p.queries;
    x->delta = (operand_t){NULL, -1, 0};
    if (!queries) return NULL;
    REFUSE_IF(operand_array(&sd->planner, &x->delta, &x->delta_md, queries, dnnl_f32));
    plan_step(sd->planner.plan, variant, (uint32_t[3]){(uint32_t)group, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(sd->p.queries, group), (uint32_t)sd->matrices, 1});
    plan_spec(sd->planner.plan, SPEC_DST_DT, type_of(&sd->dst));
    plan_spec(sd->planner.plan, SPEC_SDG_DIFF_DST_DT, type_of(&x->diff_dst));
    sdpa_bind(sd, &sd->dst);
    sdpa_bind(sd, &x->diff_dst);
    sdpa_bind(sd, &x->delta);
    plan_const(sd->planner.plan, &sd->p, sizeof(sd->p));
    plan_const(sd->planner.plan, &x->g, sizeof(x->g));
    return NULL;
}

/* Which gradients a step makes: those of queries and scores, of keys and values, or all. */
typedef enum { OF_QUERIES = 1, OF_KEYS = 2, OF_BOTH = OF_QUERIES | OF_KEYS } made_t;

static void add_specs(gradient_t *x, made_t made) {
    plan_t *plan = x->sd.planner.plan;
    sdpa_specs(&x->sd);
    plan_spec(plan, SPEC_SDG_DIFF_DST_DT, type_of(&x->diff_dst));
    if (made & OF_KEYS) {
        plan_spec(plan, SPEC_SDG_DIFF_KEY_DT, type_of(&x->diff_key));
        plan_spec(plan, SPEC_SDG_DIFF_VALUE_DT, type_of(&x->diff_value));
    }
    if (made & OF_QUERIES) {
        plan_spec(plan, SPEC_SDG_DIFF_QUERY_DT, type_of(&x->diff_query));
        plan_spec(plan, SPEC_SDG_DIFF_SCORE_DT, type_of(&x->diff_score));
    }
}

/* What the kernels have in common behind their own tensors. */
static void bind_rest(gradient_t *x, made_t made) {
    sdpa_t *sd = &x->sd;
    sdpa_bind(sd, &sd->stats);
    sdpa_bind(sd, &x->delta);
    sdpa_bind(sd, &sd->mask);
    sdpa_bind_factor(sd, &sd->scale);
    sdpa_bind_factor(sd, &sd->cap);
    plan_const(sd->planner.plan, &sd->p, sizeof(sd->p));
    plan_const(sd->planner.plan, &x->g, sizeof(x->g));
    sdpa_bind_more(sd);
    if (made & OF_QUERIES) {
        sdpa_bind(sd, &x->diff_query);
        sdpa_bind(sd, &x->diff_score);
    }
    if (made & OF_KEYS) {
        sdpa_bind(sd, &x->diff_key);
        sdpa_bind(sd, &x->diff_value);
    }
}

/* Is there anything to write? */
static bool has_lines(const gradient_t *x, bool of_keys) {
    const sd_params_t *p = &x->sd.p;
    return x->sd.matrices && (of_keys ? p->keys && (p->size || p->width)
                                      : p->queries && (p->size || (p->keys && x->diff_score.md)));
}

const char *sdpa_plan_gradient_portable(planner_t *planner, int variant) {
    enum { LINES = 16, COLUMNS = 16 }; /* of a work-group, as the kernels have them */
    gradient_t x;
    gradient_init(&x, planner);
    sdpa_t *sd = &x.sd;
    REFUSE_IF(sdpa_check_size(sd));
    REFUSE_IF(plan_delta(&x, KERNEL_sdpa_delta_portable, LINES));
    for (int of_keys = 0; of_keys < 2; of_keys++) {
        const sd_params_t *p = &sd->p;
        const int most = of_keys && p->width > p->size ? p->width : p->size;
        if (!has_lines(&x, of_keys)) continue;
        plan_step(planner->plan, of_keys ? KERNEL_sdpa_gradient_keys_portable : variant,
                (uint32_t[3]){LINES, 1, 1},
                (uint32_t[3]){(uint32_t)div_up(of_keys ? p->keys : p->queries, LINES),
                        (uint32_t)max_i64(div_up(most, COLUMNS), 1),
                        (uint32_t)(of_keys ? x.key_matrices : sd->matrices)});
        add_specs(&x, of_keys ? OF_KEYS : OF_QUERIES);
        sdpa_bind(sd, &sd->queries);
        sdpa_bind(sd, &sd->keys);
        sdpa_bind(sd, &sd->values);
        sdpa_bind(sd, &x.diff_dst);
        bind_rest(&x, of_keys ? OF_KEYS : OF_QUERIES);
    }
    planner->scratch = sd->planner.scratch;
    return NULL;
}

static const char *check_products(const sd_params_t *p) {
    return !p->keys || !p->size || !p->queries || !p->width ? "there is nothing to multiply" : NULL;
}

/* Tiles of local memory. Heads that are larger than the columns of a tile have several. */
static const char *check_local(const gradient_t *x, int variant) {
    const sdpa_t *sd = &x->sd;
    const int64_t columns = local_tile_columns(variant) * variants[variant].geometry.nt;
    const bool is_narrow = sd->p.size <= columns / 2 && sd->p.width <= columns / 2,
               forced = variant_is_forced(sd->planner.pd, variant);
    REFUSE_IF(sdpa_check_size(sd));
    REFUSE_IF(check_products(&sd->p));
    REFUSE_IF(sdpa_check_local(sd));
    if (variant == KERNEL_sdpa_gradient_local_128 && is_narrow && !forced)
        return "the tile is made for larger heads";
    return NULL;
}

static void plan_walk(gradient_t *x, int variant, bool of_keys) {
    sdpa_t *sd = &x->sd;
    const sd_params_t *p = &sd->p;
    const int64_t columns = local_tile_columns(variant) * variants[variant].geometry.nt,
                  most = of_keys ? max_i64(p->size, p->width) : p->size;
    plan_step(sd->planner.plan, variant, local_tile_group,
            (uint32_t[3]){
                    (uint32_t)div_up(of_keys ? p->keys : p->queries, local_tile_rows(variant)),
                    (uint32_t)(of_keys ? x->key_matrices : sd->matrices),
                    (uint32_t)div_up(most, columns)});
    add_specs(x, of_keys ? OF_KEYS : OF_QUERIES);
    sdpa_bind(sd, &sd->queries);
    sdpa_bind(sd, &sd->keys);
    sdpa_bind(sd, &sd->values);
    sdpa_bind(sd, &x->diff_dst);
    bind_rest(x, of_keys ? OF_KEYS : OF_QUERIES);
}

const char *sdpa_plan_gradient_local(planner_t *planner, int variant) {
    gradient_t x;
    gradient_init(&x, planner);
    REFUSE_IF(check_local(&x, variant));
    REFUSE_IF(plan_delta(&x, KERNEL_sdpa_delta_portable, 16));
    plan_walk(&x, variant, false);
    plan_walk(&x, KERNEL_sdpa_gradient_keys_local, true);
    planner->scratch = x.sd.planner.scratch;
    return NULL;
}

/* What a kernel walks along, in panels: columns for the products, lines for the sums. */
typedef struct {
    operand_t columns, diff_columns, lines, diff_lines;
    md_t md[4];
} panels_t;

static const char *pack_keys(gradient_t *x, panels_t *to) {
    sd_params_t p = x->sd.p; /* packing changes the strides between matrices */
    const int n = p.keys;
    const sdpa_pack_t keys = {0, &x->sd.keys, p.size, n, p.k_row, p.k_col, p.k_outer, true};
    const sdpa_pack_t values = {0, &x->sd.values, p.width, n, p.v_col, p.v_row, p.v_outer, true};
    REFUSE_IF(sdpa_pack(&x->sd, &keys, &to->columns, &to->md[0]));
    REFUSE_IF(sdpa_pack(&x->sd, &values, &to->diff_columns, &to->md[1]));
    p = x->sd.p;
    const sdpa_pack_t lines = {0, &x->sd.keys, n, p.size, p.k_col, p.k_row, p.k_outer, true};
    return sdpa_pack(&x->sd, &lines, &to->lines, &to->md[2]);
}

static const char *pack_query_columns(gradient_t *x, panels_t *to) {
    sd_params_t p = x->sd.p;
    sd_layout_t o = x->g.dst;
    const sdpa_pack_t columns = {
            0, &x->sd.queries, p.size, p.queries, p.q_col, p.q_row, p.q_outer, false};
    const sdpa_pack_t diff = {0, &x->diff_dst, p.width, p.queries, o.col, o.row, o.outer, false};
    REFUSE_IF(sdpa_pack(&x->sd, &columns, &to->columns, &to->md[0]));
    return sdpa_pack(&x->sd, &diff, &to->diff_columns, &to->md[1]);
}

static const char *pack_query_lines(gradient_t *x, panels_t *to) {
    sd_params_t p = x->sd.p;
    sd_layout_t o = x->g.dst;
    const sdpa_pack_t lines = {
            0, &x->sd.queries, p.queries, p.size, p.q_row, p.q_col, p.q_outer, false};
    const sdpa_pack_t diff = {0, &x->diff_dst, p.queries, p.width, o.row, o.col, o.outer, false};
    REFUSE_IF(sdpa_pack(&x->sd, &lines, &to->lines, &to->md[2]));
    return sdpa_pack(&x->sd, &diff, &to->diff_lines, &to->md[3]);
}

static void plan_tiles(gradient_t *x, int variant, bool of_keys, const panels_t *panels) {
    sdpa_t *sd = &x->sd;
    const int lines = of_keys ? sd->p.keys : sd->p.queries;
    plan_step(sd->planner.plan, variant, (uint32_t[3]){1, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(lines, variants[variant].geometry.mr),
                    (uint32_t)(of_keys ? x->key_matrices : sd->matrices), 1});
    add_specs(x, of_keys ? OF_KEYS : OF_QUERIES);
    sdpa_bind(sd, of_keys ? &sd->keys : &sd->queries);
    sdpa_bind(sd, of_keys ? &sd->values : &x->diff_dst);
    sdpa_bind(sd, &panels->columns);
    sdpa_bind(sd, &panels->diff_columns);
    sdpa_bind(sd, &panels->lines);
    if (of_keys) sdpa_bind(sd, &panels->diff_lines);
    bind_rest(x, of_keys ? OF_KEYS : OF_QUERIES);
}

static const char *check_sizes(const sdpa_t *sd) {
    const sd_params_t *p = &sd->p;
    REFUSE_IF(sdpa_check_size(sd));
    if (p->size > SD_MAX_SIZE || p->width > SD_MAX_SIZE)
        return "heads are larger than the kernel's arrays";
    return check_products(p);
}

/* One step has five products where two have seven, but only a work-item for each matrix of keys:
 * the device's threads must not wait longer for the last of them. */
static const char *check_balance(const gradient_t *x, int variant) {
    const int64_t threads = groups_wanted(x->sd.planner.caps, 1),
                  rounds = div_up(x->key_matrices, threads);
    if (variant_is_forced(x->sd.planner.pd, variant)) return NULL;
    return 5 * rounds * threads > 7 * x->key_matrices
                   ? "there are few matrices of keys for the device's threads"
                   : NULL;
}

/* Where the kernel adds up a gradient of each matrix of keys: panels of floats. */
static const char *add_sums(gradient_t *x, int columns, operand_t *sums, md_t *md) {
    const int64_t line = SDPA_PANEL * div_up(columns, SDPA_PANEL);
    return operand_array(&x->sd.planner, sums, md, x->key_matrices * x->sd.p.keys * line, dnnl_f32);
}

const char *sdpa_plan_gradients_cpu(planner_t *planner, int variant) {
    gradient_t x;
    panels_t keys, queries;
    operand_t key_sums, value_sums;
    md_t key_md, value_md;
    gradient_init(&x, planner);
    sdpa_t *sd = &x.sd;
    plan_t *plan = planner->plan;
    if (!variant_is_forced(planner->pd, variant))
        REFUSE_IF(variant_is_too_wide(variant, planner->caps));
    REFUSE_IF(check_sizes(sd));
    REFUSE_IF(check_balance(&x, variant));
    REFUSE_IF(plan_delta(&x, KERNEL_sdpa_delta_cpu, 1));
    REFUSE_IF(pack_keys(&x, &keys));
    REFUSE_IF(pack_query_lines(&x, &queries));
    REFUSE_IF(add_sums(&x, sd->p.size, &key_sums, &key_md));
    REFUSE_IF(add_sums(&x, sd->p.width, &value_sums, &value_md));
    plan_step(plan, variant, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){(uint32_t)x.key_matrices, 1, 1});
    add_specs(&x, OF_BOTH);
    sdpa_bind(sd, &sd->queries);
    sdpa_bind(sd, &x.diff_dst);
    const operand_t *const panels[] = {&keys.columns, &keys.diff_columns, &keys.lines,
            &queries.lines, &queries.diff_lines, &key_sums, &value_sums};
    for (int i = 0; i < ARRAY_LEN(panels); i++) sdpa_bind(sd, panels[i]);
    bind_rest(&x, OF_BOTH);
    planner->scratch = sd->planner.scratch;
    return NULL;
}

const char *sdpa_plan_gradient_cpu(planner_t *planner, int variant) {
    gradient_t x;
    panels_t keys, queries;
    gradient_init(&x, planner);
    REFUSE_IF(check_sizes(&x.sd));
    REFUSE_IF(plan_delta(&x, KERNEL_sdpa_delta_cpu, 1));
    REFUSE_IF(pack_keys(&x, &keys));
    REFUSE_IF(pack_query_columns(&x, &queries));
    REFUSE_IF(pack_query_lines(&x, &queries));
    plan_tiles(&x, variant, false, &keys);
    plan_tiles(&x, KERNEL_sdpa_gradient_keys_cpu, true, &queries);
    planner->scratch = x.sd.planner.scratch;
    return NULL;
}

/* ---- checks ---- */

static dnnl_status_t check_gradient(pd_t *pd, int arg, int of, const char *name) {
    md_t *md = &pd->args[pd_find_arg(pd, arg)].md;
    const md_t *like = pd_md(pd, of);
    if (!md_same_dims(md, like)) return INVALID("the %s has other dimensions", name);
    TRY(ew_resolve(pd, md, like, name));
    return sdpa_check_tensor(md, name);
}

/* The gradient of the scores is row-major if its layout is `any`. */
static dnnl_status_t check_scores(pd_t *pd) {
    const int slot = pd_find_arg(pd, DNNL_ARG_DIFF_ATTN_SCORES);
    const md_t *q = pd_md(pd, DNNL_ARG_QUERIES);
    dnnl_dims_t dims;
    md_t plain;
    if (slot < 0) return dnnl_success;
    md_t *md = &pd->args[slot].md;
    for (int d = 0; d < q->ndims; d++) dims[d] = q->dims[d];
    dims[q->ndims - 1] = pd_md(pd, DNNL_ARG_KEYS)->dims[q->ndims - 1];
    if (md_init_strides(&plain, q->ndims, dims, md->data_type, NULL) != dnnl_success)
        return REFUSED("the gradient of the scores is too large");
    if (!md_same_dims(md, &plain)) return INVALID("the gradient of the scores has not their dims");
    if (md_is_any(md)) *md = plain;
    return sdpa_check_tensor(md, "gradient of the scores");
}

static bool writes_nothing(const pd_t *pd) {
    return md_has_zero_dim(pd_md(pd, DNNL_ARG_DIFF_QUERIES)) &&
           md_has_zero_dim(pd_md(pd, DNNL_ARG_DIFF_KEYS)) &&
           md_has_zero_dim(pd_md(pd, DNNL_ARG_DIFF_VALUES)) &&
           (pd_find_arg(pd, DNNL_ARG_DIFF_ATTN_SCORES) < 0 ||
                   md_has_zero_dim(pd_md(pd, DNNL_ARG_DIFF_ATTN_SCORES)));
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(sdpa_check_common(pd));
    TRY(sdpa_check_tensor(pd_md(pd, DNNL_ARG_QUERIES), "queries"));
    TRY(sdpa_check_tensor(pd_md(pd, DNNL_ARG_KEYS), "keys"));
    TRY(sdpa_check_tensor(pd_md(pd, DNNL_ARG_VALUES), "values"));
    TRY(sdpa_check_tensor(pd_md(pd, DNNL_ARG_DST), "results"));
    TRY(check_gradient(pd, DNNL_ARG_DIFF_DST, DNNL_ARG_DST, "gradient of the destination"));
    TRY(check_gradient(pd, DNNL_ARG_DIFF_QUERIES, DNNL_ARG_QUERIES, "gradient of the queries"));
    TRY(check_gradient(pd, DNNL_ARG_DIFF_KEYS, DNNL_ARG_KEYS, "gradient of the keys"));
    TRY(check_gradient(pd, DNNL_ARG_DIFF_VALUES, DNNL_ARG_VALUES, "gradient of the values"));
    TRY(check_scores(pd));
    TRY(attr_check(pd, ATTR_DROPOUT, 0, NULL));
    if (!md_is_zero(&pd->attr.dropout.mask_md))
        return REFUSED("gradients of attention have no mask of dropout");
    TRY(sdpa_add_statistics(pd, PD_IN));
    TRY(attr_add_args(pd)); /* the descriptors may have moved */
    if (writes_nothing(pd)) return nothing_to_do(pd);
    sdpa_t sd;
    sdpa_init(&sd, pd, caps);
    TRY(plan_with_variants(&sd.planner, pd, "sdpa_backward"));
    name_variant(pd);
    return planner_finish(&sd.planner, pd);
}

const op_kind_t op_sdpa_backward = {.kind = DNNL_ZE_PRIMITIVE_KIND_SDPA,
        .directions = DIRECTION_BACKWARD,
        .name = FAMILY,
        .init = init,
        .host_scalars = true,
        .own_dropout_mask = true,
        .format_problem = sdpa_format_problem,
        .format_aux = sdpa_format_aux};
