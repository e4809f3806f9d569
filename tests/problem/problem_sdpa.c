/* SPDX-License-Identifier: Apache-2.0 */
/* Attention. */
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "core/strings_enum.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "problem.h"

typedef struct {
    md_t query, key, value, dst, mask, scale, cap, fill, weight_scale, weight_zero;
    dnnl_data_type_t weights;
    dnnl_ze_attn_mask_t mask_kind;
} attention_t;

static bool read_mask_kind(const problem_t *p, attention_t *a) {
    static const char *const names[] = {
            "none", "buffer", "top_left", "bottom_right", "select", "select_inverted"};
    const char *text = line_aux(p->line, "mask", "none");
    for (int i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(text, names[i])) return a->mask_kind = (dnnl_ze_attn_mask_t)i, true;
    return false;
}

static bool read_weights(const problem_t *p, attention_t *a) {
    const char *text = line_aux(p->line, "weights", NULL);
    int value = 0;
    if (text && !name_find(NAMES_DATA_TYPE, text, &value)) return false;
    a->weights = (dnnl_data_type_t)value;
    return true;
}

/* The line says where a mask is broadcast; a batch that says nothing means a whole mask. */
static const char *make_mask(const problem_t *p, attention_t *a, const dims_list_t *lists) {
    const int nd = lists->ndims[0];
    dnnl_dims_t dims;
    const bool selects = a->mask_kind >= dnnl_ze_attn_mask_select;
    if (a->mask_kind != dnnl_ze_attn_mask_buffer && !selects) return NULL;
    const char *text = line_aux(p->line, "mask_dims", NULL);
    memcpy(dims, lists->dims[0], sizeof(dims));
    dims[nd - 1] = lists->dims[1][nd - 1];
    if (text && dims_parse(text, dims, NULL) != nd) return "the dims of the mask are not known";
    if (line_md(p->line, "msk")) return problem_md(p, "msk", &a->mask, nd, dims);
    const dnnl_data_type_t dt = selects ? dnnl_u8 : a->query.data_type;
    return md_init_strides(&a->mask, nd, dims, dt, NULL) == dnnl_success ? NULL
                                                                         : "the mask is too large";
}

/* The scale, the cap or the fill value: in memory as f32 if a batch does not say how. */
static const char *make_factor(const problem_t *p, const char *name, md_t *md) {
    static const dnnl_dim_t one = 1;
    const md_text_t f32 = {.kind = dnnl_blocked, .dt = dnnl_f32, .mask = -1};
    const md_text_t *text = line_md(p->line, name);
    if (!strcmp(line_aux(p->line, name, "none"), "none")) return NULL;
    return md_make(md, text ? text : &f32, 1, &one);
}

static const char *make_tensors(const problem_t *p, attention_t *a, dims_list_t *lists) {
    const int nd = lists->ndims[0];
    TRY_TEXT(problem_md(p, "query", &a->query, nd, lists->dims[0]));
    TRY_TEXT(problem_md(p, "key", &a->key, nd, lists->dims[1]));
    TRY_TEXT(problem_md(p, "val", &a->value, nd, lists->dims[2]));
    TRY_TEXT(make_mask(p, a, lists));
    TRY_TEXT(make_factor(p, "scale", &a->scale));
    TRY_TEXT(make_factor(p, "cap", &a->cap));
    TRY_TEXT(make_factor(p, "fill", &a->fill));
    TRY_TEXT(make_factor(p, "weight_scale", &a->weight_scale));
    TRY_TEXT(make_factor(p, "weight_zero", &a->weight_zero));
    lists->dims[0][nd - 1] = lists->dims[2][nd - 1];
    return problem_md(p, "dst", &a->dst, nd, lists->dims[0]);
}

/* A gradient is like its tensor, unless the line names it. */
static const char *make_gradient(
        const problem_t *p, const char *name, const md_t *like, md_t *diff) {
    *diff = *like;
    if (!line_md(p->line, name)) return NULL;
    return problem_md(p, name, diff, like->ndims, like->dims);
}

static const char *make_backward(problem_t *p, const attention_t *a, int invert, dnnl_dim_t heads,
        const dnnl_dim_t *scores) {
    md_t query, key, value, dst, score = {0};
    TRY_TEXT(make_gradient(p, "diff_query", &a->query, &query));
    TRY_TEXT(make_gradient(p, "diff_key", &a->key, &key));
    TRY_TEXT(make_gradient(p, "diff_val", &a->value, &value));
    TRY_TEXT(make_gradient(p, "diff_dst", &a->dst, &dst));
    if (line_md(p->line, "diff_scores"))
        TRY_TEXT(problem_md(p, "diff_scores", &score, a->query.ndims, scores));
    else if (strcmp(line_aux(p->line, "diff_scores", "none"), "none") &&
             md_init_strides(&score, a->query.ndims, scores, dnnl_f32, NULL) != dnnl_success)
        return "the scores are too large";
    p->status = dnnl_ze_sdpa_backward_primitive_desc_create(&p->pd, p->engine, &query, &key, &value,
            &dst, &score, &a->query, &a->key, &a->value, &a->dst, &a->mask, &a->scale, invert,
            &a->cap, &a->fill, heads, a->mask_kind, NULL, p->attr);
    return NULL;
}

static const char *make_primitive(problem_t *p, const attention_t *a, int invert, dnnl_dim_t heads,
        dnnl_primitive_attr_t *key, dnnl_primitive_attr_t *value) {
    dnnl_dims_t scores; /* a mask of dropout has their dims */
    const int nd = a->query.ndims;
    memcpy(scores, a->query.dims, sizeof(scores));
    scores[nd - 1] = a->key.dims[nd - 1];
    TRY_TEXT(problem_attr(p, nd, scores));
    if (p->status == dnnl_success && problem_is_backward(p))
        return make_backward(p, a, invert, heads, scores);
    if (p->status == dnnl_success)
        TRY_TEXT(attr_make_weights(key, &p->status, p->line, DNNL_ARG_KEYS));
    if (p->status == dnnl_success)
        TRY_TEXT(attr_make_weights(value, &p->status, p->line, DNNL_ARG_VALUES));
    const dnnl_ze_attn_weights_t weights = {a->weights, &a->weight_scale, &a->weight_zero};
    if (p->status == dnnl_success)
        p->status = dnnl_ze_sdpa_forward_primitive_desc_create_v4(&p->pd, p->engine, p->prop,
                &a->query, &a->key, &a->value, &a->dst, &a->mask, &a->scale, invert, &a->cap,
                &a->fill, &weights, heads, a->mask_kind, p->attr, *key, *value);
    return NULL;
}

const char *replay_sdpa(problem_t *p) {
    attention_t a;
    dims_list_t lists;
    dnnl_primitive_attr_t key = NULL, value = NULL;
    memset(&a, 0, sizeof(a));
    if (problem_dims(p, &lists) != 3 || lists.ndims[0] < 2 || lists.ndims[1] != lists.ndims[0] ||
            lists.ndims[2] != lists.ndims[0])
        return "the problem is no list of the dims of queries, keys and values";
    if (!read_mask_kind(p, &a)) return "the kind of mask is not known";
    if (!read_weights(p, &a)) return "the type of weights is not known";
    TRY_TEXT(make_tensors(p, &a, &lists));
    const int nd = a.key.ndims;
    const dnnl_dim_t of_key = nd > 2 ? a.key.dims[nd - 3] : 1;
    p->low = -1.5;
    p->high = 1.5;
    const char *wrong = make_primitive(p, &a, !strcmp(line_aux(p->line, "scale", "none"), "div"),
            (dnnl_dim_t)problem_float(p, "kv_heads", (float)of_key), &key, &value);
    dnnl_primitive_attr_destroy(key);
    dnnl_primitive_attr_destroy(value);
    return wrong;
}
