/* SPDX-License-Identifier: Apache-2.0 */
/* The forward pass: one cell after the other, layer by layer. */
#include "ref_rnn.h"

#include <math.h>
#include <stdlib.h>

/* ---- arithmetic ---- */

static num_t exact(double v) {
    return (num_t){v, 0};
}

static num_t rounded(const ref_rnn_t *r, double v, double error) {
    return (num_t){v, error + r->epsilon * fabs(v)};
}

static num_t add(const ref_rnn_t *r, num_t a, num_t b) {
    return rounded(r, a.v + b.v, a.error + b.error);
}

static num_t sub(const ref_rnn_t *r, num_t a, num_t b) {
    return rounded(r, a.v - b.v, a.error + b.error);
}

static num_t mul(const ref_rnn_t *r, num_t a, num_t b) {
    return rounded(r, a.v * b.v, fabs(a.v) * b.error + fabs(b.v) * a.error + a.error * b.error);
}

/* A sum whose order is not known: each addition may lose a part of the sum of the magnitudes. */
typedef struct {
    double v, error, magnitude;
    int64_t n;
} sum_t;

static void plus(sum_t *s, num_t a, num_t b) {
    s->v += a.v * b.v;
    s->error += fabs(a.v) * b.error + fabs(b.v) * a.error + a.error * b.error;
    s->magnitude += fabs(a.v * b.v);
    s->n++;
}

static num_t total(const ref_rnn_t *r, const sum_t *s) {
    return (num_t){s->v, s->error + (double)(s->n + 2) * r->epsilon * s->magnitude};
}

static num_t apply(const ref_rnn_t *r, dnnl_alg_kind_t alg, num_t x) {
    return ref_eltwise(r->epsilon, alg, x, r->alpha, 0);
}

static double stored(const ref_rnn_t *r, double v) {
    if (r->dt == dnnl_u8 || r->dt == dnnl_s8)
        return (ref_round(r->dt, v * r->scale + r->shift) - r->shift) / r->scale;
    return v;
}

/* A state as the next step and layer see it. A float of 16 bits may be rounded to either side; an
 * integer is that of the exact value, unless the error reaches the next one. */
static num_t store(const ref_rnn_t *r, num_t a) {
    if (r->dt == dnnl_u8 || r->dt == dnnl_s8) {
        const double slack = a.error + 4 * r->epsilon * (fabs(a.v) + fabs(r->shift / r->scale));
        const double v = stored(r, a.v), up = stored(r, a.v + slack), down = stored(r, a.v - slack);
        return (num_t){v, fmax(fabs(up - v), fabs(down - v))};
    }
    if (r->dt == dnnl_f16) a.error += 0x1p-11 * (fabs(a.v) + a.error) + 0x1p-25;
    if (r->dt == dnnl_bf16) a.error += 0x1p-8 * (fabs(a.v) + a.error);
    return a;
}

/* ---- arrays ---- */

static num_t *zeros(int64_t n) {
    return calloc((size_t)(n > 0 ? n : 1), sizeof(num_t));
}

void ref_rnn_open(ref_rnn_t *r) {
    const int64_t ld = r->l * r->d, rows = r->t * r->n, all = ld * rows;
    r->x = zeros(rows * r->slc);
    r->h = zeros(ld * (r->t + 1) * r->n * r->pitch);
    r->c = zeros(ld * (r->t + 1) * r->n * r->dhc);
    r->attention = zeros(rows);
    r->w = zeros(ld * r->slc * r->g * r->dhc);
    r->u = zeros(ld * r->sic * r->g * r->dhc);
    r->peephole = zeros(ld * 3 * r->dhc);
    r->projection = zeros(ld * r->dhc * r->dic);
    r->bias = zeros(ld * r->b * r->dhc);
    r->y = zeros(rows * r->dlc);
    r->gate = zeros(all * r->g * r->dhc);
    r->grid = zeros(all * r->dhc);
    r->squeezed = zeros(all * r->dhc);
    r->dy = zeros(rows * r->dlc);
    r->dh = zeros(ld * r->n * r->pitch);
    r->dc = zeros(ld * r->n * r->dhc);
    r->dx = zeros(rows * r->slc);
    r->dattention = zeros(rows);
    r->dw = zeros(ld * r->slc * r->g * r->dhc);
    r->du = zeros(ld * r->sic * r->g * r->dhc);
    r->dpeephole = zeros(ld * 3 * r->dhc);
    r->dprojection = zeros(ld * r->dhc * r->dic);
    r->dbias = zeros(ld * r->b * r->dhc);
}

void ref_rnn_close(ref_rnn_t *r) {
    num_t *const all[] = {r->x, r->h, r->c, r->attention, r->w, r->u, r->peephole, r->projection,
            r->bias, r->y, r->gate, r->grid, r->squeezed, r->dy, r->dh, r->dc, r->dx, r->dattention,
            r->dw, r->du, r->dpeephole, r->dprojection, r->dbias};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) free(all[i]);
}

int64_t ref_rnn_time(const ref_rnn_t *r, int64_t d, int64_t s) {
    const bool reversed = d == 1 || r->direction == dnnl_unidirectional_right2left;
    return reversed ? r->t - 1 - s : s;
}

/* Where a cell reads and writes: layer, direction, step, element of the batch. */
typedef struct {
    const ref_rnn_t *r;
    int64_t l, d, s, n, time;
    int64_t in; /* width of x */
    const num_t *x, *h, *c, *w, *u, *bias, *peephole, *projection, *attention;
    num_t *gate, *grid, *squeezed, *new_h, *new_c;
} cell_t;

static num_t *state(
        const ref_rnn_t *r, num_t *of, int64_t width, int64_t ld, int64_t s, int64_t n) {
    return of + ((ld * (r->t + 1) + s) * r->n + n) * width;
}

static cell_t cell_at(ref_rnn_t *r, int64_t l, int64_t d, int64_t s, int64_t n) {
    const int64_t ld = l * r->d + d, time = ref_rnn_time(r, d, s);
    const int64_t row = (ld * r->t + s) * r->n + n;
    return (cell_t){.r = r,
            .l = l,
            .d = d,
            .s = s,
            .n = n,
            .time = time,
            .in = r->slc,
            .x = l ? state(r, r->h, r->pitch, ld - r->d, s + 1, n)
                   : r->x + (time * r->n + n) * r->slc,
            .h = state(r, r->h, r->pitch, ld, s, n),
            .c = state(r, r->c, r->dhc, ld, s, n),
            .w = r->w + ld * r->slc * r->g * r->dhc,
            .u = r->u + ld * r->sic * r->g * r->dhc,
            .bias = r->bias + ld * r->b * r->dhc,
            .peephole = r->peephole + ld * 3 * r->dhc,
            .projection = r->projection + ld * r->dhc * r->dic,
            .attention = r->attention + time * r->n + n,
            .gate = r->gate + row * r->g * r->dhc,
            .grid = r->grid + row * r->dhc,
            .squeezed = r->squeezed + row * r->dhc,
            .new_h = state(r, r->h, r->pitch, ld, s + 1, n),
            .new_c = state(r, r->c, r->dhc, ld, s + 1, n)};
}

/* ---- forward ---- */

static bool is_lbr(const ref_rnn_t *r) {
    return r->cell == dnnl_lbr_gru || r->cell == dnnl_lbr_augru;
}

static bool is_augru(const ref_rnn_t *r) {
    return r->cell == dnnl_vanilla_augru || r->cell == dnnl_lbr_augru;
}

static void product(const ref_rnn_t *r, sum_t *s, const num_t *in, int64_t n, const num_t *w,
        int64_t g, int64_t o) {
    for (int64_t i = 0; i < n; i++) plus(s, in[i], w[(i * r->g + g) * r->dhc + o]);
}

/* W x + U h + b of gate g, without U h if h is NULL. */
static num_t linear(const cell_t *k, const num_t *h, int64_t g, int64_t o) {
    sum_t s = {0};
    product(k->r, &s, k->x, k->in, k->w, g, o);
    if (h) product(k->r, &s, h, k->r->sic, k->u, g, o);
    plus(&s, exact(1), k->bias[g * k->r->dhc + o]);
    return total(k->r, &s);
}

static void forward_rnn(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    for (int64_t o = 0; o < r->dhc; o++) {
        k->gate[o] = apply(r, r->activation, linear(k, k->h, 0, o));
        k->new_h[o] = store(r, k->gate[o]);
    }
}

static num_t with_peephole(const cell_t *k, num_t x, int64_t which, int64_t o, num_t c) {
    return k->r->has_peephole ? add(k->r, x, mul(k->r, k->peephole[which * k->r->dhc + o], c)) : x;
}

static void forward_lstm(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    const int64_t w = r->dhc;
    for (int64_t o = 0; o < w; o++) {
        num_t *i = &k->gate[o], *f = i + w, *c = f + w, *out = c + w;
        const dnnl_alg_kind_t sigmoid = dnnl_eltwise_logistic;
        *i = apply(r, sigmoid, with_peephole(k, linear(k, k->h, 0, o), 0, o, k->c[o]));
        *f = apply(r, sigmoid, with_peephole(k, linear(k, k->h, 1, o), 1, o, k->c[o]));
        *c = apply(r, dnnl_eltwise_tanh, linear(k, k->h, 2, o));
        k->new_c[o] = add(r, mul(r, *f, k->c[o]), mul(r, *i, *c));
        *out = apply(r, sigmoid, with_peephole(k, linear(k, k->h, 3, o), 2, o, k->new_c[o]));
        k->squeezed[o] = mul(r, *out, apply(r, dnnl_eltwise_tanh, k->new_c[o]));
        if (!r->has_projection) k->new_h[o] = store(r, k->squeezed[o]);
        else k->squeezed[o] = store(r, k->squeezed[o]);
    }
    for (int64_t j = 0; r->has_projection && j < r->dic; j++) {
        sum_t s = {0};
        for (int64_t o = 0; o < w; o++) plus(&s, k->squeezed[o], k->projection[o * r->dic + j]);
        k->new_h[j] = store(r, total(r, &s));
    }
}

/* What h keeps of itself: the update gate, less if attention is paid. */
static num_t keep_of(const cell_t *k, num_t u) {
    return is_augru(k->r) ? mul(k->r, sub(k->r, exact(1), *k->attention), u) : u;
}

static void forward_gru(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    const int64_t w = r->dhc;
    num_t *reset = zeros(w);
    for (int64_t o = 0; o < w; o++) {
        k->gate[o] = apply(r, dnnl_eltwise_logistic, linear(k, k->h, 0, o));
        k->gate[w + o] = apply(r, dnnl_eltwise_logistic, linear(k, k->h, 1, o));
        reset[o] = store(r, mul(r, k->gate[w + o], k->h[o]));
    }
    for (int64_t o = 0; o < w; o++) {
        num_t x = linear(k, is_lbr(r) ? NULL : reset, 2, o);
        if (is_lbr(r)) {
            sum_t s = {0};
            product(r, &s, k->h, r->sic, k->u, 2, o);
            plus(&s, exact(1), k->bias[3 * w + o]);
            k->grid[o] = total(r, &s);
            x = add(r, x, mul(r, k->gate[w + o], k->grid[o]));
        }
        const num_t u = keep_of(k, k->gate[o]);
        k->gate[2 * w + o] = apply(r, dnnl_eltwise_tanh, x);
        k->new_h[o] = store(
                r, add(r, mul(r, u, k->h[o]), mul(r, sub(r, exact(1), u), k->gate[2 * w + o])));
    }
    free(reset);
}

static void forward_cell(const cell_t *k) {
    if (k->r->cell == dnnl_vanilla_rnn) forward_rnn(k);
    else if (k->r->cell == dnnl_vanilla_lstm) forward_lstm(k);
    else forward_gru(k);
}

double ref_rnn_result_shift(const ref_rnn_t *r) {
    return r->direction == dnnl_bidirectional_sum ? 2 * r->shift : r->shift;
}

/* Integers are added as they are, with the shifts of both, and saturated. */
static num_t sum_of(const ref_rnn_t *r, num_t a, num_t b) {
    const double shift = 2 * r->shift, low = r->dt == dnnl_u8 ? 0 : -128,
                 high = r->dt == dnnl_u8 ? 255 : 127;
    if (r->dt != dnnl_u8 && r->dt != dnnl_s8) return add(r, a, b);
    const double q = (a.v + b.v) * r->scale + shift;
    return (num_t){(fmin(fmax(q, low), high) - shift) / r->scale, a.error + b.error};
}

/* The results of both directions side by side, or their sum: direction 0 comes first. */
static void join(ref_rnn_t *r, int64_t d, int64_t s, int64_t n) {
    const bool concat = r->direction == dnnl_bidirectional_concat;
    const num_t *h = state(r, r->h, r->pitch, (r->l - 1) * r->d + d, s + 1, n);
    num_t *y = r->y + (ref_rnn_time(r, d, s) * r->n + n) * r->dlc + (concat ? d * r->dic : 0);
    for (int64_t j = 0; j < r->dic; j++) y[j] = d > 0 && !concat ? sum_of(r, y[j], h[j]) : h[j];
}

void ref_rnn_forward(ref_rnn_t *r) {
    for (int64_t l = 0; l < r->l; l++)
        for (int64_t d = 0; d < r->d; d++)
            for (int64_t s = 0; s < r->t; s++)
                for (int64_t n = 0; n < r->n; n++) {
                    const cell_t k = cell_at(r, l, d, s, n);
                    forward_cell(&k);
                }
    for (int64_t d = 0; d < r->d; d++)
        for (int64_t s = 0; s < r->t; s++)
            for (int64_t n = 0; n < r->n; n++) join(r, d, s, n);
}
