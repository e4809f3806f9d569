/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of primitives whose problem is dims and little else; the table of all kinds. */
#include "problem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "core/direction.h"
#include "core/strings.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"

/* ---- for the kinds ---- */

const char *problem_attr(problem_t *p, int ndims, const dnnl_dim_t *dims) {
    const char *wrong = attr_make(&p->attr, &p->status, p->line, ndims, dims);
    if (p->attr) p->attr->hints = p->hints;
    return wrong;
}

const char *problem_md(
        const problem_t *p, const char *name, md_t *md, int ndims, const dnnl_dim_t *dims) {
    return md_make(md, line_md(p->line, name), ndims, dims);
}

void problem_add_actual(problem_t *p, int arg, const md_t *md) {
    p->actual[p->nactual].arg = arg;
    p->actual[p->nactual++].md = *md;
}

const char *problem_open_md(
        problem_t *p, const md_text_t *text, int arg, md_t *md, int ndims, const dnnl_dim_t *dims) {
    static const dnnl_dims_t numbers = {7, 11, 5, 6, 3, 2, 2, 2, 2, 2, 2, 2};
    md_text_t known = text ? *text : (md_text_t){.mask = -1};
    dnnl_dims_t closed;
    bool open = !strcmp(known.tag, "*");
    md_t actual;
    TRY_TEXT(md_make(md, text, ndims, dims));
    for (int d = 0; d < ndims; d++) {
        open = open || dims[d] == DNNL_RUNTIME_DIM_VAL;
        closed[d] = dims[d] == DNNL_RUNTIME_DIM_VAL ? numbers[d] : dims[d];
    }
    if (!open || md_is_zero(md)) return NULL;
    if (!strcmp(known.tag, "*")) known.tag[0] = 0;
    known.any = false; /* what the library chooses is row-major then */
    TRY_TEXT(md_make(&actual, &known, ndims, closed));
    problem_add_actual(p, arg, &actual);
    return NULL;
}

int problem_dims(const problem_t *p, dims_list_t *lists) {
    const char *s = p->line->problem;
    for (int n = 0; n < DIMS_LISTS;) {
        if (!(lists->ndims[n] = dims_parse(s, lists->dims[n], &s))) return 0;
        n++;
        if (!*s) return n;
        if (*s++ != ':') return 0;
    }
    return 0;
}

const char *problem_alg(problem_t *p) {
    int alg;
    if (!name_find(NAMES_ALG_KIND, line_aux(p->line, "alg", ""), &alg))
        return "the algorithm is not known";
    p->alg = (dnnl_alg_kind_t)alg;
    return NULL;
}

bool problem_is_backward(const problem_t *p) {
    return direction_of(p->prop) != DIRECTION_FORWARD;
}

dnnl_prop_kind_t problem_forward_prop(const problem_t *p) {
    return problem_is_backward(p) ? dnnl_forward_training : p->prop;
}

const_dnnl_primitive_attr_t problem_forward_attr(const problem_t *p) {
    return problem_is_backward(p) ? NULL : p->attr;
}

dnnl_primitive_desc_t problem_take_hint(problem_t *p) {
    const dnnl_primitive_desc_t hint = p->pd;
    p->pd = NULL;
    return hint;
}

const char *problem_diffs(const problem_t *p, const md_t *data, md_t *diff_src, md_t *diff_dst) {
    *diff_src = *data;
    if (line_md(p->line, "diff"))
        TRY_TEXT(problem_md(p, "diff", diff_src, data->ndims, data->dims));
    *diff_dst = *diff_src;
    return line_md(p->line, "diff_dst")
                   ? problem_md(p, "diff_dst", diff_dst, data->ndims, data->dims)
                   : NULL;
}

float problem_float(const problem_t *p, const char *key, float otherwise) {
    const char *text = line_aux(p->line, key, NULL);
    return text ? strtof(text, NULL) : otherwise;
}

int problem_int(const problem_t *p, const char *key, int otherwise) {
    const char *text = line_aux(p->line, key, NULL);
    if (!text) return otherwise;
    const long value = strtol(text, NULL, 10);
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* ---- kinds ---- */

static const char wrong_dims[] = "the problem is no list of dims as this kind has them";

/* The destination of a kind whose log line has one tensor: like it, unless a batch names the
 * other, too. */
static const char *own_dst(
        problem_t *p, const md_t *data, md_t *dst, int ndims, const dnnl_dim_t *dims) {
    *dst = *data;
    const md_text_t *text = line_md(p->line, "dst");
    return text ? problem_open_md(p, text, DNNL_ARG_DST, dst, ndims, dims) : NULL;
}

/* One tensor, and the destination unless dst is NULL. */
static const char *one_tensor(problem_t *p, const char *name, md_t *md, md_t *dst) {
    dims_list_t lists;
    if (problem_dims(p, &lists) != 1) return wrong_dims;
    TRY_TEXT(problem_open_md(
            p, line_md(p->line, name), DNNL_ARG_SRC, md, lists.ndims[0], lists.dims[0]));
    if (dst) TRY_TEXT(own_dst(p, md, dst, lists.ndims[0], lists.dims[0]));
    return problem_attr(p, lists.ndims[0], lists.dims[0]);
}

static const char *replay_eltwise(problem_t *p) {
    md_t md, dst;
    TRY_TEXT(problem_alg(p));
    TRY_TEXT(one_tensor(p, "data", &md, &dst));
    if (p->nactual == 1) problem_add_actual(p, DNNL_ARG_DST, &p->actual[0].md);
    const float alpha = problem_float(p, "alpha", 0), beta = problem_float(p, "beta", 0);
    if (p->status == dnnl_success)
        p->status = dnnl_eltwise_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), p->alg, &md, &dst, alpha, beta, problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    md_t diff_src, diff_dst;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const char *wrong = problem_diffs(p, &md, &diff_src, &diff_dst);
    if (!wrong)
        p->status = dnnl_eltwise_backward_primitive_desc_create(
                &p->pd, p->engine, p->alg, &diff_src, &diff_dst, &md, alpha, beta, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

/* Its one tensor in a line is the gradient. The hint has no blocks where that is `any`. */
static const char *shuffle_backward(problem_t *p, const md_t *data, int axis, int group) {
    md_t forward = *data, diff_dst = *data;
    if (line_md(p->line, "diff_dst"))
        TRY_TEXT(problem_md(p, "diff_dst", &diff_dst, data->ndims, data->dims));
    if (md_is_any(data) &&
            md_init_strides(&forward, data->ndims, diff_dst.dims, data->data_type, NULL))
        return "the data have no row-major layout";
    p->status = dnnl_shuffle_forward_primitive_desc_create(
            &p->pd, p->engine, dnnl_forward_training, &forward, &forward, axis, group, NULL);
    if (p->status != dnnl_success) return NULL;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    p->status = dnnl_shuffle_backward_primitive_desc_create(
            &p->pd, p->engine, data, &diff_dst, axis, group, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return NULL;
}

static const char *replay_shuffle(problem_t *p) {
    md_t md, dst;
    TRY_TEXT(one_tensor(p, "data", &md, &dst));
    if (p->status != dnnl_success) return NULL;
    const int axis = problem_int(p, "axis", 0), group = problem_int(p, "group", 0);
    if (problem_is_backward(p)) return shuffle_backward(p, &md, axis, group);
    p->status = dnnl_shuffle_forward_primitive_desc_create(
            &p->pd, p->engine, p->prop, &md, &dst, axis, group, p->attr);
    return NULL;
}

static const char *replay_softmax(problem_t *p) {
    md_t src, dst;
    dims_list_t lists;
    TRY_TEXT(problem_alg(p));
    if (problem_dims(p, &lists) != 1) return wrong_dims;
    TRY_TEXT(problem_open_md(
            p, line_md(p->line, "dst"), DNNL_ARG_DST, &dst, lists.ndims[0], lists.dims[0]));
    TRY_TEXT(one_tensor(p, "src", &src, NULL));
    p->low = -6;
    p->high = 6;
    const int axis = problem_int(p, "axis", 0);
    const bool backward = problem_is_backward(p); /* "src" is its gradient then */
    if (p->status == dnnl_success)
        p->status = dnnl_softmax_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), p->alg, backward ? &dst : &src, &dst, axis,
                problem_forward_attr(p));
    if (!backward || p->status != dnnl_success) return NULL;
    md_t diff_dst = dst;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const char *wrong = line_md(p->line, "diff_dst")
                                ? problem_md(p, "diff_dst", &diff_dst, dst.ndims, dst.dims)
                                : NULL;
    if (!wrong)
        p->status = dnnl_softmax_backward_primitive_desc_create(
                &p->pd, p->engine, p->alg, &src, &diff_dst, &dst, axis, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

static const char *replay_reduction(problem_t *p) {
    md_t src, dst;
    dims_list_t lists;
    TRY_TEXT(problem_alg(p));
    if (problem_dims(p, &lists) != 2) return wrong_dims;
    TRY_TEXT(problem_md(p, "src", &src, lists.ndims[0], lists.dims[0]));
    TRY_TEXT(problem_md(p, "dst", &dst, lists.ndims[1], lists.dims[1]));
    TRY_TEXT(problem_attr(p, lists.ndims[1], lists.dims[1]));
    if (p->alg == dnnl_reduction_mul) {
        p->low = -1.5;
        p->high = 1.5;
    }
    if (p->status == dnnl_success)
        p->status = dnnl_reduction_primitive_desc_create(&p->pd, p->engine, p->alg, &src, &dst,
                problem_float(p, "p", 0), problem_float(p, "eps", 0), p->attr);
    return NULL;
}

static const char *replay_prelu(problem_t *p) {
    md_t src, weights, dst;
    dims_list_t lists;
    if (problem_dims(p, &lists) != 2) return wrong_dims;
    TRY_TEXT(problem_md(p, "data", &src, lists.ndims[0], lists.dims[0]));
    TRY_TEXT(problem_md(p, "wei", &weights, lists.ndims[1], lists.dims[1]));
    TRY_TEXT(own_dst(p, &src, &dst, lists.ndims[0], lists.dims[0]));
    TRY_TEXT(problem_attr(p, lists.ndims[0], lists.dims[0]));
    if (p->status == dnnl_success)
        p->status = dnnl_prelu_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), &src, &weights, &dst, problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    md_t diff_src, diff_dst, diff_weights = weights;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const char *wrong = problem_diffs(p, &src, &diff_src, &diff_dst);
    if (!wrong && line_md(p->line, "diff_wei"))
        wrong = problem_md(p, "diff_wei", &diff_weights, lists.ndims[1], lists.dims[1]);
    if (!wrong)
        p->status = dnnl_prelu_backward_primitive_desc_create(&p->pd, p->engine, &src, &weights,
                &diff_src, &diff_weights, &diff_dst, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

/* The tensors "src", one after the other, and "dst". */
static const char *source_at(
        const problem_t *p, int i, md_t *md, int ndims, const dnnl_dim_t *dims) {
    return i < p->line->nmds ? md_make(md, &p->line->md[i], ndims, dims)
                             : "there are too few tensors";
}

static const char *replay_binary(problem_t *p) {
    md_t src[3], dst;
    dims_list_t lists;
    dnnl_dims_t dims;
    TRY_TEXT(problem_alg(p));
    const int n = problem_dims(p, &lists), wanted = p->alg == dnnl_binary_select ? 3 : 2;
    if (n != wanted || lists.ndims[0] != lists.ndims[1]) return wrong_dims;
    static const int args[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2};
    if (p->line->nmds <= n) return "there are too few tensors";
    for (int i = 0; i < n; i++)
        TRY_TEXT(problem_open_md(
                p, &p->line->md[i], args[i], &src[i], lists.ndims[i], lists.dims[i]));
    for (int d = 0; d < lists.ndims[0]; d++)
        dims[d] = lists.dims[0][d] == 1 ? lists.dims[1][d] : lists.dims[0][d];
    TRY_TEXT(problem_open_md(p, line_md(p->line, "dst"), DNNL_ARG_DST, &dst, lists.ndims[0], dims));
    TRY_TEXT(problem_attr(p, lists.ndims[0], dims));
    if (p->status == dnnl_success)
        p->status = dnnl_binary_primitive_desc_create_v2(&p->pd, p->engine, p->alg, &src[0],
                &src[1], n == 3 ? &src[2] : NULL, &dst, p->attr);
    return NULL;
}

static const char *replay_concat(problem_t *p) {
    dims_list_t lists;
    md_t src[DIMS_LISTS], dst;
    const_dnnl_memory_desc_t list[DIMS_LISTS];
    const int n = problem_dims(p, &lists), axis = problem_int(p, "axis", 0);
    if (n == 0 || axis < 0 || axis >= lists.ndims[0]) return wrong_dims;
    for (int i = 0; i < n; i++) {
        TRY_TEXT(source_at(p, i, &src[i], lists.ndims[i], lists.dims[i]));
        list[i] = &src[i];
        if (i) lists.dims[0][axis] += lists.dims[i][axis];
    }
    TRY_TEXT(problem_md(p, "dst", &dst, lists.ndims[0], lists.dims[0]));
    TRY_TEXT(problem_attr(p, lists.ndims[0], lists.dims[0]));
    if (p->status == dnnl_success)
        p->status = dnnl_concat_primitive_desc_create(
                &p->pd, p->engine, md_is_zero(&dst) ? NULL : &dst, n, axis, list, p->attr);
    return NULL;
}

/* "1:-0.5:2"; what is not there is like the last. */
static void sum_scales(const problem_t *p, int n, float *scales) {
    const char *text = line_aux(p->line, "scales", NULL);
    for (int i = 0; i < n; i++) {
        scales[i] = text ? strtof(text, NULL) : 1 + 0.25f * (float)i;
        const char *more = text ? strchr(text, ':') : NULL;
        if (more) text = more + 1;
    }
}

static const char *replay_sum(problem_t *p) {
    dims_list_t lists;
    md_t src[PROBLEM_TENSORS], dst;
    const_dnnl_memory_desc_t list[PROBLEM_TENSORS];
    float scales[PROBLEM_TENSORS];
    if (problem_dims(p, &lists) != 1) return wrong_dims;
    const int n = p->line->nmds - 1;
    for (int i = 0; i < n; i++) {
        TRY_TEXT(source_at(p, i, &src[i], lists.ndims[0], lists.dims[0]));
        list[i] = &src[i];
    }
    sum_scales(p, n, scales);
    TRY_TEXT(problem_md(p, "dst", &dst, lists.ndims[0], lists.dims[0]));
    TRY_TEXT(problem_attr(p, lists.ndims[0], lists.dims[0]));
    if (p->status == dnnl_success)
        p->status = dnnl_sum_primitive_desc_create(
                &p->pd, p->engine, md_is_zero(&dst) ? NULL : &dst, n, scales, list, p->attr);
    return NULL;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    const char *(*create)(problem_t *);
} kinds[] = {{"convolution", replay_convolution}, {"deconvolution", replay_deconvolution},
        {"inner_product", replay_inner_product}, {"pooling", replay_pooling},
        {"resampling", replay_resampling}, {"lrn", replay_lrn},
        {"batch_normalization", replay_batch_normalization},
        {"group_normalization", replay_group_normalization},
        {"layer_normalization", replay_layer_normalization}, {"matmul", replay_matmul},
        {"reorder", replay_reorder}, {"eltwise", replay_eltwise}, {"shuffle", replay_shuffle},
        {"softmax", replay_softmax}, {"reduction", replay_reduction}, {"prelu", replay_prelu},
        {"sdpa", replay_sdpa}, {"binary", replay_binary}, {"concat", replay_concat},
        {"sum", replay_sum}, {"rnn", replay_rnn}};

/* The kinds that take backward propagation in p->prop. */
static const char *const backward_kinds[] = {"eltwise", "prelu", "pooling", "shuffle",
        "inner_product", "convolution", "deconvolution", "resampling", "lrn", "softmax",
        "layer_normalization", "group_normalization", "batch_normalization", "rnn", "sdpa"};

static bool has_backward(const char *kind) {
    for (int i = 0; i < ARRAY_LEN(backward_kinds); i++)
        if (!strcmp(backward_kinds[i], kind)) return true;
    return false;
}

/* What only batches say: how to run it. */
static const char *read_settings(problem_t *p) {
    const char *range = line_aux(p->line, "range", NULL);
    if (range && sscanf(range, "%lf:%lf", &p->low, &p->high) != 2)
        return "the range is not two numbers";
    snprintf(p->group_sizes, sizeof(p->group_sizes), "%s", line_aux(p->line, "group_sizes", ""));
    for (int i = 0; i < p->line->nmds; i++)
        p->shuffled = p->shuffled || !strcmp(p->line->md[i].strides, "~");
    p->shift = (size_t)problem_int(p, "shift", 0);
    p->shifted = problem_int(p, "shifted", -1);
    if (problem_int(p, "in_place", 0))
        p->in_place = problem_is_backward(p) ? DNNL_ARG_DIFF_DST
                      : !strcmp(p->line->kind, "sum") || !strcmp(p->line->kind, "concat")
                              ? DNNL_ARG_MULTIPLE_SRC
                              : DNNL_ARG_SRC;
    return NULL;
}

static const char *create(problem_t *p) {
    int prop;
    const line_t *line = p->line;
    const char *splits = line_aux(line, "splits", NULL);
    if (splits) p->hints.forced_splits = atoi(splits);
    if (!name_find(NAMES_PROP_KIND, line->prop, &prop))
        return "the kind of propagation is not known";
    p->prop = (dnnl_prop_kind_t)prop;
    for (int i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].name, line->kind)) continue;
        if (problem_is_backward(p) && !has_backward(line->kind))
            return "backward propagation of this kind is not replayed";
        const char *wrong = kinds[i].create(p);
        if (!wrong) wrong = read_settings(p);
        dnnl_primitive_attr_destroy(p->attr);
        p->attr = NULL;
        return wrong;
    }
    return "this kind of primitive is not replayed";
}

const char *problem_create(problem_t *p, const line_t *line, dnnl_engine_t engine) {
    return problem_create_hinted(p, line, engine, &NO_PLAN_HINTS);
}

const char *problem_create_hinted(
        problem_t *p, const line_t *line, dnnl_engine_t engine, const plan_hints_t *hints) {
    *p = (problem_t){.line = line, .engine = engine, .low = -4, .high = 4, .hints = *hints};
    const locale_t before = text_locale_c();
    const char *wrong = create(p);
    text_locale_restore(before);
    return wrong;
}
