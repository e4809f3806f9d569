/* SPDX-License-Identifier: Apache-2.0 */
/* The chain rule through time, from the last step of the last layer to the first of the first. */
#include <math.h>
#include <stdlib.h>

#include "ref_rnn.h"

static num_t rounded(const ref_rnn_t *r, double v, double error) {
    return (num_t){v, error + r->epsilon * fabs(v)};
}

static num_t add(const ref_rnn_t *r, num_t a, num_t b) {
    return rounded(r, a.v + b.v, a.error + b.error);
}

static num_t mul(const ref_rnn_t *r, num_t a, num_t b) {
    return rounded(r, a.v * b.v, fabs(a.v) * b.error + fabs(b.v) * a.error + a.error * b.error);
}

/* 1 - x */
static num_t rest(const ref_rnn_t *r, num_t x) {
    return rounded(r, 1 - x.v, x.error);
}

static num_t sigmoid_slope(const ref_rnn_t *r, num_t v) {
    return mul(r, v, rest(r, v));
}

static num_t tanh_slope(const ref_rnn_t *r, num_t v) {
    return mul(r, rest(r, v), rounded(r, 1 + v.v, v.error));
}

/* A gradient that is an operand of a product has the precision of the other operand. */
static num_t operand(const ref_rnn_t *r, num_t a) {
    if (r->dt == dnnl_f16) a.error += 0x1p-11 * (fabs(a.v) + a.error) + 0x1p-25;
    if (r->dt == dnnl_bf16) a.error += 0x1p-8 * (fabs(a.v) + a.error);
    return a;
}

/* Adds a b to a sum of at most `most` terms, whose order is not known: each addition may lose a
 * part of the sum of the magnitudes. */
static void gather(const ref_rnn_t *r, num_t *to, num_t a, num_t b, int64_t most) {
    const double v = a.v * b.v;
    to->v += v;
    to->error += fabs(a.v) * b.error + fabs(b.v) * a.error + a.error * b.error +
                 (double)(most + 4) * r->epsilon * fabs(v);
}

/* One cell: what it read, what it computed, and the gradients. */
typedef struct {
    const ref_rnn_t *r;
    int64_t ld, time, n;
    const num_t *x, *h, *c, *new_c, *w, *u, *peephole, *projection, *gate, *grid, *squeezed;
    num_t *dw, *du, *db, *dp, *dr; /* of the weights of this layer and direction */
    num_t *dh, *dc;                /* of the new states; then of the old ones */
    num_t *dx;
    num_t *to_w, *to_u, *direct; /* of W x + b and of U h; of h besides that */
} cell_t;

static void backward_rnn(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    for (int64_t o = 0; o < r->dhc; o++) {
        const num_t h = k->gate[o], dh = k->dh[o];
        k->to_w[o] = r->activation == dnnl_eltwise_tanh       ? mul(r, dh, tanh_slope(r, h))
                     : r->activation == dnnl_eltwise_logistic ? mul(r, dh, sigmoid_slope(r, h))
                     : h.v > 0                                ? dh
                                                              : mul(r, dh, (num_t){r->alpha, 0});
        /* Rounding decides on which side of the kink it is. */
        if (r->activation == dnnl_eltwise_relu && fabs(h.v) <= h.error)
            k->to_w[o].error += fabs(dh.v) * fabs(1 - r->alpha);
        k->to_u[o] = k->to_w[o];
    }
}

/* The gradient of o tanh(c), from that of its projection. */
static num_t before_projection(const cell_t *k, int64_t o) {
    const ref_rnn_t *r = k->r;
    num_t sum = {0, 0};
    if (!r->has_projection) return k->dh[o];
    for (int64_t j = 0; j < r->dic; j++) {
        const num_t dh = operand(r, k->dh[j]);
        gather(r, &sum, dh, k->projection[o * r->dic + j], r->dic);
        gather(r, &k->dr[o * r->dic + j], k->squeezed[o], dh, r->t * r->n);
    }
    return sum;
}

static void backward_lstm(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    const int64_t w = r->dhc, rows = r->t * r->n;
    for (int64_t o = 0; o < w; o++) {
        const num_t i = k->gate[o], f = k->gate[w + o], g = k->gate[2 * w + o],
                    out = k->gate[3 * w + o], *p = k->peephole + o, dh = before_projection(k, o),
                    t = ref_eltwise(r->epsilon, dnnl_eltwise_tanh, k->new_c[o], 0, 0);
        num_t dc = add(r, k->dc[o], mul(r, mul(r, out, dh), tanh_slope(r, t)));
        const num_t d_out = mul(r, mul(r, t, dh), sigmoid_slope(r, out));
        if (r->has_peephole) dc = add(r, dc, mul(r, d_out, p[2 * w]));
        const num_t di = mul(r, mul(r, g, dc), sigmoid_slope(r, i)),
                    df = mul(r, mul(r, k->c[o], dc), sigmoid_slope(r, f)),
                    dg = mul(r, mul(r, i, dc), tanh_slope(r, g));
        k->dc[o] = mul(r, f, dc);
        const num_t all[] = {di, df, dg, d_out};
        for (int a = 0; a < 4; a++) k->to_w[a * w + o] = k->to_u[a * w + o] = all[a];
        if (!r->has_peephole) continue;
        k->dc[o] = add(r, k->dc[o], add(r, mul(r, di, p[0]), mul(r, df, p[w])));
        gather(r, &k->dp[o], di, k->c[o], rows);
        gather(r, &k->dp[w + o], df, k->c[o], rows);
        gather(r, &k->dp[2 * w + o], d_out, k->new_c[o], rows);
    }
}

/* The gradient of r h, which the candidate of a GRU without LBR multiplies by U; and the gradient
 * of that part of U. */
static void through_reset(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    const int64_t w = r->dhc;
    for (int64_t i = 0; i < w; i++) {
        num_t q = {0, 0}, reset = k->gate[w + i], rh = operand(r, mul(r, reset, k->h[i]));
        for (int64_t o = 0; o < w; o++) {
            const num_t dg = operand(r, k->to_w[2 * w + o]);
            gather(r, &q, dg, k->u[(i * 3 + 2) * w + o], w);
            gather(r, &k->du[(i * 3 + 2) * w + o], rh, dg, r->t * r->n);
        }
        k->to_w[w + i] = mul(r, mul(r, q, k->h[i]), sigmoid_slope(r, reset));
        k->to_u[w + i] = k->to_w[w + i];
        k->direct[i] = add(r, k->direct[i], mul(r, q, reset));
    }
}

static void backward_gru(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    const int64_t w = r->dhc;
    const bool lbr = r->cell == dnnl_lbr_gru || r->cell == dnnl_lbr_augru;
    const bool augru = r->cell == dnnl_vanilla_augru || r->cell == dnnl_lbr_augru;
    const num_t less = augru ? rest(r, r->attention[k->time * r->n + k->n]) : (num_t){1, 0};
    for (int64_t o = 0; o < w; o++) {
        const num_t u = k->gate[o], reset = k->gate[w + o], g = k->gate[2 * w + o], dh = k->dh[o],
                    keep = augru ? mul(r, less, u) : u, minus = {-g.v, g.error};
        const num_t dg = mul(r, mul(r, rest(r, keep), dh), tanh_slope(r, g)),
                    dkeep = mul(r, add(r, k->h[o], minus), dh), negative = {-u.v, u.error};
        if (augru) gather(r, &r->dattention[k->time * r->n + k->n], dkeep, negative, w);
        k->to_w[o] = mul(r, mul(r, less, dkeep), sigmoid_slope(r, u));
        k->to_w[2 * w + o] = k->to_u[2 * w + o] = dg;
        k->direct[o] = mul(r, keep, dh);
        k->to_u[o] = k->to_w[o];
        if (!lbr) continue;
        k->to_w[w + o] = mul(r, mul(r, k->grid[o], dg), sigmoid_slope(r, reset));
        k->to_u[w + o] = k->to_w[w + o];
        k->to_u[2 * w + o] = mul(r, reset, dg);
        gather(r, &k->db[3 * w + o], k->to_u[2 * w + o], (num_t){1, 0}, r->t * r->n);
    }
    if (!lbr) through_reset(k);
}

/* Gate g from o: of the weights, the bias, and what they multiply. gates: of U. */
static void through_products(const cell_t *k, int64_t gates) {
    const ref_rnn_t *r = k->r;
    const int64_t w = r->dhc, rows = r->t * r->n, terms = r->g * w;
    for (int64_t g = 0; g < r->g; g++)
        for (int64_t o = 0; o < w; o++) {
            const num_t to_w = operand(r, k->to_w[g * w + o]),
                        to_u = operand(r, k->to_u[g * w + o]);
            gather(r, &k->db[g * w + o], to_w, (num_t){1, 0}, rows);
            for (int64_t i = 0; i < r->slc; i++) {
                const int64_t at = (i * r->g + g) * w + o;
                gather(r, &k->dx[i], to_w, k->w[at], terms);
                gather(r, &k->dw[at], to_w, k->x[i], rows);
            }
            for (int64_t i = 0; g < gates && i < r->sic; i++) {
                const int64_t at = (i * r->g + g) * w + o;
                gather(r, &k->direct[i], to_u, k->u[at], terms);
                gather(r, &k->du[at], to_u, k->h[i], rows);
            }
        }
}

static void backward_cell(const cell_t *k) {
    const ref_rnn_t *r = k->r;
    const bool is_gru = r->cell == dnnl_vanilla_gru || r->cell == dnnl_vanilla_augru;
    for (int64_t i = 0; i < r->pitch; i++) k->direct[i] = (num_t){0, 0};
    if (r->cell == dnnl_vanilla_rnn) backward_rnn(k);
    else if (r->cell == dnnl_vanilla_lstm) backward_lstm(k);
    else backward_gru(k);
    through_products(k, is_gru ? 2 : r->g);
    for (int64_t i = 0; i < r->pitch; i++) k->dh[i] = k->direct[i];
}

/* The gradients of the input of the layer above (from) and of this one (to): T N SLC, in the order
 * of the steps of a direction. And those of one cell. */
typedef struct {
    num_t *from, *to, *to_w, *to_u, *direct;
} work_t;

static cell_t cell_at(
        const ref_rnn_t *r, const work_t *work, int64_t l, int64_t d, int64_t s, int64_t n) {
    const int64_t ld = l * r->d + d, time = ref_rnn_time(r, d, s), w = r->dhc;
    const int64_t row = (ld * r->t + s) * r->n + n, at = (ld * (r->t + 1) + s) * r->n + n;
    const int64_t below = ((ld - r->d) * (r->t + 1) + s + 1) * r->n + n;
    return (cell_t){.r = r,
            .ld = ld,
            .time = time,
            .n = n,
            .x = l ? r->h + below * r->pitch : r->x + (time * r->n + n) * r->slc,
            .h = r->h + at * r->pitch,
            .c = r->c + at * w,
            .new_c = r->c + (at + r->n) * w,
            .w = r->w + ld * r->slc * r->g * w,
            .u = r->u + ld * r->sic * r->g * w,
            .peephole = r->peephole + ld * 3 * w,
            .projection = r->projection + ld * w * r->dic,
            .gate = r->gate + row * r->g * w,
            .grid = r->grid + row * w,
            .squeezed = r->squeezed + row * w,
            .dw = r->dw + ld * r->slc * r->g * w,
            .du = r->du + ld * r->sic * r->g * w,
            .db = r->dbias + ld * r->b * w,
            .dp = r->dpeephole + ld * 3 * w,
            .dr = r->dprojection + ld * w * r->dic,
            .dh = r->dh + (ld * r->n + n) * r->pitch,
            .dc = r->dc + (ld * r->n + n) * w,
            .dx = work->to + (s * r->n + n) * r->slc,
            .to_w = work->to_w,
            .to_u = work->to_u,
            .direct = work->direct};
}

/* Adds what comes from above to the gradient of the new state: of dst_layer, or of the layer that
 * follows. */
static void from_above(const cell_t *k, const work_t *work, int64_t l, int64_t d, int64_t s) {
    const ref_rnn_t *r = k->r;
    const int64_t half = r->direction == dnnl_bidirectional_concat ? d * r->dic : 0;
    for (int64_t j = 0; j < r->dic; j++) {
        const num_t above = l == r->l - 1 ? r->dy[(k->time * r->n + k->n) * r->dlc + half + j]
                                          : work->from[(s * r->n + k->n) * r->slc + j];
        k->dh[j] = add(r, k->dh[j], above);
    }
}

/* One layer and direction, from the last step to the first. */
static void backward_steps(const ref_rnn_t *r, const work_t *work, int64_t l, int64_t d) {
    for (int64_t i = 0; i < r->t * r->n * r->slc; i++) work->to[i] = (num_t){0, 0};
    for (int64_t s = r->t - 1; s >= 0; s--)
        for (int64_t n = 0; n < r->n; n++) {
            const cell_t k = cell_at(r, work, l, d, s, n);
            from_above(&k, work, l, d, s);
            backward_cell(&k);
        }
}

void ref_rnn_backward(ref_rnn_t *r) {
    const size_t rows = (size_t)(r->t * r->n * r->slc) + 1, gates = (size_t)(r->g * r->dhc);
    work_t work = {calloc(rows, sizeof(num_t)), calloc(rows, sizeof(num_t)),
            calloc(gates, sizeof(num_t)), calloc(gates, sizeof(num_t)),
            calloc((size_t)r->pitch, sizeof(num_t))};
    for (int64_t d = 0; d < r->d; d++) {
        for (int64_t l = r->l - 1; l >= 0; l--) {
            backward_steps(r, &work, l, d);
            num_t *const swap = work.from;
            work.from = work.to;
            work.to = swap;
        }
        for (int64_t s = 0; s < r->t; s++)
            for (int64_t i = 0; i < r->n * r->slc; i++) {
                num_t *to = &r->dx[ref_rnn_time(r, d, s) * r->n * r->slc + i];
                *to = add(r, *to, work.from[s * r->n * r->slc + i]);
            }
    }
    num_t *const all[] = {work.from, work.to, work.to_w, work.to_u, work.direct};
    for (int i = 0; i < 5; i++) free(all[i]);
}
