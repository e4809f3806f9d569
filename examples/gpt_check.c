/* SPDX-License-Identifier: Apache-2.0 */
/* gpt_train in plain C, in double precision. The forward alone is written down: its gradients are
 * central differences, so that no term of backward can be wrong in the same way twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpt.h"

/* Steps of the check: the second one has moments other than zero, the third one has seen both. */
enum { STEPS = 3 };

/* What f32 costs: a value is rounded by up to 2^-24, 6e-8 of itself, a gradient goes through some
 * forty products and sums, and a norm multiplies the errors of small rows: 3e-6 of the largest
 * value of a tensor, and with one of twenty seeds 3e-5. A term that is missing or wrong is 1e-3 or
 * more. */
static const double tolerance = 1e-4;

/* A weight is moved by this much of it at a time, 1e-5: the error of the differences is its square,
 * and what is left of the 16 digits of the loss is 11. */
static const double difference = 1e-5;

static const double rate = 0.01;
/* epsilon is of the size of the gradients, so that weights depend on more than their signs. */
static const adamw_t adamw = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3, .decay = 0.1};

/* ---- forward ---- */

static double *zeros(dnnl_dim_t count) {
    return check_alloc(calloc((size_t)count, sizeof(double)));
}

static const double *of_layer(
        const gpt_t *g, const double *w, dnnl_dim_t layer, layer_parameter_t which) {
    return w + layer_parameter(g, layer, which)->offset;
}

static const double *single(const gpt_t *g, const double *w, single_parameter_t which) {
    return w + single_parameter(g, which)->offset;
}

/* x += attention(rms_norm(x)) Wo; the normalized x is in `normal`. */
static void c_attention_part(
        const gpt_t *g, const double *w, dnnl_dim_t layer, double *x, double *normal) {
    const block_sizes_t *s = &g->s;
    const dnnl_dim_t scores = s->batch * s->heads * s->tokens * s->tokens;
    double *qkv = zeros(3 * s->rows * s->width), *heads = zeros(s->rows * s->width),
           *score = zeros(scores), *share = zeros(scores);
    c_norm(normal, x, of_layer(g, w, layer, NORM_1), s->rows, s->width, norm_epsilon);
    c_add_product(qkv, normal, of_layer(g, w, layer, QKV), s->rows, s->width, 3 * s->width);
    c_add_attention(score, share, heads, qkv, s);
    c_add_product(x, heads, of_layer(g, w, layer, PROJECTION), s->rows, s->width, s->width);
    free(qkv);
    free(heads);
    free(score);
    free(share);
}

static void c_gated_part(
        const gpt_t *g, const double *w, dnnl_dim_t layer, double *x, double *normal) {
    const block_sizes_t *s = &g->s;
    double *gate = zeros(s->rows * s->hidden), *up = zeros(s->rows * s->hidden);
    c_norm(normal, x, of_layer(g, w, layer, NORM_2), s->rows, s->width, norm_epsilon);
    c_add_product(gate, normal, of_layer(g, w, layer, GATE), s->rows, s->width, s->hidden);
    c_add_product(up, normal, of_layer(g, w, layer, UP), s->rows, s->width, s->hidden);
    for (dnnl_dim_t i = 0; i < s->rows * s->hidden; i++) up[i] *= c_swish(gate[i]);
    c_add_product(x, up, of_layer(g, w, layer, DOWN), s->rows, s->hidden, s->width);
    free(gate);
    free(up);
}

static double c_cross_entropy(
        const double *scores, const int *targets, dnnl_dim_t rows, dnnl_dim_t vocabulary) {
    double loss = 0;
    for (dnnl_dim_t r = 0; r < rows; r++, scores += vocabulary) {
        double largest = -INFINITY, sum = 0;
        for (dnnl_dim_t i = 0; i < vocabulary; i++) largest = fmax(largest, scores[i]);
        for (dnnl_dim_t i = 0; i < vocabulary; i++) sum += exp(scores[i] - largest);
        loss += largest + log(sum) - scores[targets[r]];
    }
    return loss / (double)rows;
}

static double c_loss(const gpt_t *g, const double *w, const int *inputs, const int *targets) {
    const block_sizes_t *s = &g->s;
    double *x = zeros(s->rows * s->width), *normal = zeros(s->rows * s->width),
           *scores = zeros(s->rows * g->vocabulary);
    const double *embedding = single(g, w, EMBEDDING),
                 *positions = embedding + g->vocabulary * s->width;
    for (dnnl_dim_t r = 0; r < s->rows; r++)
        for (dnnl_dim_t i = 0; i < s->width; i++)
            x[r * s->width + i] =
                    embedding[inputs[r] * s->width + i] + positions[r % s->tokens * s->width + i];
    for (dnnl_dim_t layer = 0; layer < g->layers; layer++) {
        c_attention_part(g, w, layer, x, normal);
        c_gated_part(g, w, layer, x, normal);
    }
    c_norm(normal, x, single(g, w, LAST_NORM), s->rows, s->width, norm_epsilon);
    c_add_product(scores, normal, single(g, w, OUTPUT), s->rows, s->width, g->vocabulary);
    const double loss = c_cross_entropy(scores, targets, s->rows, g->vocabulary);
    free(x);
    free(normal);
    free(scores);
    return loss;
}

/* ---- gradients and update ---- */

static void c_gradients(
        const gpt_t *g, double *w, const int *inputs, const int *targets, double *gradients) {
    for (size_t i = 0; i < g->elements; i++) {
        const double before = w[i];
        w[i] = before + difference;
        const double above = c_loss(g, w, inputs, targets);
        w[i] = before - difference;
        const double below = c_loss(g, w, inputs, targets);
        w[i] = before;
        gradients[i] = (above - below) / (2 * difference);
    }
}

/* ---- comparison ---- */

enum { GRADIENT, WEIGHT, FIRST, SECOND, COMPARED };

typedef struct {
    double *c[COMPARED];                 /* arrays of all parameters */
    double (*error)[COMPARED], greatest; /* of each parameter, over all steps */
    int bad;
} check_t;

static void compare(check_t *check, model_t *m, int which, dnnl_memory_t memory) {
    const gpt_t *g = &m->gpt;
    float *got = net_read(&m->net, memory);
    for (int i = 0; i < g->count; i++) {
        const parameter_t *p = &g->parameter[i];
        const double error = largest_error(got + p->offset, check->c[which] + p->offset, p->count);
        check->error[i][which] = fmax(check->error[i][which], error);
        check->greatest = fmax(check->greatest, error);
        check->bad += !(error <= tolerance);
    }
    free(got);
}

/* Plain C goes on from what the device has, so that no error of a step is in the next one. */
static void take_over(double *to, model_t *m, dnnl_memory_t memory) {
    double *values = net_read_double(&m->net, memory);
    memcpy(to, values, m->gpt.elements * sizeof *to);
    free(values);
}

static void check_step(
        check_t *check, model_t *m, pass_t *pass, int step, const int *inputs, const int *targets) {
    const dnnl_memory_t result[] = {
            m->adam.gradients, m->adam.weights, m->adam.moment1, m->adam.moment2};
    for (int i = WEIGHT; i < COMPARED; i++) take_over(check->c[i], m, result[i]);
    const double loss = pass_gradients(pass, inputs, targets);
    const double expected = c_loss(&m->gpt, check->c[WEIGHT], inputs, targets);
    const double error = fabs(loss - expected) / expected;
    printf("step %d: loss %.6f, in plain C %.6f\n", step, loss, expected);
    check->greatest = fmax(check->greatest, error);
    check->bad += !(error <= tolerance);
    c_gradients(&m->gpt, check->c[WEIGHT], inputs, targets, check->c[GRADIENT]);
    optimizer_run(&m->adam, rate);
    c_adamw(&adamw, step, rate, m->gpt.decayed, m->gpt.elements, check->c[WEIGHT],
            check->c[GRADIENT], check->c[FIRST], check->c[SECOND]);
    for (int i = 0; i < COMPARED; i++) compare(check, m, i, result[i]);
}

static void print_errors(const check_t *check, const gpt_t *g) {
    printf("largest error        gradient  weight   first moment  second moment\n");
    for (int i = 0; i < g->count; i++) {
        const double *e = check->error[i];
        int wrong = 0;
        for (int k = 0; k < COMPARED; k++) wrong |= !(e[k] <= tolerance);
        printf("%-20s %.1e   %.1e  %.1e       %.1e %s\n", g->parameter[i].name, e[GRADIENT],
                e[WEIGHT], e[FIRST], e[SECOND], wrong ? "WRONG" : "");
    }
}

int gpt_check(uint64_t seed) {
    enum { ROWS = 2 * 6, VOCABULARY = 11 };
    gpt_t g = {.layers = 2,
            .vocabulary = VOCABULARY,
            .s = {.batch = 2, .tokens = 6, .heads = 2, .head = 5, .hidden = 13}};
    complete_sizes(&g.s);
    gpt_lay_out(&g);
    float *weights = gpt_random(&g, seed, 0.5f);
    check_t check = {.error = check_alloc(calloc((size_t)g.count, sizeof *check.error))};
    for (int i = 0; i < COMPARED; i++) check.c[i] = zeros((dnnl_dim_t)g.elements);

    model_t m;
    model_open(&m, &g, &adamw, weights);
    pass_t *pass = pass_create(&m, g.s.batch, 1);
    for (int step = 1; step <= STEPS; step++) {
        int inputs[ROWS], targets[ROWS];
        for (uint64_t i = 0; i < ROWS; i++) {
            inputs[i] = (int)random_index(seed + 1000 * (uint64_t)step + i, VOCABULARY);
            targets[i] = (int)random_index(seed + 1000 * (uint64_t)step + 500 + i, VOCABULARY);
        }
        check_step(&check, &m, pass, step, inputs, targets);
    }
    print_errors(&check, &g);
    printf("greatest error %.1e of the largest value; %d beyond %.0e\n", check.greatest, check.bad,
            tolerance);
    pass_destroy(pass);
    model_close(&m);
    for (int i = 0; i < COMPARED; i++) free(check.c[i]);
    free(check.error);
    free(weights);
    return check.bad;
}
