/* SPDX-License-Identifier: Apache-2.0 */
/* Views of heads, and the parts of a transformer in plain C. */
#include "transformer.h"

#include <math.h>

void complete_sizes(block_sizes_t *s) {
    s->rows = s->batch * s->tokens;
    s->width = s->heads * s->head;
}

static dnnl_data_type_t data_type(dnnl_memory_t memory) {
    dnnl_data_type_t type;
    CHECK_DNNL(dnnl_memory_desc_query(memory_desc(memory), dnnl_query_data_type, &type));
    return type;
}

dnnl_memory_t head_view(
        net_t *net, const block_sizes_t *s, dnnl_memory_t qkv, int part, turn_t turn) {
    dnnl_memory_desc_t whole =
            NET_DESC(net, data_type(qkv), dnnl_abcde, s->batch, s->tokens, 3, s->heads, s->head);
    dnnl_memory_desc_t box, box_4d, view;
    CHECK_DNNL(dnnl_memory_desc_create_submemory(&box, whole,
            (dnnl_dims_t){s->batch, s->tokens, 1, s->heads, s->head},
            (dnnl_dims_t){0, 0, part, 0, 0}));
    net_keep_desc(net, box);
    CHECK_DNNL(dnnl_memory_desc_reshape(
            &box_4d, box, 4, (dnnl_dims_t){s->batch, s->tokens, s->heads, s->head}));
    net_keep_desc(net, box_4d);
    /* Where batch, token, head and element go. */
    const int straight[] = {0, 2, 1, 3}, turned[] = {0, 3, 1, 2};
    CHECK_DNNL(dnnl_memory_desc_permute_axes(
            &view, box_4d, turn == ELEMENTS_BY_TOKENS ? turned : straight));
    return net_view(net, qkv, net_keep_desc(net, view));
}

dnnl_memory_t side_by_side(net_t *net, const block_sizes_t *s, dnnl_memory_t heads) {
    return net_view(net, heads,
            NET_DESC(net, data_type(heads), dnnl_acbd, s->batch, s->heads, s->tokens, s->head));
}

dnnl_memory_t causal_mask(net_t *net, dnnl_dim_t tokens) {
    float *mask;
    dnnl_memory_t memory =
            net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_abcd, 1, 1, tokens, tokens), &mask);
    for (dnnl_dim_t i = 0; i < tokens; i++)
        for (dnnl_dim_t j = 0; j < tokens; j++) mask[i * tokens + j] = j > i ? -INFINITY : 0;
    return memory;
}

/* ---- in plain C ---- */

void c_norm(double *y, const double *x, const double *scale, dnnl_dim_t rows, dnnl_dim_t width,
        double epsilon) {
    for (dnnl_dim_t r = 0; r < rows; r++, x += width, y += width) {
        double square = 0;
        for (dnnl_dim_t i = 0; i < width; i++) square += x[i] * x[i];
        const double factor = 1 / sqrt(square / (double)width + epsilon);
        for (dnnl_dim_t i = 0; i < width; i++) y[i] = x[i] * factor * scale[i];
    }
}

void c_add_product(double *y, const double *x, const double *w, dnnl_dim_t rows, dnnl_dim_t in,
        dnnl_dim_t out) {
    for (dnnl_dim_t r = 0; r < rows; r++)
        for (dnnl_dim_t i = 0; i < in; i++)
            for (dnnl_dim_t o = 0; o < out; o++) y[r * out + o] += x[r * in + i] * w[i * out + o];
}

/* The scores of one token and their softmax. */
static void c_shares(double *scores, double *shares, const double *q, const double *k,
        dnnl_dim_t row, dnnl_dim_t token, const block_sizes_t *s) {
    double largest = -INFINITY, sum = 0;
    for (dnnl_dim_t j = 0; j < s->tokens; j++) {
        scores[j] = 0;
        for (dnnl_dim_t e = 0; e < s->head; e++) scores[j] += q[e] * k[j * row + e];
        scores[j] = j > token ? -INFINITY : scores[j] / sqrt((double)s->head);
        largest = fmax(largest, scores[j]);
    }
    for (dnnl_dim_t j = 0; j < s->tokens; j++) sum += exp(scores[j] - largest);
    for (dnnl_dim_t j = 0; j < s->tokens; j++) shares[j] = exp(scores[j] - largest) / sum;
}

void c_add_attention(
        double *scores, double *shares, double *heads, const double *qkv, const block_sizes_t *s) {
    const dnnl_dim_t t = s->tokens, row = 3 * s->width;
    for (dnnl_dim_t bh = 0; bh < s->batch * s->heads; bh++) {
        const dnnl_dim_t b = bh / s->heads, h = bh % s->heads;
        const double *q = qkv + b * t * row + h * s->head, *k = q + s->width, *v = k + s->width;
        for (dnnl_dim_t i = 0; i < t; i++, scores += t, shares += t) {
            c_shares(scores, shares, q + i * row, k, row, i, s);
            for (dnnl_dim_t j = 0; j < t; j++)
                for (dnnl_dim_t e = 0; e < s->head; e++)
                    heads[(b * t + i) * s->width + h * s->head + e] += shares[j] * v[j * row + e];
        }
    }
}

double c_swish(double x) {
    return x / (1 + exp(-x));
}

double largest_error(const float *got, const double *expected, size_t count) {
    double error = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(expected[i])) largest = fmax(largest, fabs(expected[i]));
        if ((double)got[i] == expected[i]) continue; /* infinities are equal or wrong */
        const double difference = fabs((double)got[i] - expected[i]);
        error = isnan(difference) ? INFINITY : fmax(error, difference);
    }
    return error > 0 ? error / largest : 0;
}
