/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder layer of llm_graph.c by primitives. Products read int4; additions, rotations and
 * the gate are post-ops. */
#include <math.h>

#include "dnnl_ze_sdpa.h"
#include "llm.h"

/* What is appended to: a layer's steps, for some tokens. */
typedef struct {
    llm_t *llm;
    net_t *net;
    const phase_t *phase;
    llm_steps_t *steps;
} plan_t;

static step_t *add_step(const plan_t *p, const char *name, dnnl_primitive_desc_t pd) {
    step_t *step = &p->steps->steps[p->steps->count++];
    *step = (step_t){.name = name, .primitive = net_primitive(p->net, pd)};
    return step;
}

static dnnl_memory_t tokens_by(const plan_t *p, dnnl_dim_t width) {
    return net_device_memory(p->net, NET_DESC(p->net, dnnl_f16, dnnl_ab, p->phase->tokens, width));
}

static dnnl_memory_t norm(const plan_t *p, int which, dnnl_memory_t x) {
    dnnl_memory_t y = tokens_by(p, p->llm->s.width);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_layer_normalization_forward_primitive_desc_create(&pd, p->net->engine,
            dnnl_forward_inference, memory_desc(x), memory_desc(y), NULL, llm_epsilon,
            dnnl_use_scale | dnnl_rms_norm, NULL));
    step_t *step = add_step(p, "norm", pd);
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_SCALE, p->llm->norms[which]);
    add_arg(step, DNNL_ARG_DST, y);
    return y;
}

/* A product with a matrix of int4. The post-ops may have one operand. */
static void product(const plan_t *p, int which, dnnl_memory_t x, dnnl_memory_t y,
        dnnl_post_ops_t post_ops, dnnl_memory_t operand) {
    const matrix_t *m = &p->llm->matrices[which];
    const dnnl_dim_t count = (dnnl_dim_t)desc_elements(memory_desc(m->scales));
    const dnnl_dims_t groups = {p->llm->s.group, 1};
    dnnl_primitive_attr_t attr = net_attr(p->net, post_ops);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_f16, 1));
    CHECK_DNNL(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f16));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, p->net->engine, memory_desc(x),
            memory_desc(m->packed), NULL, memory_desc(y), attr));
    step_t *step = add_step(p, "product", pd);
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_WEIGHTS, m->packed);
    add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
            net_view(p->net, m->scales, NET_DESC(p->net, dnnl_f16, dnnl_a, count)));
    add_arg(step, DNNL_ARG_DST, y);
    if (operand) add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, operand);
}

static dnnl_post_ops_t binary(const plan_t *p, dnnl_alg_kind_t alg, dnnl_memory_t operand) {
    dnnl_post_ops_t post_ops = net_post_ops(p->net);
    CHECK_DNNL(dnnl_post_ops_append_binary(post_ops, alg, memory_desc(operand)));
    return post_ops;
}

/* Rows of the cache: tokens, and elements of all heads. */
static dnnl_memory_t cached(
        const plan_t *p, dnnl_memory_t cache, dnnl_dim_t row, dnnl_memory_desc_t desc) {
    return net_view_at(p->net, cache, (size_t)row * llm_cache_row(p->llm), desc);
}

/* x * cosine + (x * rotation) * sine, for x as [tokens][heads][size]. */
static void rotate(const plan_t *p, dnnl_memory_t flat, dnnl_dim_t heads, dnnl_memory_t into) {
    const dnnl_dim_t tokens = p->phase->tokens, size = p->llm->s.size;
    dnnl_memory_desc_t desc = NET_DESC(p->net, dnnl_f16, dnnl_abc, tokens, heads, size),
                       angles = NET_DESC(p->net, dnnl_f16, dnnl_abc, tokens, 1, size),
                       rotation = NET_DESC(p->net, dnnl_f16, dnnl_abc, 1, size, size);
    dnnl_memory_t x = net_view(p->net, flat, desc), straight = net_device_memory(p->net, desc),
                  cosines = net_view(p->net, p->phase->cosines, angles),
                  sines = net_view(p->net, p->phase->sines, angles);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_binary_primitive_desc_create(
            &pd, p->net->engine, dnnl_binary_mul, desc, angles, desc, NULL));
    step_t *step = add_step(p, "cosine", pd);
    add_arg(step, DNNL_ARG_SRC_0, x);
    add_arg(step, DNNL_ARG_SRC_1, cosines);
    add_arg(step, DNNL_ARG_DST, straight);

    dnnl_post_ops_t post_ops = binary(p, dnnl_binary_mul, sines);
    CHECK_DNNL(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, desc));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(
            &pd, p->net->engine, desc, rotation, NULL, desc, net_attr(p->net, post_ops)));
    step = add_step(p, "rotation", pd);
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_WEIGHTS, net_view(p->net, p->llm->rotation, rotation));
    add_arg(step, DNNL_ARG_DST, net_view(p->net, into, desc));
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, sines);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, straight);
}

/* Heads, tokens and elements of [tokens][heads][size]; turned: elements before tokens. */
static dnnl_memory_desc_t heads_of(
        const plan_t *p, dnnl_dim_t heads, dnnl_dim_t tokens, int turned) {
    const dnnl_dim_t size = p->llm->s.size, row = heads * size;
    const dnnl_dims_t dims = {heads, turned ? size : tokens, turned ? tokens : size};
    const dnnl_dims_t strides = {size, turned ? 1 : row, turned ? row : 1};
    dnnl_memory_desc_t desc;
    CHECK_DNNL(dnnl_memory_desc_create_with_strides(&desc, 3, dims, dnnl_f16, strides));
    return net_keep_desc(p->net, desc);
}

static dnnl_memory_t attention(const plan_t *p, dnnl_memory_t queries) {
    const llm_sizes_t *s = &p->llm->s;
    const phase_t *phase = p->phase;
    float factor = 1 / sqrtf((float)s->size);
    dnnl_memory_desc_t rows = heads_of(p, s->heads, phase->tokens, 0),
                       keys = heads_of(p, s->key_heads, phase->keys, 1),
                       values = heads_of(p, s->key_heads, phase->keys, 0), scale_desc,
                       mask = NET_DESC(p->net, dnnl_f32, dnnl_abc, 1, phase->tokens, phase->keys);
    dnnl_memory_t out = tokens_by(p, s->heads * s->size), scale;
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_memory_desc_create_host_scalar(&scale_desc, dnnl_f32));
    net_keep_desc(p->net, scale_desc);
    CHECK_DNNL(dnnl_memory_create_host_scalar(&scale, scale_desc, &factor));
    CHECK_DNNL(dnnl_ze_sdpa_primitive_desc_create(&pd, p->net->engine, rows, keys, values, rows,
            phase->causal ? NULL : mask, scale_desc, 0, s->key_heads,
            phase->causal ? dnnl_ze_attn_mask_top_left : dnnl_ze_attn_mask_buffer, NULL));
    step_t *step = add_step(p, "attention", pd);
    add_arg(step, DNNL_ARG_QUERIES, net_view(p->net, queries, rows));
    add_arg(step, DNNL_ARG_KEYS, cached(p, p->llm->keys, 0, keys));
    add_arg(step, DNNL_ARG_VALUES, cached(p, p->llm->values, 0, values));
    add_arg(step, DNNL_ARG_SCALE, net_keep_memory(p->net, scale));
    if (!phase->causal) add_arg(step, DNNL_ARG_ATTN_MASK, net_view(p->net, phase->mask, mask));
    add_arg(step, DNNL_ARG_DST, net_view(p->net, out, rows));
    return out;
}

static dnnl_memory_t attended(const plan_t *p) {
    const llm_sizes_t *s = &p->llm->s;
    const dnnl_dim_t row = s->key_heads * s->size;
    dnnl_memory_desc_t rows = NET_DESC(p->net, dnnl_f16, dnnl_ab, p->phase->tokens, row);
    dnnl_memory_t x = norm(p, 0, p->phase->x), q = tokens_by(p, s->heads * s->size),
                  k = tokens_by(p, row), queries = tokens_by(p, s->heads * s->size);
    product(p, QUERY, x, q, NULL, NULL);
    product(p, KEY, x, k, NULL, NULL);
    product(p, VALUE, x, cached(p, p->llm->values, p->phase->row, rows), NULL, NULL);
    rotate(p, q, s->heads, queries);
    rotate(p, k, s->key_heads, cached(p, p->llm->keys, p->phase->row, rows));
    return attention(p, queries);
}

void llm_steps_make(llm_t *llm, const phase_t *phase, llm_steps_t *steps) {
    const plan_t plan = {llm, &llm->net, phase, steps}, *p = &plan;
    dnnl_post_ops_t swish = net_post_ops(p->net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(swish, dnnl_eltwise_swish, 1, 0));
    steps->count = 0;
    dnnl_memory_t heads = attended(p), middle = tokens_by(p, llm->s.width);
    product(p, OUT, heads, middle, binary(p, dnnl_binary_add, phase->x), phase->x);
    dnnl_memory_t x = norm(p, 1, middle), gate = tokens_by(p, llm->s.inner),
                  both = tokens_by(p, llm->s.inner);
    product(p, GATE, x, gate, swish, NULL);
    product(p, UP, x, both, binary(p, dnnl_binary_mul, gate), gate);
    product(p, DOWN, both, phase->y, binary(p, dnnl_binary_add, middle), middle);
}

void llm_steps_run(const llm_steps_t *steps, dnnl_stream_t stream) {
    for (int i = 0; i < steps->count; i++)
        CHECK_DNNL(dnnl_primitive_execute(
                steps->steps[i].primitive, stream, steps->steps[i].nargs, steps->steps[i].args));
}
