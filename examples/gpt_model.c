/* SPDX-License-Identifier: Apache-2.0 */
/* The model of gpt_train on the device: every step is a primitive on the stream of the program's
 * command list. A matrix is a part of the array with all weights, or with all gradients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpt.h"

/* ---- parameters ---- */

enum { ALIGN = 16 }; /* elements: 64 bytes, what the library asks of nobody, but likes */

static void set_parameter(
        parameter_t *p, dnnl_dim_t layer, const char *name, dnnl_dim_t rows, dnnl_dim_t columns) {
    *p = (parameter_t){.rows = rows, .columns = columns, .count = (size_t)(rows * columns)};
    if (layer < 0) snprintf(p->name, sizeof p->name, "%s", name);
    else snprintf(p->name, sizeof p->name, "%s %d", name, (int)layer);
}

static int decays(const gpt_t *g, int i) {
    if (i >= g->layers * PER_LAYER) return i == g->layers * PER_LAYER + OUTPUT;
    return i % PER_LAYER < NORM_1;
}

static void place(gpt_t *g, int decayed) {
    for (int i = 0; i < g->count; i++) {
        if (decays(g, i) != decayed) continue;
        g->parameter[i].offset = g->elements;
        g->elements += (g->parameter[i].count + ALIGN - 1) / ALIGN * ALIGN;
    }
}

void gpt_lay_out(gpt_t *g) {
    const dnnl_dim_t width = g->s.width, hidden = g->s.hidden;
    parameter_t *p = g->parameter;
    for (dnnl_dim_t l = 0; l < g->layers; l++, p += PER_LAYER) {
        set_parameter(p + QKV, l, "q, k, v", width, 3 * width);
        set_parameter(p + PROJECTION, l, "projection", width, width);
        set_parameter(p + GATE, l, "gate", width, hidden);
        set_parameter(p + UP, l, "up", width, hidden);
        set_parameter(p + DOWN, l, "down", hidden, width);
        set_parameter(p + NORM_1, l, "norm 1", 1, width);
        set_parameter(p + NORM_2, l, "norm 2", 1, width);
    }
    set_parameter(p + OUTPUT, -1, "output", width, g->vocabulary);
    set_parameter(p + EMBEDDING, -1, "embedding", g->vocabulary + g->s.tokens, width);
    set_parameter(p + LAST_NORM, -1, "last norm", 1, width);
    g->count = (int)g->layers * PER_LAYER + SINGLE;
    g->elements = 0;
    place(g, 1);
    g->decayed = g->elements;
    place(g, 0);
}

const parameter_t *layer_parameter(const gpt_t *g, dnnl_dim_t layer, layer_parameter_t which) {
    return &g->parameter[layer * PER_LAYER + (dnnl_dim_t)which];
}

const parameter_t *single_parameter(const gpt_t *g, single_parameter_t which) {
    return &g->parameter[g->layers * PER_LAYER + (dnnl_dim_t)which];
}

/* Half the range of the values of a matrix. A product keeps the variance of its input; the
 * 2 * layers products that are added to x add up to it. */
static float spread(const gpt_t *g, int i) {
    const int single = i - (int)g->layers * PER_LAYER;
    if (single == EMBEDDING) return 0.5f;
    const float keeps = sqrtf(3 / (float)g->parameter[i].rows);
    const int added = single < 0 && (i % PER_LAYER == PROJECTION || i % PER_LAYER == DOWN);
    return added ? keeps / sqrtf(2 * (float)g->layers) : keeps;
}

/* Each parameter has a seed of its own: 1000 is more than there are parameters. */
float *gpt_random(const gpt_t *g, uint64_t seed, float norm_spread) {
    float *values = check_alloc(calloc(g->elements, sizeof *values));
    for (int i = 0; i < g->count; i++) {
        const parameter_t *p = &g->parameter[i];
        const int norm = p->rows == 1;
        const float around = norm ? 1.f : 0.f, by = norm ? norm_spread : spread(g, i);
        random_fill(
                values + p->offset, p->count, seed * 1000 + (uint64_t)i, around - by, around + by);
    }
    return values;
}

/* ---- a pass ---- */

/* What a layer's backward needs of its forward. */
typedef struct {
    dnnl_memory_t x, variance1, normal1, qkv, shares, heads; /* attention */
    dnnl_memory_t x1, variance2, normal2, gate_in, gate, up, gated;
} layer_t;

struct pass {
    model_t *m;
    net_t *net;
    block_sizes_t s;
    layer_t layer[MAX_LAYERS];
    dnnl_memory_t one_hot; /* rows of the embedding: ones at the character and at the position */
    dnnl_memory_t target;  /* rows x vocabulary: -1 / rows at the character */
    float *inputs, *targets, *log_shares, *loss; /* the host's side of them and of the results */
    dnnl_memory_t last, last_variance, last_normal, log_share, mask;
    step_t *step;
    int capacity, count, forward_count;
};

static step_t *add_step(pass_t *p, const char *name, dnnl_primitive_desc_t pd) {
    if (p->count == p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        p->step = check_alloc(realloc(p->step, (size_t)p->capacity * sizeof *p->step));
    }
    p->step[p->count] = (step_t){.name = name, .primitive = net_primitive(p->net, pd)};
    return &p->step[p->count++];
}

static dnnl_memory_t matrix(pass_t *p, dnnl_dim_t rows, dnnl_dim_t columns) {
    return net_device_memory(p->net, NET_DESC(p->net, dnnl_f32, dnnl_ab, rows, columns));
}

static dnnl_memory_t head_matrices(pass_t *p) {
    return net_device_memory(p->net, NET_DESC(p->net, dnnl_f32, dnnl_abcd, p->s.batch, p->s.heads,
                                             p->s.tokens, p->s.tokens));
}

/* A matrix, or the vector of a norm, in the array of weights or of gradients. */
static dnnl_memory_t part(pass_t *p, dnnl_memory_t array, const parameter_t *parameter) {
    net_t *net = p->net;
    dnnl_memory_desc_t desc =
            parameter->rows == 1
                    ? NET_DESC(net, dnnl_f32, dnnl_a, parameter->columns)
                    : NET_DESC(net, dnnl_f32, dnnl_ab, parameter->rows, parameter->columns);
    return net_view_at(net, array, parameter->offset * sizeof(float), desc);
}

static dnnl_memory_t weight(pass_t *p, const parameter_t *parameter) {
    return part(p, p->m->adam.weights, parameter);
}

static dnnl_memory_t gradient(pass_t *p, const parameter_t *parameter) {
    return part(p, p->m->adam.gradients, parameter);
}

/* The last two dimensions exchanged, in place. */
static dnnl_memory_t transposed(pass_t *p, dnnl_memory_t memory) {
    const int matrices[] = {1, 0}, batches[] = {0, 1, 3, 2};
    dnnl_memory_desc_t desc;
    CHECK_DNNL(dnnl_memory_desc_permute_axes(
            &desc, memory_desc(memory), desc_ndims(memory_desc(memory)) == 2 ? matrices : batches));
    return net_view(p->net, memory, net_keep_desc(p->net, desc));
}

/* What happens to a product before it is stored: nothing; x is added; it is added to what is
 * there; it is divided by the root of the size of a head. */
typedef enum { STORE, ADD_X, ACCUMULATE, SCALE } then_t;

static step_t *add_product(pass_t *p, const char *name, dnnl_memory_t a, dnnl_memory_t b,
        dnnl_memory_t dst, then_t then, dnnl_memory_t x) {
    dnnl_post_ops_t post_ops = net_post_ops(p->net);
    dnnl_primitive_desc_t pd;
    if (then == ADD_X)
        CHECK_DNNL(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, memory_desc(x)));
    if (then == ACCUMULATE)
        CHECK_DNNL(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef));
    if (then == SCALE)
        CHECK_DNNL(dnnl_post_ops_append_eltwise(
                post_ops, dnnl_eltwise_linear, 1 / sqrtf((float)p->s.head), 0));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, p->net->engine, memory_desc(a),
            memory_desc(b), NULL, memory_desc(dst), net_attr(p->net, post_ops)));
    step_t *step = add_step(p, name, pd);
    add_arg(step, DNNL_ARG_SRC, a);
    add_arg(step, DNNL_ARG_WEIGHTS, b);
    add_arg(step, DNNL_ARG_DST, dst);
    if (then == ADD_X) add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, x);
    return step;
}

static void add_binary(pass_t *p, const char *name, dnnl_alg_kind_t alg, dnnl_memory_t a,
        dnnl_memory_t b, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_binary_primitive_desc_create(
            &pd, p->net->engine, alg, memory_desc(a), memory_desc(b), memory_desc(dst), NULL));
    step_t *step = add_step(p, name, pd);
    add_arg(step, DNNL_ARG_SRC_0, a);
    add_arg(step, DNNL_ARG_SRC_1, b);
    add_arg(step, DNNL_ARG_DST, dst);
}

static void add_sum(pass_t *p, const char *name, dnnl_memory_t src, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reduction_primitive_desc_create(&pd, p->net->engine, dnnl_reduction_sum,
            memory_desc(src), memory_desc(dst), 0, 0, NULL));
    step_t *step = add_step(p, name, pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DST, dst);
}

/* ---- forward ---- */

static dnnl_primitive_desc_t norm_desc(pass_t *p, dnnl_memory_t x, dnnl_memory_t variance) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_layer_normalization_forward_primitive_desc_create_v2(&pd, p->net->engine,
            dnnl_forward_training, memory_desc(x), memory_desc(x), memory_desc(variance), dnnl_f32,
            (float)norm_epsilon, dnnl_rms_norm | dnnl_use_scale, NULL));
    return pd;
}

/* The statistic of RMS norm, the mean of the squares of a row, is called variance. */
static dnnl_memory_t add_norm(
        pass_t *p, dnnl_memory_t x, const parameter_t *scale, dnnl_memory_t *variance) {
    dnnl_memory_t normal = matrix(p, p->s.rows, p->s.width);
    *variance = net_device_memory(p->net, NET_DESC(p->net, dnnl_f32, dnnl_a, p->s.rows));
    step_t *step = add_step(p, "norm", norm_desc(p, x, *variance));
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_SCALE, weight(p, scale));
    add_arg(step, DNNL_ARG_VARIANCE, *variance);
    add_arg(step, DNNL_ARG_DST, normal);
    return normal;
}

static void add_softmax(
        pass_t *p, dnnl_alg_kind_t alg, dnnl_memory_t src, dnnl_memory_t dst, int axis) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(&pd, p->net->engine,
            dnnl_forward_training, alg, memory_desc(src), memory_desc(dst), axis, NULL));
    step_t *step = add_step(p, "softmax", pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DST, dst);
}

static void add_attention(pass_t *p, layer_t *l, dnnl_memory_t scores) {
    net_t *net = p->net;
    const block_sizes_t *s = &p->s;
    dnnl_memory_t q = head_view(net, s, l->qkv, 0, TOKENS_BY_ELEMENTS),
                  k_t = head_view(net, s, l->qkv, 1, ELEMENTS_BY_TOKENS),
                  v = head_view(net, s, l->qkv, 2, TOKENS_BY_ELEMENTS);
    dnnl_primitive_desc_t pd;
    dnnl_post_ops_t post_ops = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(
            post_ops, dnnl_eltwise_linear, 1 / sqrtf((float)s->head), 0));
    CHECK_DNNL(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, memory_desc(p->mask)));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, net->engine, memory_desc(q), memory_desc(k_t),
            NULL, memory_desc(scores), net_attr(net, post_ops)));
    step_t *step = add_step(p, "scores", pd);
    add_arg(step, DNNL_ARG_SRC, q);
    add_arg(step, DNNL_ARG_WEIGHTS, k_t);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, p->mask);
    add_arg(step, DNNL_ARG_DST, scores);

    l->shares = head_matrices(p);
    l->heads = matrix(p, s->rows, s->width);
    add_softmax(p, dnnl_softmax_accurate, scores, l->shares, 3);
    add_product(p, "attention", l->shares, v, side_by_side(net, s, l->heads), STORE, NULL);
}

static void add_swish(pass_t *p, dnnl_memory_t src, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(
            dnnl_eltwise_forward_primitive_desc_create(&pd, p->net->engine, dnnl_forward_training,
                    dnnl_eltwise_swish, memory_desc(src), memory_desc(dst), 1, 0, NULL));
    step_t *step = add_step(p, "swish", pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DST, dst);
}

static dnnl_memory_t add_layer(pass_t *p, dnnl_dim_t i, dnnl_memory_t x, dnnl_memory_t scores) {
    const gpt_t *g = &p->m->gpt;
    const block_sizes_t *s = &p->s;
    layer_t *l = &p->layer[i];
    dnnl_memory_t y = matrix(p, s->rows, s->width);
    l->x = x;
    l->normal1 = add_norm(p, x, layer_parameter(g, i, NORM_1), &l->variance1);
    l->qkv = matrix(p, s->rows, 3 * s->width);
    add_product(
            p, "q, k, v", l->normal1, weight(p, layer_parameter(g, i, QKV)), l->qkv, STORE, NULL);
    add_attention(p, l, scores);
    l->x1 = matrix(p, s->rows, s->width);
    add_product(p, "projection + x", l->heads, weight(p, layer_parameter(g, i, PROJECTION)), l->x1,
            ADD_X, x);

    l->normal2 = add_norm(p, l->x1, layer_parameter(g, i, NORM_2), &l->variance2);
    dnnl_memory_t *const hidden[] = {&l->gate_in, &l->gate, &l->up, &l->gated};
    for (int h = 0; h < 4; h++) *hidden[h] = matrix(p, s->rows, s->hidden);
    add_product(
            p, "gate", l->normal2, weight(p, layer_parameter(g, i, GATE)), l->gate_in, STORE, NULL);
    add_swish(p, l->gate_in, l->gate);
    add_product(p, "up", l->normal2, weight(p, layer_parameter(g, i, UP)), l->up, STORE, NULL);
    add_binary(p, "up * gate", dnnl_binary_mul, l->up, l->gate, l->gated);
    add_product(p, "down + x", l->gated, weight(p, layer_parameter(g, i, DOWN)), y, ADD_X, l->x1);
    return y;
}

/* The targets have the factor -1 / rows, so that a product and a sum give the loss, and the
 * targets themselves are the gradient of the logarithms. */
static void add_loss(pass_t *p, dnnl_memory_t scores) {
    net_t *net = p->net;
    dnnl_memory_t sum = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_ab, 1, 1), &p->loss);
    add_binary(p, "chosen", dnnl_binary_mul, p->log_share, p->target, scores);
    add_sum(p, "loss", scores, sum);
}

static void add_forward(pass_t *p) {
    const gpt_t *g = &p->m->gpt;
    dnnl_memory_t scores = matrix(p, p->s.rows, g->vocabulary), head_scores = head_matrices(p),
                  x = matrix(p, p->s.rows, p->s.width);
    add_product(
            p, "embedding", p->one_hot, weight(p, single_parameter(g, EMBEDDING)), x, STORE, NULL);
    for (dnnl_dim_t i = 0; i < g->layers; i++) x = add_layer(p, i, x, head_scores);
    p->last = x;
    p->last_normal = add_norm(p, x, single_parameter(g, LAST_NORM), &p->last_variance);
    add_product(p, "output", p->last_normal, weight(p, single_parameter(g, OUTPUT)), scores, STORE,
            NULL);
    add_softmax(p, dnnl_softmax_log, scores, p->log_share, 1);
    add_loss(p, scores);
    p->forward_count = p->count;
}

/* ---- backward ---- */

/* Gradients of activations. Layers follow one another, so they share them. */
typedef struct {
    dnnl_memory_t x, x1, normal, heads, qkv, shares, scores, gated, gate, up;
} gradients_t;

/* Gradients of both factors of `product`, which has the gradient d. */
static void add_product_backward(pass_t *p, const char *name, dnnl_memory_t x, const parameter_t *w,
        dnnl_memory_t d, dnnl_memory_t d_x, then_t then) {
    add_product(p, name, transposed(p, x), d, gradient(p, w), STORE, NULL);
    add_product(p, name, d, transposed(p, weight(p, w)), d_x, then, NULL);
}

static void add_norm_backward(pass_t *p, dnnl_memory_t x, dnnl_memory_t variance,
        const parameter_t *scale, dnnl_memory_t d, dnnl_memory_t d_x) {
    dnnl_primitive_desc_t hint = norm_desc(p, x, variance), pd;
    CHECK_DNNL(dnnl_layer_normalization_backward_primitive_desc_create_v2(&pd, p->net->engine,
            dnnl_backward, memory_desc(d_x), memory_desc(d), memory_desc(x), memory_desc(variance),
            dnnl_f32, dnnl_f32, (float)norm_epsilon, dnnl_rms_norm | dnnl_use_scale, hint, NULL));
    CHECK_DNNL(dnnl_primitive_desc_destroy(hint));
    step_t *step = add_step(p, "norm, backward", pd);
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_VARIANCE, variance);
    add_arg(step, DNNL_ARG_SCALE, weight(p, scale));
    add_arg(step, DNNL_ARG_DIFF_DST, d);
    add_arg(step, DNNL_ARG_DIFF_SRC, d_x);
    add_arg(step, DNNL_ARG_DIFF_SCALE, gradient(p, scale));
}

static void add_softmax_backward(pass_t *p, dnnl_alg_kind_t alg, dnnl_memory_t dst, dnnl_memory_t d,
        dnnl_memory_t d_src, int axis) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_softmax_backward_primitive_desc_create(&pd, p->net->engine, alg,
            memory_desc(d_src), memory_desc(d), memory_desc(dst), axis, NULL, NULL));
    step_t *step = add_step(p, "softmax, backward", pd);
    add_arg(step, DNNL_ARG_DST, dst);
    add_arg(step, DNNL_ARG_DIFF_DST, d);
    add_arg(step, DNNL_ARG_DIFF_SRC, d_src);
}

static void add_swish_backward(pass_t *p, dnnl_memory_t src, dnnl_memory_t d) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_eltwise_backward_primitive_desc_create(&pd, p->net->engine, dnnl_eltwise_swish,
            memory_desc(d), memory_desc(d), memory_desc(src), 1, 0, NULL, NULL));
    step_t *step = add_step(p, "swish, backward", pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DIFF_DST, d);
    add_arg(step, DNNL_ARG_DIFF_SRC, d);
}

/* From the gradient of the heads to that of q, k and v. A share that the mask made 0 has no
 * gradient, for softmax multiplies by it. */
static void add_attention_backward(pass_t *p, const layer_t *l, const gradients_t *d) {
    net_t *net = p->net;
    const block_sizes_t *s = &p->s;
    dnnl_memory_t q = head_view(net, s, l->qkv, 0, TOKENS_BY_ELEMENTS),
                  k = head_view(net, s, l->qkv, 1, TOKENS_BY_ELEMENTS),
                  v_t = head_view(net, s, l->qkv, 2, ELEMENTS_BY_TOKENS),
                  d_q = head_view(net, s, d->qkv, 0, TOKENS_BY_ELEMENTS),
                  d_k = head_view(net, s, d->qkv, 1, TOKENS_BY_ELEMENTS),
                  d_v = head_view(net, s, d->qkv, 2, TOKENS_BY_ELEMENTS),
                  d_heads = side_by_side(net, s, d->heads);
    add_product(p, "shares, backward", d_heads, v_t, d->shares, STORE, NULL);
    add_product(p, "v, backward", transposed(p, l->shares), d_heads, d_v, STORE, NULL);
    add_softmax_backward(p, dnnl_softmax_accurate, l->shares, d->shares, d->scores, 3);
    add_product(p, "q, backward", d->scores, k, d_q, SCALE, NULL);
    add_product(p, "k, backward", transposed(p, d->scores), q, d_k, SCALE, NULL);
}

/* From d->x, the gradient of the layer's result, to that of its input, in d->x again. */
static void add_layer_backward(pass_t *p, dnnl_dim_t i, const gradients_t *d) {
    const gpt_t *g = &p->m->gpt;
    const layer_t *l = &p->layer[i];
    add_product_backward(
            p, "down, backward", l->gated, layer_parameter(g, i, DOWN), d->x, d->gated, STORE);
    add_binary(p, "up, backward", dnnl_binary_mul, d->gated, l->gate, d->up);
    add_binary(p, "gate, backward", dnnl_binary_mul, d->gated, l->up, d->gate);
    add_swish_backward(p, l->gate_in, d->gate);
    add_product_backward(
            p, "up, backward", l->normal2, layer_parameter(g, i, UP), d->up, d->normal, STORE);
    add_product_backward(p, "gate, backward", l->normal2, layer_parameter(g, i, GATE), d->gate,
            d->normal, ACCUMULATE);
    add_norm_backward(p, l->x1, l->variance2, layer_parameter(g, i, NORM_2), d->normal, d->x1);
    add_binary(p, "+ x, backward", dnnl_binary_add, d->x1, d->x, d->x1);

    add_product_backward(p, "projection, backward", l->heads, layer_parameter(g, i, PROJECTION),
            d->x1, d->heads, STORE);
    add_attention_backward(p, l, d);
    add_product_backward(p, "q, k, v, backward", l->normal1, layer_parameter(g, i, QKV), d->qkv,
            d->normal, STORE);
    add_norm_backward(p, l->x, l->variance1, layer_parameter(g, i, NORM_1), d->normal, d->x);
    add_binary(p, "+ x, backward", dnnl_binary_add, d->x, d->x1, d->x);
}

static void add_backward(pass_t *p) {
    const gpt_t *g = &p->m->gpt;
    const dnnl_dim_t rows = p->s.rows, width = p->s.width, hidden = p->s.hidden;
    gradients_t d = {.x = matrix(p, rows, width),
            .x1 = matrix(p, rows, width),
            .normal = matrix(p, rows, width),
            .heads = matrix(p, rows, width),
            .qkv = matrix(p, rows, 3 * width),
            .shares = head_matrices(p),
            .scores = head_matrices(p),
            .gated = matrix(p, rows, hidden),
            .gate = matrix(p, rows, hidden),
            .up = matrix(p, rows, hidden)};
    dnnl_memory_t scores = matrix(p, rows, g->vocabulary);
    add_softmax_backward(p, dnnl_softmax_log, p->log_share, p->target, scores, 1);
    add_product_backward(p, "output, backward", p->last_normal, single_parameter(g, OUTPUT), scores,
            d.normal, STORE);
    add_norm_backward(p, p->last, p->last_variance, single_parameter(g, LAST_NORM), d.normal, d.x);
    for (dnnl_dim_t i = g->layers; i-- > 0;) add_layer_backward(p, i, &d);
    add_product(p, "embedding, backward", transposed(p, p->one_hot), d.x,
            gradient(p, single_parameter(g, EMBEDDING)), STORE, NULL);
}

static void make_inputs(pass_t *p) {
    net_t *net = p->net;
    const dnnl_dim_t vocabulary = p->m->gpt.vocabulary, tokens = p->s.tokens, rows = p->s.rows,
                     columns = vocabulary + tokens;
    dnnl_memory_desc_t characters = NET_DESC(net, dnnl_f32, dnnl_ab, rows, vocabulary);
    p->one_hot = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_ab, rows, columns), &p->inputs);
    p->target = net_host_memory(net, characters, &p->targets);
    p->log_share = net_host_memory(net, characters, &p->log_shares);
    memset(p->inputs, 0, (size_t)(rows * columns) * sizeof *p->inputs);
    for (dnnl_dim_t r = 0; r < rows; r++) p->inputs[r * columns + vocabulary + r % tokens] = 1;
}

pass_t *pass_create(model_t *m, dnnl_dim_t batch, int with_backward) {
    pass_t *p = check_alloc(calloc(1, sizeof *p));
    *p = (pass_t){.m = m, .net = &m->net, .s = m->gpt.s};
    p->s.batch = batch;
    complete_sizes(&p->s);
    make_inputs(p);
    p->mask = causal_mask(p->net, p->s.tokens);
    add_forward(p);
    if (with_backward) add_backward(p);
    return p;
}

void pass_destroy(pass_t *p) {
    free(p->step);
    free(p);
}

/* The positions are there from the start. */
static double run(pass_t *p, const int *inputs, const int *targets, int count) {
    const dnnl_dim_t vocabulary = p->m->gpt.vocabulary, tokens = p->s.tokens;
    float *in = p->inputs, *out = p->targets;
    for (dnnl_dim_t r = 0; r < p->s.rows; r++, in += vocabulary + tokens, out += vocabulary) {
        memset(in, 0, (size_t)vocabulary * sizeof *in);
        memset(out, 0, (size_t)vocabulary * sizeof *out);
        in[inputs[r]] = 1;
        out[targets[r]] = -1 / (float)p->s.rows;
    }
    for (int i = 0; i < count; i++) net_run(p->net, &p->step[i]);
    net_wait(p->net);
    return (double)*p->loss;
}

double pass_loss(pass_t *p, const int *inputs, const int *targets) {
    return run(p, inputs, targets, p->forward_count);
}

double pass_gradients(pass_t *p, const int *inputs, const int *targets) {
    return run(p, inputs, targets, p->count);
}

const float *pass_log_shares(const pass_t *p, dnnl_dim_t row) {
    return p->log_shares + row * p->m->gpt.vocabulary;
}

/* ---- the model ---- */

void model_open(model_t *m, const gpt_t *g, const adamw_t *adamw, const float *weights) {
    *m = (model_t){.gpt = *g};
    net_open(&m->net, 0);
    optimizer_open(&m->adam, &m->net, adamw, weights, g->elements, g->decayed);
}

void model_close(model_t *m) {
    net_close(&m->net);
}
