/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in one primitive of dnnl_ze_sdpa.h, and the same of matmul, softmax and matmul,
 * which bring the scores into memory in between: causal, and with several heads of queries to
 * one of keys and values. Both are compared with double precision in plain C.
 *
 *     attention [tokens heads key_heads head_size]      sizes of one sequence; 60 6 2 64
 *     attention time [tokens heads key_heads head_size] how long each takes, too */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnnl_ze_sdpa.h"
#include "transformer.h"

/* What f16 costs, relative to the largest value: results are rounded by 2^-11 of themselves,
 * probabilities once or twice. */
static const double tolerance = 2e-3;

typedef struct {
    dnnl_dim_t tokens, heads, key_heads, size;
} sizes_t;

typedef struct {
    dnnl_memory_t memory;
    float *values; /* as f16 rounds them, row-major: heads, tokens, elements */
} tensor_t;

/* A token's elements lie behind one another head by head, as projections leave them:
 * [tokens][heads][size]. As batch of one, `heads` groups of `group` heads, tokens and elements;
 * turned: elements and tokens. */
static dnnl_memory_desc_t heads_of(
        net_t *net, const sizes_t *s, dnnl_dim_t heads, dnnl_dim_t group, int turned) {
    const dnnl_dim_t row = heads * group * s->size;
    const dnnl_dims_t dims = {
            heads, group, turned ? s->size : s->tokens, turned ? s->tokens : s->size};
    const dnnl_dims_t strides = {group * s->size, s->size, turned ? 1 : row, turned ? row : 1};
    dnnl_memory_desc_t desc;
    CHECK_DNNL(dnnl_memory_desc_create_with_strides(&desc, 4, dims, dnnl_f16, strides));
    return net_keep_desc(net, desc);
}

static tensor_t random_heads(
        net_t *net, const sizes_t *s, dnnl_dim_t heads, dnnl_dim_t group, uint64_t seed) {
    dnnl_memory_desc_t desc = heads_of(net, s, heads, group, 0);
    float *host;
    dnnl_memory_t from = net_host_memory(net, net_plain(net, desc, dnnl_f32), &host);
    random_fill(host, desc_elements(desc), seed, -1, 1);
    tensor_t x = {net_upload(net, from, desc, NULL, NULL), NULL};
    x.values = net_read(net, x.memory);
    return x;
}

/* ---- in plain C ---- */

static double *expected(const sizes_t *s, const float *q, const float *k, const float *v) {
    const dnnl_dim_t n = s->size, group = s->heads / s->key_heads;
    double *out = check_alloc(calloc((size_t)(s->heads * s->tokens * n), sizeof *out));
    double *weight = check_alloc(malloc((size_t)s->tokens * sizeof *weight));
    for (dnnl_dim_t h = 0; h < s->heads; h++)
        for (dnnl_dim_t i = 0; i < s->tokens; i++) {
            const float *query = q + (h * s->tokens + i) * n, *keys = k + h / group * s->tokens * n,
                        *values = v + h / group * s->tokens * n;
            double top = -INFINITY, sum = 0;
            for (dnnl_dim_t j = 0; j <= i; j++) {
                weight[j] = 0;
                for (dnnl_dim_t e = 0; e < n; e++) weight[j] += (double)query[e] * keys[j * n + e];
                weight[j] /= sqrt((double)n);
                top = fmax(top, weight[j]);
            }
            for (dnnl_dim_t j = 0; j <= i; j++) sum += weight[j] = exp(weight[j] - top);
            for (dnnl_dim_t j = 0; j <= i; j++)
                for (dnnl_dim_t e = 0; e < n; e++)
                    out[(h * s->tokens + i) * n + e] += weight[j] / sum * values[j * n + e];
        }
    free(weight);
    return out;
}

static int check(net_t *net, const char *name, dnnl_memory_t result, const double *want) {
    float *got = net_read(net, result);
    const size_t n = desc_elements(memory_desc(result));
    double most = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(want[i]));
        error = fmax(error, fabs(got[i] - want[i]));
    }
    free(got);
    printf("%-12s largest error %.2e of the largest value\n", name, error / most);
    return error <= tolerance * most;
}

/* ---- the two ways ---- */

/* One primitive. The scale is a number of the host's, given when it is executed. */
static int make_fused(net_t *net, const sizes_t *s, const tensor_t *q, const tensor_t *k,
        const tensor_t *v, dnnl_memory_t dst, step_t *steps) {
    const dnnl_dims_t dims = {s->heads, s->tokens, s->size},
                      key_dims = {s->key_heads, s->size, s->tokens},
                      value_dims = {s->key_heads, s->tokens, s->size};
    const dnnl_dim_t row = s->heads * s->size, key_row = s->key_heads * s->size;
    dnnl_memory_desc_t query_desc, key_desc, value_desc, scale_desc;
    CHECK_DNNL(dnnl_memory_desc_create_with_strides(
            &query_desc, 3, dims, dnnl_f16, (dnnl_dims_t){s->size, row, 1}));
    CHECK_DNNL(dnnl_memory_desc_create_with_strides(
            &key_desc, 3, key_dims, dnnl_f16, (dnnl_dims_t){s->size, 1, key_row}));
    CHECK_DNNL(dnnl_memory_desc_create_with_strides(
            &value_desc, 3, value_dims, dnnl_f16, (dnnl_dims_t){s->size, key_row, 1}));
    CHECK_DNNL(dnnl_memory_desc_create_host_scalar(&scale_desc, dnnl_f32));
    net_keep_desc(net, query_desc);
    net_keep_desc(net, key_desc);
    net_keep_desc(net, value_desc);
    net_keep_desc(net, scale_desc);

    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_ze_sdpa_primitive_desc_create(&pd, net->engine, query_desc, key_desc,
            value_desc, query_desc, NULL, scale_desc, 1, s->key_heads, dnnl_ze_attn_mask_top_left,
            NULL));
    float root = sqrtf((float)s->size);
    dnnl_memory_t scale;
    CHECK_DNNL(dnnl_memory_create_host_scalar(&scale, scale_desc, &root));
    steps[0] = (step_t){"attention", net_primitive(net, pd), 5,
            {{DNNL_ARG_QUERIES, net_view(net, q->memory, query_desc)},
                    {DNNL_ARG_KEYS, net_view(net, k->memory, key_desc)},
                    {DNNL_ARG_VALUES, net_view(net, v->memory, value_desc)},
                    {DNNL_ARG_SCALE, net_keep_memory(net, scale)},
                    {DNNL_ARG_DST, net_view(net, dst, query_desc)}}};
    return 1;
}

/* Three. Matmul has keys and values of one head for a group of heads of queries; scale and mask
 * are post-ops.
 */
static int make_unfused(net_t *net, const sizes_t *s, const tensor_t *q, const tensor_t *k,
        const tensor_t *v, dnnl_memory_t dst, step_t *steps) {
    const dnnl_dim_t group = s->heads / s->key_heads;
    dnnl_memory_desc_t scores =
            NET_DESC(net, dnnl_f16, dnnl_abcd, s->key_heads, group, s->tokens, s->tokens);
    dnnl_memory_desc_t keys = heads_of(net, s, s->key_heads, 1, 1),
                       values = heads_of(net, s, s->key_heads, 1, 0);
    dnnl_memory_t score = net_device_memory(net, scores),
                  probability = net_device_memory(net, scores);
    dnnl_memory_t mask = causal_mask(net, s->tokens);

    dnnl_primitive_desc_t qk, softmax, pv;
    dnnl_post_ops_t po = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 1 / sqrtf((float)s->size), 0));
    CHECK_DNNL(dnnl_post_ops_append_binary(po, dnnl_binary_add, memory_desc(mask)));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(
            &qk, net->engine, memory_desc(q->memory), keys, NULL, scores, net_attr(net, po)));
    CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(&softmax, net->engine,
            dnnl_forward_inference, dnnl_softmax_accurate, scores, scores, 3, NULL));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(
            &pv, net->engine, scores, values, NULL, memory_desc(dst), NULL));
    steps[0] = (step_t){"queries keys", net_primitive(net, qk), 4,
            {{DNNL_ARG_SRC, q->memory}, {DNNL_ARG_WEIGHTS, net_view(net, k->memory, keys)},
                    {DNNL_ARG_DST, score},
                    {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, mask}}};
    steps[1] = (step_t){"softmax", net_primitive(net, softmax), 2,
            {{DNNL_ARG_SRC, score}, {DNNL_ARG_DST, probability}}};
    steps[2] = (step_t){"values", net_primitive(net, pv), 3,
            {{DNNL_ARG_SRC, probability}, {DNNL_ARG_WEIGHTS, net_view(net, v->memory, values)},
                    {DNNL_ARG_DST, dst}}};
    return 3;
}

static double milliseconds(net_t *net, const step_t *steps, int n) {
    enum { TIMES = 5 };
    double best = INFINITY;
    for (int t = 0; t < TIMES; t++) {
        const double start = now_ms();
        for (int i = 0; i < n; i++) net_run(net, &steps[i]);
        net_wait(net);
        best = fmin(best, now_ms() - start);
    }
    return best;
}

int main(int argc, char **argv) {
    const int timed = argc > 1 && !strcmp(argv[1], "time");
    sizes_t s = {60, 6, 2, 64};
    dnnl_dim_t *given[] = {&s.tokens, &s.heads, &s.key_heads, &s.size};
    for (int i = 0; i < 4 && argc > 1 + timed + i; i++) *given[i] = atol(argv[1 + timed + i]);
    if (s.tokens < 1 || s.key_heads < 1 || s.heads < 1 || s.heads % s.key_heads || s.size < 1) {
        fprintf(stderr, "usage: attention [time] [tokens heads key_heads head_size]\n");
        return 2;
    }
    net_t net;
    net_open(&net, 0);
    printf("%s: %lld tokens, %lld heads of %lld, %lld of keys, f16\n", net.app.properties.name,
            (long long)s.tokens, (long long)s.heads, (long long)s.size, (long long)s.key_heads);
    const tensor_t q = random_heads(&net, &s, s.key_heads, s.heads / s.key_heads, 1),
                   k = random_heads(&net, &s, s.key_heads, 1, 2),
                   v = random_heads(&net, &s, s.key_heads, 1, 3);
    double *want = expected(&s, q.values, k.values, v.values);

    int good = 1;
    for (int fused = 1; fused >= 0; fused--) {
        step_t steps[3];
        dnnl_memory_t dst = net_device_memory(&net, memory_desc(q.memory));
        const int n = (fused ? make_fused : make_unfused)(&net, &s, &q, &k, &v, dst, steps);
        for (int i = 0; i < n; i++) net_run(&net, &steps[i]);
        good &= check(&net, fused ? "in one" : "in three", dst, want);
        if (timed) printf("%-12s %.3f ms\n", "", milliseconds(&net, steps, n));
    }
    free(want);
    free(q.values);
    free(k.values);
    free(v.values);
    net_close(&net);
    if (!good) fprintf(stderr, "a result is wrong\n");
    return !good;
}
