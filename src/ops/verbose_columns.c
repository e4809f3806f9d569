/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a verbose line that describe a primitive. Programs parse these lines: fields
 * and separators are fixed. */
#include "ops/verbose_columns.h"

#include <string.h>

#include "core/alloc.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "ops/conv/depthwise_fused.h"
#include "plan/op.h"

/* A tensor of the column of descriptors. */
typedef struct {
    int arg, otherwise; /* its gradient, for primitives that do not have the first */
    const char *name;
    bool always; /* print it even if it is absent */
} column_t;

#define KIND(...) ((const column_t[]){__VA_ARGS__, {0, 0, NULL, false}})
#define SRC(name) {DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, name, true}
#define WEI {DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, "wei", true}
#define DST {DNNL_ARG_DST, DNNL_ARG_DIFF_DST, "dst", true}
#define EXTRA(arg, name) {arg, 0, name, false}

/* Index: dnnl_primitive_kind_t. Concat and sum have their sources in front. */
static const column_t *const columns[] = {
        [dnnl_reorder] = KIND(SRC("src"), DST),
        [dnnl_shuffle] = KIND(SRC("data")),
        [dnnl_concat] = KIND(DST),
        [dnnl_sum] = KIND(DST),
        [dnnl_convolution] =
                KIND(SRC("src"), WEI, {DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS, "bia", true}, DST),
        [dnnl_deconvolution] =
                KIND(SRC("src"), WEI, {DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS, "bia", true}, DST),
        [dnnl_eltwise] =
                KIND({DNNL_ARG_SRC, DNNL_ARG_DST, "data", true}, EXTRA(DNNL_ARG_DIFF_SRC, "diff")),
        [dnnl_lrn] = KIND(SRC("data"), EXTRA(DNNL_ARG_DIFF_SRC, "diff")),
        [dnnl_batch_normalization] = KIND(SRC("data"), EXTRA(DNNL_ARG_DIFF_SRC, "diff")),
        [dnnl_inner_product] =
                KIND(SRC("src"), WEI, {DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS, "bia", true}, DST),
        [dnnl_rnn] = KIND({DNNL_ARG_SRC_LAYER, 0, "src_layer", true},
                EXTRA(DNNL_ARG_SRC_ITER, "src_iter"),
                {DNNL_ARG_WEIGHTS_LAYER, 0, "wei_layer", true},
                {DNNL_ARG_WEIGHTS_ITER, 0, "wei_iter", true},
                EXTRA(DNNL_ARG_WEIGHTS_PEEPHOLE, "wei_peephole"),
                EXTRA(DNNL_ARG_WEIGHTS_PROJECTION, "wei_proj"), EXTRA(DNNL_ARG_BIAS, "bias"),
                {DNNL_ARG_DST_LAYER, 0, "dst_layer", true}, EXTRA(DNNL_ARG_DST_ITER, "dst_iter"),
                EXTRA(DNNL_ARG_DIFF_SRC_LAYER, "diff_src_layer"),
                EXTRA(DNNL_ARG_DIFF_SRC_ITER, "diff_src_iter"),
                EXTRA(DNNL_ARG_DIFF_WEIGHTS_LAYER, "diff_wei_layer"),
                EXTRA(DNNL_ARG_DIFF_WEIGHTS_ITER, "diff_wei_iter"),
                EXTRA(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, "diff_wei_peephole"),
                EXTRA(DNNL_ARG_DIFF_WEIGHTS_PROJECTION, "diff_wei_proj"),
                EXTRA(DNNL_ARG_DIFF_BIAS, "diff_bias"),
                EXTRA(DNNL_ARG_DIFF_DST_LAYER, "diff_dst_layer"),
                EXTRA(DNNL_ARG_DIFF_DST_ITER, "diff_dst_iter")),
        [dnnl_binary] = KIND(
                SRC("src"), {DNNL_ARG_SRC_1, 0, "src", true}, EXTRA(DNNL_ARG_SRC_2, "src"), DST),
        [dnnl_matmul] = KIND(SRC("src"), WEI, EXTRA(DNNL_ARG_BIAS, "bia"), DST),
        [dnnl_resampling] = KIND(SRC("src"), DST),
        [dnnl_pooling] = KIND(SRC("src"), DST, EXTRA(DNNL_ARG_WORKSPACE, "ws")),
        [dnnl_reduction] = KIND(SRC("src"), DST),
        [dnnl_prelu] = KIND(SRC("data"), WEI, EXTRA(DNNL_ARG_DIFF_SRC, "diff"),
                EXTRA(DNNL_ARG_DIFF_WEIGHTS, "diff_wei")),
        [dnnl_softmax] = KIND(
                SRC("src"), {DNNL_ARG_DST, 0, "dst", true}, EXTRA(DNNL_ARG_DIFF_DST, "diff_dst")),
        [dnnl_layer_normalization] = KIND(SRC("src"), DST,
                {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, "stats", true}, EXTRA(DNNL_ARG_SCALE, "scale"),
                EXTRA(DNNL_ARG_SHIFT, "shift"), EXTRA(DNNL_ARG_DIFF_SRC, "diff_src"),
                EXTRA(DNNL_ARG_DIFF_SCALE, "diff_scale"), EXTRA(DNNL_ARG_DIFF_SHIFT, "diff_shift")),
        [dnnl_group_normalization] = KIND(SRC("src"), DST, EXTRA(DNNL_ARG_DIFF_SRC, "diff_src")),
        [DNNL_ZE_PRIMITIVE_KIND_SDPA] = KIND({DNNL_ARG_QUERIES, 0, "query", true},
                {DNNL_ARG_KEYS, 0, "key", true}, {DNNL_ARG_VALUES, 0, "val", true},
                EXTRA(DNNL_ARG_ATTN_MASK, "msk"), EXTRA(DNNL_ARG_SCALE, "scale"),
                EXTRA(DNNL_ARG_ATTN_CAP, "cap"), EXTRA(DNNL_ARG_ATTN_FILL, "fill"),
                EXTRA(DNNL_ARG_ATTN_WEIGHT_SCALE, "weight_scale"),
                EXTRA(DNNL_ARG_ATTN_WEIGHT_ZERO_POINT, "weight_zero"), DST,
                EXTRA(DNNL_ARG_WORKSPACE, "ws"), EXTRA(DNNL_ARG_DIFF_QUERIES, "diff_query"),
                EXTRA(DNNL_ARG_DIFF_KEYS, "diff_key"), EXTRA(DNNL_ARG_DIFF_VALUES, "diff_val"),
                EXTRA(DNNL_ARG_DIFF_DST, "diff_dst"),
                EXTRA(DNNL_ARG_DIFF_ATTN_SCORES, "diff_scores")),
};

/* A convolution with a depthwise one as post-op: what is between the two goes by the second
 * one's names. */
enum { BETWEEN = DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC };
static const column_t *const fused_columns =
        KIND(SRC("src"), WEI, {DNNL_ARG_BIAS, 0, "bia", true}, {BETWEEN, 0, "src_fused", true},
                {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, 0, "wei_fused", true},
                {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS, 0, "bia_fused", true}, DST);

static bool is_fused(const pd_t *pd) {
    return pd->params.kind == dnnl_convolution && conv_find_depthwise(&pd->attr) >= 0;
}

/* Whether the caller left the layout of an argument to the library. */
static bool was_any(const pd_t *pd, int arg) {
    if (is_fused(pd) && (arg == DNNL_ARG_DST || arg == BETWEEN)) {
        if (arg == DNNL_ARG_DST) return false; /* what the caller described is what is between */
        arg = DNNL_ARG_DST;
    }
    for (int i = 0; i < pd->request.ntensors; i++)
        if (pd->request.tensor[i].arg == arg) return md_is_any(pd->request.tensor[i].md);
    return false;
}

static const md_t *actual_md(const pd_t *pd, const md_t *const *mds, int slot) {
    return mds && mds[slot] ? mds[slot] : &pd->args[slot].md;
}

/* The caller's destination, in the layout of the one that is written in the end. */
static md_t between_md(const pd_t *pd) {
    md_t md = {0};
    for (int i = 0; i < pd->request.ntensors; i++)
        if (pd->request.tensor[i].arg == DNNL_ARG_DST) md = *pd->request.tensor[i].md;
    if (md_is_any(&md) && md_set_like(&md, pd_md(pd, DNNL_ARG_DST)) != dnnl_success) md = (md_t){0};
    return md;
}

static void add_md(
        text_t *text, const pd_t *pd, const md_t *const *mds, int arg, const char *name) {
    static const md_t zero;
    const int slot = pd_find_arg(pd, arg);
    const md_t between = arg == BETWEEN ? between_md(pd) : zero;
    const md_t *md = arg == BETWEEN ? &between : slot < 0 ? &zero : actual_md(pd, mds, slot);
    char form[256];
    md_format_as(md, was_any(pd, arg), form, sizeof(form));
    text_add(text, "%s:%s", name, form);
}

static void add_mds(text_t *text, const pd_t *pd, const md_t *const *mds) {
    const dnnl_primitive_kind_t kind = pd->params.kind;
    if ((unsigned)kind >= sizeof(columns) / sizeof(columns[0]) || !columns[kind]) return;
    const char *separator = "";
    for (int i = 0; (kind == dnnl_concat || kind == dnnl_sum) && i < pd->request.ntensors - 1;
            i++) {
        text_add(text, "%s", separator);
        add_md(text, pd, mds, DNNL_ARG_MULTIPLE_SRC + i, "src");
        separator = " ";
    }
    for (const column_t *c = is_fused(pd) ? fused_columns : columns[kind]; c->name; c++) {
        const int arg = pd_find_arg(pd, c->arg) >= 0 || !c->otherwise ? c->arg : c->otherwise;
        if (!c->always && pd_find_arg(pd, arg) < 0) continue;
        text_add(text, "%s", separator);
        add_md(text, pd, mds, arg, c->name);
        separator = " ";
        if (kind == dnnl_matmul && arg == DNNL_ARG_BIAS) {
            const md_t *bias = pd_md(pd, arg);
            int mask = 0;
            for (int d = 0; d < bias->ndims; d++) mask |= (bias->dims[d] != 1) << d;
            text_add(text, "_mask%d", mask);
        }
    }
}

static void add_column(text_t *text, const pd_t *pd, int (*format)(const pd_t *, char *, size_t)) {
    char column[512] = "";
    if (format) format(pd, column, sizeof(column));
    text_add(text, ",%s", column);
}

/* The problem with the sizes that the memories really have. */
static void add_runtime_problem(text_t *text, const pd_t *pd, const md_t *const *mds) {
    pd_t *seen = dz_malloc(sizeof(*seen) + (size_t)pd->nargs * sizeof(*seen->args));
    if (!seen) {
        text_add(text, ",");
        return;
    }
    memcpy(seen, pd, sizeof(*seen));
    seen->args = (pd_arg_t *)(seen + 1);
    for (int i = 0; i < pd->nargs; i++) {
        seen->args[i] = pd->args[i];
        seen->args[i].md = *actual_md(pd, mds, i);
    }
    add_column(text, seen, pd->op ? pd->op->format_problem : NULL);
    dz_free(seen);
}

int pd_format(const pd_t *pd, const md_t *const *mds, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "%s,%s,%s,", enum_name(NAMES_PRIMITIVE_KIND, pd->params.kind), pd->impl_name,
            enum_name(NAMES_PROP_KIND, pd->params.prop_kind));
    add_mds(&text, pd, mds);
    char attrs[2048];
    attr_format(&pd->attr, attrs, sizeof(attrs));
    text_add(&text, ",%s", attrs);
    add_column(&text, pd, pd->op ? pd->op->format_aux : NULL);
    if (mds) add_runtime_problem(&text, pd, mds);
    else add_column(&text, pd, pd->op ? pd->op->format_problem : NULL);
    return text.len;
}

const char *pd_info(const pd_t *pd) {
    /* The string is no part of what is immutable: it is made when somebody looks. */
    pd_t *cache = (pd_t *)pd;
    char *info = atomic_load_explicit(&cache->info, memory_order_acquire);
    if (info) return info;
    char buf[4096];
    pd_format(pd, NULL, buf, sizeof(buf));
    char *made = dz_strdup(buf);
    if (!made) return pd->op ? pd->op->name : "";
    if (atomic_compare_exchange_strong(&cache->info, &info, made)) return made;
    dz_free(made);
    return info;
}
