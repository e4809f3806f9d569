/* SPDX-License-Identifier: Apache-2.0 */
/* One block of a transformer's decoder, with f16 weights and activations around an f32 residual
 * stream:
 *
 *     x1 = x  + attention(rms_norm(x)) Wo
 *     y  = x1 + (swish(rms_norm(x1) Wg) * (rms_norm(x1) Wu)) Wd
 *
 * Ten primitives, and nothing in between: scaling, causal mask, gate and both additions are
 * post-ops, and heads are cut out of Q, K and V by descriptors, not by copies. Each result is
 * compared with double precision in plain C. */
#define DNNL_EXPERIMENTAL_PROFILING 1 /* declares what reads a stream's profile */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnnl_debug.h"
#include "transformer.h"

enum { MAX_STEPS = 10 };
static const float epsilon = 1e-6f;

/* What f16 costs: every stored value is rounded by up to 2^-11, 0.0005 of itself, and what is
 * computed from it inherits that. Relative to the largest value of a result, no step may be
 * further from double precision than this. */
static const double tolerance = 2e-3;

typedef struct {
    net_t net;
    block_sizes_t s;
    int count;
    step_t step[MAX_STEPS];
    dnnl_memory_t result[MAX_STEPS]; /* in row-major order, whatever the step's own view of it */
} block_t;

/* ---- the block on the device ---- */

static step_t *add_step(
        block_t *b, const char *name, dnnl_primitive_desc_t pd, dnnl_memory_t result) {
    step_t *step = &b->step[b->count];
    *step = (step_t){.name = name, .primitive = net_primitive(&b->net, pd)};
    b->result[b->count++] = result;
    return step;
}

/* Random values on the device in the type and layout of `desc`. *values receives what the device
 * has, that is, the values as f16 rounds them. The caller frees them. */
static dnnl_memory_t random_weights(block_t *b, const_dnnl_memory_desc_t desc, uint64_t seed,
        float lo, float hi, double **values) {
    float *host;
    dnnl_memory_t from = net_host_memory(&b->net, net_plain(&b->net, desc, dnnl_f32), &host);
    random_fill(host, desc_elements(desc), seed, lo, hi);
    dnnl_memory_t to = net_upload(&b->net, from, desc, NULL, NULL);
    *values = net_read_double(&b->net, to);
    return to;
}

static dnnl_memory_t add_norm(
        block_t *b, const char *name, dnnl_memory_t x, uint64_t seed, double **scale) {
    net_t *net = &b->net;
    dnnl_memory_t dst = net_device_memory(net, net_plain(net, memory_desc(x), dnnl_f16));
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_layer_normalization_forward_primitive_desc_create_v2(&pd, net->engine,
            dnnl_forward_inference, memory_desc(x), memory_desc(dst), NULL, dnnl_f16, epsilon,
            dnnl_rms_norm | dnnl_use_scale, NULL));
    step_t *step = add_step(b, name, pd, dst);
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_SCALE,
            random_weights(
                    b, NET_DESC(net, dnnl_f16, dnnl_a, b->s.width), seed, 0.5f, 1.5f, scale));
    add_arg(step, DNNL_ARG_DST, dst);
    return dst;
}

/* dst = post_ops(x w): w, of in x out f16 values, is brought into the layout that the library
 * prefers, once.
 */
static step_t *add_linear(block_t *b, const char *name, dnnl_memory_t x, dnnl_dim_t in,
        dnnl_dim_t out, dnnl_memory_t dst, const_dnnl_post_ops_t post_ops, uint64_t seed,
        double **weights) {
    net_t *net = &b->net;
    const float spread = sqrtf(3.f / (float)in);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, net->engine, memory_desc(x),
            NET_DESC(net, dnnl_f16, dnnl_format_tag_any, in, out), NULL, memory_desc(dst),
            net_attr(net, post_ops)));
    step_t *step = add_step(b, name, pd, dst);
    add_arg(step, DNNL_ARG_SRC, x);
    add_arg(step, DNNL_ARG_WEIGHTS,
            random_weights(b, chosen(pd, DNNL_ARG_WEIGHTS), seed, -spread, spread, weights));
    add_arg(step, DNNL_ARG_DST, dst);
    return step;
}

/* softmax(q k^T / sqrt(head) + mask) v, for all heads at once. */
static dnnl_memory_t add_attention(block_t *b, dnnl_memory_t qkv) {
    net_t *net = &b->net;
    const block_sizes_t *s = &b->s;
    dnnl_memory_t q = head_view(net, s, qkv, 0, TOKENS_BY_ELEMENTS),
                  k_t = head_view(net, s, qkv, 1, ELEMENTS_BY_TOKENS),
                  v = head_view(net, s, qkv, 2, TOKENS_BY_ELEMENTS);
    dnnl_primitive_desc_t pd;

    dnnl_memory_t mask = causal_mask(net, s->tokens);
    dnnl_post_ops_t post_ops = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(
            post_ops, dnnl_eltwise_linear, 1 / sqrtf((float)s->head), 0));
    CHECK_DNNL(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, memory_desc(mask)));
    dnnl_memory_desc_t all =
            NET_DESC(net, dnnl_f32, dnnl_abcd, s->batch, s->heads, s->tokens, s->tokens);
    dnnl_memory_t scores = net_device_memory(net, all);
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, net->engine, memory_desc(q), memory_desc(k_t),
            NULL, all, net_attr(net, post_ops)));
    step_t *step = add_step(b, "q k' / sqrt + mask", pd, scores);
    add_arg(step, DNNL_ARG_SRC, q);
    add_arg(step, DNNL_ARG_WEIGHTS, k_t);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, mask);
    add_arg(step, DNNL_ARG_DST, scores);

    dnnl_memory_t shares = net_device_memory(net, net_plain(net, all, dnnl_f16));
    CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
            dnnl_softmax_accurate, all, memory_desc(shares), 3, NULL));
    step = add_step(b, "softmax", pd, shares);
    add_arg(step, DNNL_ARG_SRC, scores);
    add_arg(step, DNNL_ARG_DST, shares);

    /* Heads side by side again, which is what the projection reads: the same trick for the
     * destination. */
    dnnl_memory_t heads =
            net_device_memory(net, NET_DESC(net, dnnl_f16, dnnl_ab, s->rows, s->width));
    dnnl_memory_t heads_4d = side_by_side(net, s, heads);
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, net->engine, memory_desc(shares),
            memory_desc(v), NULL, memory_desc(heads_4d), NULL));
    step = add_step(b, "attention", pd, heads);
    add_arg(step, DNNL_ARG_SRC, shares);
    add_arg(step, DNNL_ARG_WEIGHTS, v);
    add_arg(step, DNNL_ARG_DST, heads_4d);
    return heads;
}

/* The weights as the device has them, and the input, for the comparison. */
typedef struct {
    double *x, *norm1, *qkv, *projection, *norm2, *gate, *up, *down;
} values_t;

static void build(block_t *b, values_t *v) {
    net_t *net = &b->net;
    const block_sizes_t *s = &b->s;
    dnnl_memory_desc_t f32 = NET_DESC(net, dnnl_f32, dnnl_ab, s->rows, s->width);
    dnnl_memory_desc_t f16_hidden = NET_DESC(net, dnnl_f16, dnnl_ab, s->rows, s->hidden);
    dnnl_memory_t x = random_weights(b, f32, 1, -2, 2, &v->x);

    dnnl_memory_t normal = add_norm(b, "rms norm", x, 2, &v->norm1);
    dnnl_memory_t qkv =
            net_device_memory(net, NET_DESC(net, dnnl_f16, dnnl_ab, s->rows, 3 * s->width));
    add_linear(b, "q, k, v", normal, s->width, 3 * s->width, qkv, NULL, 3, &v->qkv);
    dnnl_memory_t heads = add_attention(b, qkv);

    /* x is still needed as it is by nobody but this addition; a binary post-op reads it, and x1
     * is new memory. */
    dnnl_memory_t x1 = net_device_memory(net, f32);
    dnnl_post_ops_t add = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_binary(add, dnnl_binary_add, f32));
    step_t *step =
            add_linear(b, "projection + x", heads, s->width, s->width, x1, add, 4, &v->projection);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, x);

    dnnl_memory_t normal1 = add_norm(b, "rms norm", x1, 5, &v->norm2);
    dnnl_memory_t gate = net_device_memory(net, f16_hidden),
                  gated = net_device_memory(net, f16_hidden);
    dnnl_post_ops_t swish = net_post_ops(net), times_gate = net_post_ops(net),
                    sum = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(swish, dnnl_eltwise_swish, 1, 0));
    CHECK_DNNL(dnnl_post_ops_append_binary(times_gate, dnnl_binary_mul, f16_hidden));
    CHECK_DNNL(dnnl_post_ops_append_sum(sum, 1, 0, dnnl_data_type_undef));
    add_linear(b, "swish gate", normal1, s->width, s->hidden, gate, swish, 6, &v->gate);
    step = add_linear(b, "up * gate", normal1, s->width, s->hidden, gated, times_gate, 7, &v->up);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, gate);
    /* Here the sum post-op adds to what the destination holds: x1 becomes the block's result in
     * place. */
    add_linear(b, "down + x1", gated, s->hidden, s->width, x1, sum, 8, &v->down);
}

/* ---- the block in plain C ---- */

/* Zeros, as many as the result of step `i` has elements: what the step is expected to give goes
 * there. */
static double *c_result(const block_t *b, int i) {
    return check_alloc(calloc(desc_elements(memory_desc(b->result[i])), sizeof(double)));
}

static void c_block(const block_t *b, const values_t *v, double **y) {
    const block_sizes_t *s = &b->s;
    const size_t width = (size_t)(s->rows * s->width), hidden = (size_t)(s->rows * s->hidden);
    for (int i = 0; i < MAX_STEPS; i++) y[i] = c_result(b, i);

    c_norm(y[0], v->x, v->norm1, s->rows, s->width, (double)epsilon);
    c_add_product(y[1], y[0], v->qkv, s->rows, s->width, 3 * s->width);
    c_add_attention(y[2], y[3], y[4], y[1], s);
    memcpy(y[5], v->x, width * sizeof(double));
    c_add_product(y[5], y[4], v->projection, s->rows, s->width, s->width);
    c_norm(y[6], y[5], v->norm2, s->rows, s->width, (double)epsilon);
    c_add_product(y[7], y[6], v->gate, s->rows, s->width, s->hidden);
    for (size_t i = 0; i < hidden; i++) y[7][i] = c_swish(y[7][i]);
    c_add_product(y[8], y[6], v->up, s->rows, s->width, s->hidden);
    for (size_t i = 0; i < hidden; i++) y[8][i] *= y[7][i];
    memcpy(y[9], y[5], width * sizeof(double));
    c_add_product(y[9], y[8], v->down, s->rows, s->hidden, s->width);
}

/* ---- */

static void run(block_t *b) {
    for (int i = 0; i < b->count; i++) net_run(&b->net, &b->step[i]);
    net_wait(&b->net);
}

/* Runs step by step, for the last step overwrites an earlier one's result, and returns the
 * number of wrong ones. */
static int check_steps(block_t *b, double *const *expected, const uint64_t *nanoseconds) {
    int bad = 0;
    printf("step                 result                  largest error%s\n",
            nanoseconds ? "  us" : "");
    for (int i = 0; i < b->count; i++) {
        net_run(&b->net, &b->step[i]);
        const_dnnl_memory_desc_t desc = memory_desc(b->result[i]);
        float *got = net_read(&b->net, b->result[i]);
        const double error = largest_error(got, expected[i], desc_elements(desc));
        const int wrong = !(error <= tolerance);
        dnnl_data_type_t type;
        CHECK_DNNL(dnnl_memory_desc_query(desc, dnnl_query_data_type, &type));
        char shape[64];
        int n = snprintf(shape, sizeof shape, "%s ", dnnl_dt2str(type));
        for (int d = 0; d < desc_ndims(desc); d++)
            n += snprintf(shape + n, sizeof shape - (size_t)n, "%s%lld", d ? "x" : "",
                    (long long)desc_dims(desc)[d]);
        printf("%-20s %-23s %.1e %-6s", b->step[i].name, shape, error, wrong ? "WRONG" : "");
        if (nanoseconds) printf(" %.0f", (double)nanoseconds[i] * 1e-3);
        printf("\n");
        free(got);
        bad += wrong;
    }
    return bad;
}

static int parse(int argc, char **argv, block_sizes_t *s, int *timed) {
    dnnl_dim_t *const sizes[] = {&s->batch, &s->tokens, &s->heads, &s->head, &s->hidden};
    *timed = argc > 1 && !strcmp(argv[1], "time");
    argc -= *timed;
    argv += *timed;
    for (int i = 1; i < argc; i++) {
        const long value = i <= 5 ? strtol(argv[i], NULL, 10) : 0;
        if (value < 1 || value > 8192) return -1;
        *sizes[i - 1] = value;
    }
    complete_sizes(s);
    return 0;
}

int main(int argc, char **argv) {
    static block_t b = {.s = {.batch = 2, .tokens = 64, .heads = 4, .head = 64, .hidden = 688}};
    int timed;
    if (parse(argc, argv, &b.s, &timed)) {
        fprintf(stderr, "usage: %s [time] [BATCH [TOKENS [HEADS [HEAD_SIZE [HIDDEN]]]]]\n",
                argv[0]);
        return 2;
    }
    net_open(&b.net, timed);
    values_t values;
    build(&b, &values);
    printf("a block of %lld heads of %lld, gate of %lld, for %lld x %lld tokens, on %s\n",
            (long long)b.s.heads, (long long)b.s.head, (long long)b.s.hidden, (long long)b.s.batch,
            (long long)b.s.tokens, b.net.app.properties.name);

    /* The second run is what the following ones take: what is compiled or allocated at first use
     * is there. */
    uint64_t nanoseconds[MAX_STEPS];
    run(&b);
    if (timed) CHECK_DNNL(dnnl_reset_profiling(b.net.stream));
    const double start = now_ms();
    run(&b);
    printf("%d primitives in %.2f ms\n", b.count, now_ms() - start);
    if (timed) { /* one entry for each execution since the reset */
        int entries = MAX_STEPS;
        CHECK_DNNL(dnnl_query_profiling_data(
                b.net.stream, dnnl_profiling_data_kind_time, &entries, nanoseconds));
    }

    double *expected[MAX_STEPS];
    c_block(&b, &values, expected);
    const int bad = check_steps(&b, expected, timed ? nanoseconds : NULL);
    printf("checked with plain C: %d of %d steps further off than %.0e of the largest value\n", bad,
            b.count, tolerance);

    for (int i = 0; i < MAX_STEPS; i++) free(expected[i]);
    double *const all[] = {values.x, values.norm1, values.qkv, values.projection, values.norm2,
            values.gate, values.up, values.down};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    net_close(&b.net);
    return bad != 0;
}
