/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder layer in plain C, for all tokens at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"
#include "transformer.h"

static double *zeros(dnnl_dim_t rows, dnnl_dim_t columns) {
    return check_alloc(calloc((size_t)(rows * columns), sizeof(double)));
}

static double *product(const llm_t *llm, int which, const double *x, dnnl_dim_t rows) {
    const matrix_t *m = &llm->matrices[which];
    double *y = zeros(rows, m->out);
    c_add_product(y, x, m->values, rows, m->in, m->out);
    return y;
}

static double *norm(const llm_t *llm, int which, const double *x, dnnl_dim_t rows) {
    double *y = zeros(rows, llm->s.width);
    c_norm(y, x, llm->norm_values[which], rows, llm->s.width, (double)llm_epsilon);
    return y;
}

/* Turns the pair of elements i and i + size / 2 of each head by an angle that grows with the
 * token and falls with i. */
static void rotate(double *x, dnnl_dim_t tokens, dnnl_dim_t heads, dnnl_dim_t size) {
    const dnnl_dim_t half = size / 2;
    for (dnnl_dim_t t = 0; t < tokens; t++)
        for (dnnl_dim_t h = 0; h < heads; h++, x += size)
            for (dnnl_dim_t i = 0; i < half; i++) {
                const double angle = (double)t * pow(10000, -(double)i / (double)half);
                const double a = x[i], b = x[i + half];
                x[i] = a * cos(angle) - b * sin(angle);
                x[i + half] = b * cos(angle) + a * sin(angle);
            }
}

/* One token and head: `k` and `v` are the first token's. */
static void attend(const llm_sizes_t *s, const double *q, const double *k, const double *v,
        dnnl_dim_t token, double *shares, double *out) {
    const dnnl_dim_t row = s->key_heads * s->size;
    double top = -INFINITY, sum = 0;
    for (dnnl_dim_t j = 0; j <= token; j++) {
        shares[j] = 0;
        for (dnnl_dim_t e = 0; e < s->size; e++) shares[j] += q[e] * k[j * row + e];
        shares[j] /= sqrt((double)s->size);
        top = fmax(top, shares[j]);
    }
    for (dnnl_dim_t j = 0; j <= token; j++) sum += shares[j] = exp(shares[j] - top);
    for (dnnl_dim_t j = 0; j <= token; j++)
        for (dnnl_dim_t e = 0; e < s->size; e++) out[e] += shares[j] / sum * v[j * row + e];
}

static double *attention(
        const llm_sizes_t *s, dnnl_dim_t rows, const double *q, const double *k, const double *v) {
    double *shares = zeros(rows, 1), *out = zeros(rows, s->heads * s->size);
    for (dnnl_dim_t t = 0; t < rows; t++)
        for (dnnl_dim_t h = 0; h < s->heads; h++) {
            const dnnl_dim_t at = (t * s->heads + h) * s->size;
            const dnnl_dim_t from = h / (s->heads / s->key_heads) * s->size;
            attend(s, q + at, k + from, v + from, t, shares, out + at);
        }
    free(shares);
    return out;
}

static double *attended(const llm_t *llm, dnnl_dim_t rows) {
    const llm_sizes_t *s = &llm->s;
    double *x = norm(llm, 0, llm->x_values, rows), *q = product(llm, QUERY, x, rows),
           *k = product(llm, KEY, x, rows), *v = product(llm, VALUE, x, rows);
    rotate(q, rows, s->heads, s->size);
    rotate(k, rows, s->key_heads, s->size);
    double *heads = attention(s, rows, q, k, v), *out = product(llm, OUT, heads, rows);
    free(x);
    free(q);
    free(k);
    free(v);
    free(heads);
    return out;
}

static double *gated(const llm_t *llm, const double *middle, dnnl_dim_t rows) {
    double *x = norm(llm, 1, middle, rows), *gate = product(llm, GATE, x, rows),
           *up = product(llm, UP, x, rows);
    for (dnnl_dim_t i = 0; i < rows * llm->s.inner; i++) gate[i] = c_swish(gate[i]) * up[i];
    double *out = product(llm, DOWN, gate, rows);
    free(x);
    free(gate);
    free(up);
    return out;
}

double *llm_expected(const llm_t *llm) {
    const dnnl_dim_t rows = llm->s.prompt + llm->s.tokens, count = rows * llm->s.width;
    double *middle = attended(llm, rows);
    for (dnnl_dim_t i = 0; i < count; i++) middle[i] += llm->x_values[i];
    double *out = gated(llm, middle, rows);
    for (dnnl_dim_t i = 0; i < count; i++) out[i] += middle[i];
    free(middle);
    return out;
}
