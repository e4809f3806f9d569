/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks. The log does not print all tensors: cell states are there where states are,
 * attention is there where the cell pays it, and every tensor of a network has a gradient. */
#include "problem_rnn.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "problem.h"

typedef struct {
    int64_t l, t, mb, sic, slc, dhc, dic;
} sizes_t;

/* The size behind a name, "mb" in "l1t3mb2slc16". */
static int64_t size_of(const char *text, const char *name, int64_t otherwise) {
    const size_t len = strlen(name);
    while (*text) {
        const char *word = text;
        char *end;
        while (isalpha((unsigned char)*text)) text++;
        if (text == word) return otherwise;
        const int64_t value = size_parse(text, &end);
        if ((size_t)(text - word) == len && !strncmp(word, name, len)) return value;
        if (end == text) return otherwise;
        text = end;
    }
    return otherwise;
}

static const char *read_sizes(const problem_t *p, sizes_t *z) {
    const char *text = p->line->problem;
    z->slc = size_of(text, "slc", -1);
    if (z->slc < 0) return "the problem is not the sizes of a recurrent network";
    z->l = size_of(text, "l", 1);
    z->t = size_of(text, "t", 1);
    z->mb = size_of(text, "mb", 1);
    z->dhc = size_of(text, "dhc", z->slc);
    z->dic = size_of(text, "dic", z->dhc);
    z->sic = size_of(text, "sic", z->dic);
    return z->dic > INT64_MAX / 2 ? "dic is too large" : NULL;
}

static const char *read_cell(problem_t *p, rnn_net_t *net) {
    int direction, activation = 0;
    TRY_TEXT(problem_alg(p));
    net->cell = p->alg;
    const char *text = line_aux(p->line, "activation", "undef");
    if (strcmp(text, "undef") != 0 && !name_find(NAMES_ALG_KIND, text, &activation))
        return "the activation is not known";
    net->activation = (dnnl_alg_kind_t)activation;
    text = line_aux(p->line, "direction", "unidirectional_left2right");
    if (!name_find(NAMES_RNN_DIRECTION, text, &direction)) return "the direction is not known";
    net->direction = (dnnl_rnn_direction_t)direction;
    net->alpha = problem_float(p, "alpha", 0);
    if (!strcmp(line_aux(p->line, "flags", ""), "O"))
        net->flags = dnnl_rnn_flags_diff_weights_overwrite;
    return NULL;
}

/* ---- tensors ---- */

static const char *const names[RNN_TENSORS] = {"src_layer", "src_iter", "src_iter_c",
        "augru_attention", "wei_layer", "wei_iter", "wei_peephole", "wei_proj", "bias", "dst_layer",
        "dst_iter", "dst_iter_c"};

typedef struct {
    int ndims;
    dnnl_dims_t dims;
} shape_t;

static void set_shapes(const rnn_net_t *net, const sizes_t *z, shape_t *shape) {
    const bool both = net->direction == dnnl_bidirectional_concat;
    const bool lbr = net->cell == dnnl_lbr_gru || net->cell == dnnl_lbr_augru;
    const int64_t d = both || net->direction == dnnl_bidirectional_sum ? 2 : 1, l = z->l,
                  g = net->cell == dnnl_vanilla_rnn    ? 1
                      : net->cell == dnnl_vanilla_lstm ? 4
                                                       : 3;
    const shape_t shapes[RNN_TENSORS] = {{3, {z->t, z->mb, z->slc}}, {4, {l, d, z->mb, z->sic}},
            {4, {l, d, z->mb, z->dhc}}, {3, {z->t, z->mb, 1}}, {5, {l, d, z->slc, g, z->dhc}},
            {5, {l, d, z->sic, g, z->dhc}}, {4, {l, d, 3, z->dhc}}, {4, {l, d, z->dhc, z->dic}},
            {4, {l, d, g + lbr, z->dhc}}, {3, {z->t, z->mb, (both + 1) * z->dic}},
            {4, {l, d, z->mb, z->dic}}, {4, {l, d, z->mb, z->dhc}}};
    memcpy(shape, shapes, sizeof(shapes));
}

static bool is_there(const problem_t *p, const rnn_net_t *net, int i) {
    const bool lstm = net->cell == dnnl_vanilla_lstm;
    switch (i) {
    case RNN_SRC_ITER_C: return lstm && line_md(p->line, "src_iter");
    case RNN_DST_ITER_C: return lstm && line_md(p->line, "dst_iter");
    case RNN_ATTENTION: return net->cell == dnnl_vanilla_augru || net->cell == dnnl_lbr_augru;
    default: return line_md(p->line, names[i]) != NULL;
    }
}

static const char *make_tensors(const problem_t *p, rnn_net_t *net, const sizes_t *z) {
    shape_t shape[RNN_TENSORS];
    const md_text_t f32 = {.kind = dnnl_blocked, .dt = dnnl_f32, .mask = -1};
    set_shapes(net, z, shape);
    for (int i = 0; i < RNN_TENSORS; i++) {
        char name[32];
        md_text_t otherwise = f32, gradient = f32;
        if (!is_there(p, net, i)) continue;
        if (i == RNN_ATTENTION) otherwise.dt = net->md[RNN_SRC_LAYER].data_type;
        const md_text_t *text = line_md(p->line, names[i]);
        TRY_TEXT(md_make(&net->md[i], text ? text : &otherwise, shape[i].ndims, shape[i].dims));
        gradient.any = md_is_any(&net->md[i]);
        snprintf(name, sizeof(name), "diff_%s", names[i]);
        text = line_md(p->line, name);
        TRY_TEXT(md_make(&net->diff[i], text ? text : &gradient, shape[i].ndims, shape[i].dims));
    }
    return NULL;
}

/* ---- the problem ---- */

/* The log prints no scales of weights. */
static const float weights_scale = 256;

static void set_weights_scale(problem_t *p, const rnn_net_t *net) {
    if (p->status == dnnl_success && net->md[RNN_WEIGHTS_LAYER].data_type == dnnl_s8)
        p->status = dnnl_primitive_attr_set_rnn_weights_qparams(p->attr, 1, 0, &weights_scale);
    if (p->status == dnnl_success && net->md[RNN_PROJECTION].data_type == dnnl_s8)
        p->status = dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                p->attr, 1, 0, &weights_scale);
}

const char *replay_rnn(problem_t *p) {
    sizes_t z;
    rnn_net_t net;
    memset(&net, 0, sizeof(net));
    TRY_TEXT(read_sizes(p, &z));
    TRY_TEXT(read_cell(p, &net));
    TRY_TEXT(make_tensors(p, &net, &z));
    TRY_TEXT(problem_attr(p, net.md[RNN_DST_LAYER].ndims, net.md[RNN_DST_LAYER].dims));
    p->low = -0.75;
    p->high = 0.75;
    set_weights_scale(p, &net);
    if (p->status == dnnl_success)
        p->status = rnn_create_forward(
                &p->pd, p->engine, problem_forward_prop(p), &net, problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    p->status = rnn_create_backward(&p->pd, p->engine, &net, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return NULL;
}
