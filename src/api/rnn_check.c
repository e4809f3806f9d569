/* SPDX-License-Identifier: Apache-2.0 */
/* The dimensions of recurrent networks. The letters are those of the public documentation. */
#include "api/rnn_check.h"

/* How large a network is. The width of dst_layer (DLC) is 2 DIC where the results of two
 * directions are concatenated. */
typedef struct {
    dnnl_dim_t t, n, l, d, g, biases, slc, sic, dhc, dic, dlc;
} sizes_t;

static bool is_gru(int cell) {
    return cell == dnnl_vanilla_gru || cell == dnnl_lbr_gru || cell == dnnl_vanilla_augru ||
           cell == dnnl_lbr_augru;
}

static bool is_lbr(int cell) {
    return cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
}

static dnnl_dim_t gates_of(int cell) {
    return cell == dnnl_vanilla_rnn ? 1 : cell == dnnl_vanilla_lstm ? 4 : 3;
}

/* Where the sizes come from has the right number of dimensions. */
static void read_sizes(sizes_t *z, const op_params_t *params, const rnn_tensors_t *t) {
    const dnnl_dim_t *src = t->src_layer->dims, *wei = t->weights_layer->dims;
    z->t = src[0];
    z->n = src[1];
    z->slc = src[2];
    z->l = wei[0];
    z->d = params->direction >= dnnl_bidirectional_concat ? 2 : 1;
    z->g = gates_of(params->cell_kind);
    z->biases = z->g + is_lbr(params->cell_kind);
    z->dhc = wei[4];
    z->sic = t->weights_iter->dims[2];
    z->dic = md_is_zero(t->weights_projection) ? z->dhc : t->weights_projection->dims[3];
    /* The product of a damaged descriptor would overflow. */
    const bool concat = params->direction == dnnl_bidirectional_concat;
    z->dlc = concat && z->dic >= 0 && z->dic <= INT64_MAX / 2 ? 2 * z->dic : z->dic;
}

/* A tensor that is absent has any dimensions. */
static bool has_dims(const md_t *md, int ndims, const dnnl_dim_t *dims) {
    if (md_is_zero(md)) return true;
    return md->ndims == ndims && !memcmp(md->dims, dims, (size_t)ndims * sizeof(*dims));
}

#define HAS_DIMS(md, n, ...) has_dims(md, n, (const dnnl_dim_t[n]){__VA_ARGS__})

static void check_inputs(constructor_t *c, const rnn_tensors_t *t, const sizes_t *z) {
    if (!HAS_DIMS(t->weights_layer, 5, z->l, z->d, z->slc, z->g, z->dhc))
        constructor_complain(c, "the dimensions of weights_layer are not L, D, SLC, G, DHC");
    if (!HAS_DIMS(t->weights_iter, 5, z->l, z->d, z->sic, z->g, z->dhc))
        constructor_complain(c, "the dimensions of weights_iter are not L, D, SIC, G, DHC");
    if (!HAS_DIMS(t->src_iter, 4, z->l, z->d, z->n, z->sic))
        constructor_complain(c, "the dimensions of src_iter are not L, D, N, SIC");
    if (!HAS_DIMS(t->src_iter_c, 4, z->l, z->d, z->n, z->dhc))
        constructor_complain(c, "the dimensions of src_iter_c are not L, D, N, DHC");
    if (!HAS_DIMS(t->attention, 3, z->t, z->n, 1))
        constructor_complain(c, "the dimensions of attention are not T, N, 1");
    if (!HAS_DIMS(t->weights_peephole, 4, z->l, z->d, 3, z->dhc))
        constructor_complain(c, "the dimensions of weights_peephole are not L, D, 3, DHC");
    if (!HAS_DIMS(t->weights_projection, 4, z->l, z->d, z->dhc, z->dic))
        constructor_complain(c, "the dimensions of weights_projection are not L, D, DHC, DIC");
    if (!HAS_DIMS(t->bias, 4, z->l, z->d, z->biases, z->dhc))
        constructor_complain(
                c, "the dimensions of bias are not L, D, G (one more for LBR cells), DHC");
}

static void check_outputs(constructor_t *c, const rnn_tensors_t *t, const sizes_t *z) {
    if (md_is_zero(t->dst_layer)) constructor_complain(c, "dst_layer is the zero descriptor");
    if (!HAS_DIMS(t->dst_layer, 3, z->t, z->n, z->dlc))
        constructor_complain(
                c, "the dimensions of dst_layer are not T, N, DIC (2 DIC if it is concatenated)");
    if (!HAS_DIMS(t->dst_iter, 4, z->l, z->d, z->n, z->dic))
        constructor_complain(c, "the dimensions of dst_iter are not L, D, N, DIC");
    if (!HAS_DIMS(t->dst_iter_c, 4, z->l, z->d, z->n, z->dhc))
        constructor_complain(c, "the dimensions of dst_iter_c are not L, D, N, DHC");
}

/* What a layer hands to the next one and a step of time to the next one fits there. */
static void check_sizes(constructor_t *c, const sizes_t *z) {
    if (!z->l || !z->slc || !z->sic || !z->dhc || !z->dic)
        constructor_complain(c, "the weights have a dimension of 0");
    if (z->l > 1 && z->slc != z->dic)
        constructor_complain(c, "a network of several layers needs SLC equal to DIC");
    if (z->t > 1 && z->sic != z->dic)
        constructor_complain(c, "a network of several time steps needs SIC equal to DIC");
    if (is_gru(c->params.cell_kind) && z->sic != z->dhc)
        constructor_complain(c, "a GRU cell needs SIC equal to DHC");
}

static void check_cell(constructor_t *c, const rnn_tensors_t *t, const sizes_t *z) {
    const int cell = c->params.cell_kind, act = c->params.activation_kind;
    if (cell == dnnl_vanilla_rnn && act != dnnl_eltwise_relu && act != dnnl_eltwise_tanh &&
            act != dnnl_eltwise_logistic)
        constructor_complain(c, "the activation is not relu, tanh or logistic");
    if (cell == dnnl_vanilla_lstm && md_is_zero(t->src_iter) != md_is_zero(t->src_iter_c))
        constructor_complain(c, "an LSTM has either both src_iter and src_iter_c or none of them");
    if (cell == dnnl_vanilla_lstm && md_is_zero(t->dst_iter) != md_is_zero(t->dst_iter_c))
        constructor_complain(c, "an LSTM has either both dst_iter and dst_iter_c or none of them");
    if (cell != dnnl_vanilla_augru && cell != dnnl_lbr_augru) return;
    if (md_is_zero(t->attention)) constructor_complain(c, "attention is the zero descriptor");
    if (z->l != 1) constructor_complain(c, "an AUGRU cell supports one layer only");
    if (c->params.direction != dnnl_unidirectional_left2right)
        constructor_complain(c, "an AUGRU cell supports the direction left2right only");
}

static bool has_runtime_dims(const constructor_t *c) {
    for (int i = 0; i < c->ntensors; i++)
        if (md_has_runtime_dims(c->tensor[i].md)) return true;
    return false;
}

void rnn_check(constructor_t *c, const rnn_tensors_t *t) {
    sizes_t z;
    if (c->complaint) return;
    if (t->src_layer->ndims != 3 || t->weights_layer->ndims != 5 || t->weights_iter->ndims != 5 ||
            (!md_is_zero(t->weights_projection) && t->weights_projection->ndims != 4)) {
        constructor_complain(c,
                "src_layer has 3 dimensions, weights_layer and weights_iter have 5 and "
                "weights_projection has 4; one of them has another number");
        return;
    }
    read_sizes(&z, &c->params, t);
    check_cell(c, t, &z);
    /* The implementation refuses dimensions that are given at run time. */
    if (has_runtime_dims(c)) return;
    if (t->weights_layer->dims[1] != z.d)
        constructor_complain(c, "D is not the number of directions");
    check_inputs(c, t, &z);
    check_outputs(c, t, &z);
    check_sizes(c, &z);
}

static void check_gradient(constructor_t *c, const md_t *md, const md_t *diff) {
    if (md_is_zero(md) != md_is_zero(diff))
        constructor_complain(c, "a tensor has no gradient, or a gradient has no tensor");
    else if (!md_is_zero(md) && !md_same_dims(md, diff))
        constructor_complain(c, "a gradient has other dimensions than its tensor");
}

void rnn_check_gradients(constructor_t *c, const rnn_tensors_t *t, const rnn_tensors_t *diff) {
    if (c->complaint) return;
    const struct {
        const md_t *md, *diff;
    } pairs[] = {{t->src_layer, diff->src_layer}, {t->src_iter, diff->src_iter},
            {t->src_iter_c, diff->src_iter_c}, {t->attention, diff->attention},
            {t->weights_layer, diff->weights_layer}, {t->weights_iter, diff->weights_iter},
            {t->weights_peephole, diff->weights_peephole},
            {t->weights_projection, diff->weights_projection}, {t->bias, diff->bias},
            {t->dst_layer, diff->dst_layer}, {t->dst_iter, diff->dst_iter},
            {t->dst_iter_c, diff->dst_iter_c}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        check_gradient(c, pairs[i].md, pairs[i].diff);
    if (!c->hint_fwd) return;
    const op_params_t *hint = &c->hint_fwd->pd->params;
    if (hint->cell_kind != c->params.cell_kind ||
            hint->activation_kind != c->params.activation_kind ||
            hint->direction != c->params.direction)
        constructor_complain(c, "hint_fwd_pd is of another cell, activation or direction");
}
