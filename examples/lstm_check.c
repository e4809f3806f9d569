/* SPDX-License-Identifier: Apache-2.0 */
/* lstm_text in plain C, in double precision. The forward alone is written down: its gradients are
 * central differences, so that no term of backward can be wrong in the same way twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lstm.h"

/* Steps of the check: the second one has states and moments other than zero. */
enum { STEPS = 3 };

/* The tiny model. */
enum { VOCABULARY = 7, WIDTH = 5, CONTEXT = 4, BATCH = 2, ROWS = CONTEXT * BATCH };

/* What f32 costs: a value is rounded by up to 2^-24, 6e-8 of itself, and a gradient goes through
 * four steps of time: 1e-6 of the largest value of a tensor. A term that is missing or wrong is
 * 1e-3 or more. */
static const double tolerance = 2e-5;

/* Half a step of a weight's quantization, 1/254 of the largest of its column, and half a step of
 * the state's: errors of the logarithms, which are about 2, are below 0.02. A wrong scale or shift
 * is many times that. */
static const double tolerance_int8 = 0.04;

/* A weight is moved by this much: the error of the differences is its square, and what is left of
 * the 16 digits of the loss is 11. */
static const double difference = 1e-5;

static const double rate = 0.01;
/* epsilon is of the size of the gradients, so that weights depend on more than their signs. */
static const adamw_t adamw = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3, .decay = 0.1};

/* ---- forward ---- */

static double *zeros(size_t count) {
    return check_alloc(calloc(count, sizeof(double)));
}

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* One sequence: its state and cell state. */
typedef struct {
    double h[WIDTH], c[WIDTH];
} sequence_t;

static void c_step(const lstm_t *l, const double *w, int character, sequence_t *q) {
    const double *characters = w + l->parameter[CHARACTERS].offset,
                 *state = w + l->parameter[STATE].offset, *bias = w + l->parameter[BIAS].offset;
    double gate[GATES * WIDTH];
    for (int g = 0; g < GATES * WIDTH; g++) {
        gate[g] = bias[g] + characters[character * GATES * WIDTH + g];
        for (int i = 0; i < WIDTH; i++) gate[g] += q->h[i] * state[i * GATES * WIDTH + g];
    }
    for (int i = 0; i < WIDTH; i++) {
        const double in = logistic(gate[i]), forget = logistic(gate[WIDTH + i]),
                     candidate = tanh(gate[2 * WIDTH + i]), out = logistic(gate[3 * WIDTH + i]);
        q->c[i] = forget * q->c[i] + in * candidate;
        q->h[i] = out * tanh(q->c[i]);
    }
}

/* Logarithms of the probabilities of the next character. */
static void c_log_shares(const lstm_t *l, const double *w, const sequence_t *q, double *scores) {
    const double *output = w + l->parameter[OUTPUT].offset;
    double largest = -INFINITY, sum = 0;
    memcpy(scores, w + l->parameter[OUTPUT_BIAS].offset, VOCABULARY * sizeof *scores);
    for (int v = 0; v < VOCABULARY; v++) {
        for (int i = 0; i < WIDTH; i++) scores[v] += q->h[i] * output[i * VOCABULARY + v];
        largest = fmax(largest, scores[v]);
    }
    for (int v = 0; v < VOCABULARY; v++) sum += exp(scores[v] - largest);
    for (int v = 0; v < VOCABULARY; v++) scores[v] -= largest + log(sum);
}

/* The sequences go on by CONTEXT characters. log_shares: ROWS x VOCABULARY, or NULL. */
static double c_loss(const lstm_t *l, const double *w, sequence_t *q, const int *inputs,
        const int *targets, double *log_shares) {
    double loss = 0, row[VOCABULARY];
    for (int r = 0; r < ROWS; r++) {
        double *scores = log_shares ? log_shares + (size_t)r * VOCABULARY : row;
        c_step(l, w, inputs[r], &q[r % BATCH]);
        c_log_shares(l, w, &q[r % BATCH], scores);
        loss -= scores[targets[r]];
    }
    return loss / ROWS;
}

/* ---- gradients and update ---- */

static double moved_loss(const lstm_t *l, double *w, size_t i, double by, const sequence_t *q,
        const int *inputs, const int *targets) {
    sequence_t copy[BATCH];
    const double before = w[i];
    memcpy(copy, q, sizeof copy);
    w[i] += by;
    const double loss = c_loss(l, w, copy, inputs, targets, NULL);
    w[i] = before;
    return loss;
}

/* The states before the first step are constants. */
static void c_gradients(const lstm_t *l, double *w, const sequence_t *q, const int *inputs,
        const int *targets, double *gradients) {
    for (size_t i = 0; i < l->elements; i++)
        gradients[i] = (moved_loss(l, w, i, difference, q, inputs, targets) -
                               moved_loss(l, w, i, -difference, q, inputs, targets)) /
                       (2 * difference);
}

/* ---- comparison ---- */

enum { GRADIENT, WEIGHT, FIRST, SECOND, COMPARED };

typedef struct {
    double *c[COMPARED]; /* arrays of all parameters */
    double error[PARAMETERS][COMPARED], greatest;
    sequence_t sequence[BATCH];
    int inputs[ROWS], targets[ROWS], bad;
} check_t;

static void judge(check_t *check, double error, double most) {
    check->greatest = fmax(check->greatest, error);
    check->bad += !(error <= most);
}

/* The largest difference, relative to the largest value. */
static double error_of(const float *got, const double *expected, size_t count) {
    double error = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double e = fabs((double)got[i] - expected[i]);
        error = e <= error ? error : e; /* NaN stays */
        largest = fmax(largest, fabs(expected[i]));
    }
    return largest > 0 ? error / largest : error;
}

static void compare(check_t *check, model_t *m, int which, dnnl_memory_t memory) {
    float *got = net_read(&m->net, memory);
    for (int i = 0; i < PARAMETERS; i++) {
        const parameter_t *p = &m->lstm.parameter[i];
        const double error = error_of(got + p->offset, check->c[which] + p->offset, p->count);
        check->error[i][which] = fmax(check->error[i][which], error);
        judge(check, error, tolerance);
    }
    free(got);
}

/* Plain C goes on from what the device has, so that no error of a step is in the next one. Its
 * states are its own. */
static void take_over(double *to, model_t *m, dnnl_memory_t memory) {
    double *values = net_read_double(&m->net, memory);
    memcpy(to, values, m->lstm.elements * sizeof *to);
    free(values);
}

static void draw(check_t *check, uint64_t seed) {
    for (uint64_t i = 0; i < ROWS; i++) {
        check->inputs[i] = (int)random_index(seed + i, VOCABULARY);
        check->targets[i] = (int)random_index(seed + ROWS + i, VOCABULARY);
    }
}

static void check_step(check_t *check, model_t *m, pass_t *pass, int step) {
    const lstm_t *l = &m->lstm;
    const dnnl_memory_t result[] = {
            m->adam.gradients, m->adam.weights, m->adam.moment1, m->adam.moment2};
    for (int i = WEIGHT; i < COMPARED; i++) take_over(check->c[i], m, result[i]);
    c_gradients(l, check->c[WEIGHT], check->sequence, check->inputs, check->targets,
            check->c[GRADIENT]);
    const double loss = pass_run(pass, check->inputs, check->targets);
    const double expected =
            c_loss(l, check->c[WEIGHT], check->sequence, check->inputs, check->targets, NULL);
    printf("step %d: loss %.6f, in plain C %.6f\n", step, loss, expected);
    judge(check, fabs(loss - expected) / expected, tolerance);
    optimizer_run(&m->adam, rate);
    c_adamw(&adamw, step, rate, l->decayed, l->elements, check->c[WEIGHT], check->c[GRADIENT],
            check->c[FIRST], check->c[SECOND]);
    for (int i = 0; i < COMPARED; i++) compare(check, m, i, result[i]);
}

/* Two passes in int8, of which the second one begins with the states of the first. */
static void check_int8(check_t *check, model_t *m) {
    double *w = net_read_double(&m->net, m->adam.weights), error = 0;
    pass_t *pass = pass_create(m, READS_INT8, CONTEXT, BATCH);
    memset(check->sequence, 0, sizeof check->sequence);
    for (int step = 0; step < 2; step++) {
        double expected[ROWS * VOCABULARY];
        pass_run(pass, check->inputs, check->targets);
        c_loss(&m->lstm, w, check->sequence, check->inputs, check->targets, expected);
        for (int i = 0; i < ROWS * VOCABULARY; i++) {
            const double e = fabs((double)pass_log_shares(pass, 0)[i] - expected[i]);
            error = e <= error ? error : e;
        }
    }
    printf("int8: error of the logarithms up to %.4f\n", error);
    check->bad += !(error <= tolerance_int8);
    pass_destroy(pass);
    free(w);
}

static void print_errors(const check_t *check, const lstm_t *l) {
    printf("largest error        gradient  weight   first moment  second moment\n");
    for (int i = 0; i < PARAMETERS; i++) {
        const double *e = check->error[i];
        int wrong = 0;
        for (int k = 0; k < COMPARED; k++) wrong |= !(e[k] <= tolerance);
        printf("%-20s %.1e   %.1e  %.1e       %.1e %s\n", l->parameter[i].name, e[GRADIENT],
                e[WEIGHT], e[FIRST], e[SECOND], wrong ? "WRONG" : "");
    }
}

int lstm_check(uint64_t seed) {
    const lstm_t l = lstm_lay_out(VOCABULARY, WIDTH);
    check_t check = {0};
    model_t m;
    float *weights = lstm_random(&l, seed);
    for (int i = 0; i < COMPARED; i++) check.c[i] = zeros(l.elements);
    model_open(&m, &l, &adamw, weights);
    pass_t *pass = pass_create(&m, TRAINS, CONTEXT, BATCH);
    for (int step = 1; step <= STEPS; step++) {
        draw(&check, seed + 1000 * (uint64_t)step);
        check_step(&check, &m, pass, step);
    }
    print_errors(&check, &l);
    check_int8(&check, &m);
    printf("greatest error %.1e of the largest value; %d beyond %.0e\n", check.greatest, check.bad,
            tolerance);
    pass_destroy(pass);
    model_close(&m);
    for (int i = 0; i < COMPARED; i++) free(check.c[i]);
    free(weights);
    return check.bad;
}
