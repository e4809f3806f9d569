/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of lstm_text in s8, and how its primitives bring u8 and s8 back to real numbers. */
#include <math.h>
#include <stdlib.h>

#include "lstm.h"

enum { LARGEST = 127 };

/* largest[c] = the largest magnitude in column c, if it is larger than what is there. */
static void add_largest(float *largest, const float *weights, const parameter_t *p) {
    for (size_t i = 0; i < p->count; i++) {
        float *of_column = &largest[i % (size_t)p->columns];
        *of_column = fmaxf(*of_column, fabsf(weights[p->offset + i]));
    }
}

/* Weights that are all zero stay so with any scale. */
static float *factors(const float *weights, const parameter_t *a, const parameter_t *b) {
    float *factor = check_alloc(calloc((size_t)a->columns, sizeof *factor));
    add_largest(factor, weights, a);
    if (b) add_largest(factor, weights, b);
    for (dnnl_dim_t c = 0; c < a->columns; c++) factor[c] = factor[c] > 0 ? LARGEST / factor[c] : 1;
    return factor;
}

/* The LSTM multiplies by its scales what it quantizes; both of its weights have the same ones. */
static void describe_lstm(quantization_t *q, model_t *m, const float *weights) {
    enum { GATE = 1 << 3, CHANNEL = 1 << 4 };
    const parameter_t *p = m->lstm.parameter;
    float *scales = factors(weights, &p[CHARACTERS], &p[STATE]);
    q->lstm = net_attr(&m->net, NULL);
    CHECK_DNNL(dnnl_primitive_attr_set_rnn_data_qparams(q->lstm, DATA_SCALE, DATA_SHIFT));
    CHECK_DNNL(dnnl_primitive_attr_set_rnn_weights_qparams(
            q->lstm, p[STATE].columns, GATE | CHANNEL, scales));
    free(scales);
}

/* A product multiplies by its scales what it has computed with integers. */
static void describe_output(quantization_t *q, model_t *m, const float *weights) {
    net_t *net = &m->net;
    const parameter_t *p = &m->lstm.parameter[OUTPUT];
    const float data_scale = 1.f / DATA_SCALE;
    int *shift;
    float *scales = factors(weights, p, NULL);
    for (dnnl_dim_t c = 0; c < p->columns; c++) scales[c] = 1 / scales[c];
    q->data_scale = net_vector(net, &data_scale, 1);
    q->output_scales = net_vector(net, scales, p->columns);
    q->data_shift = net_host_memory(net, NET_DESC(net, dnnl_s32, dnnl_a, 1), &shift);
    *shift = DATA_SHIFT;
    q->output = net_attr(net, NULL);
    CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(q->output, DNNL_ARG_SRC, 0));
    CHECK_DNNL(dnnl_primitive_attr_set_zero_points_mask(q->output, DNNL_ARG_SRC, 0));
    CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(q->output, DNNL_ARG_WEIGHTS, 1 << 1));
    free(scales);
}

void quantization_open(quantization_t *q, model_t *m) {
    float *weights = net_read(&m->net, m->adam.weights);
    describe_lstm(q, m, weights);
    describe_output(q, m, weights);
    free(weights);
}

dnnl_memory_t output_in_s8(
        const quantization_t *q, model_t *m, dnnl_memory_t weights, const_dnnl_memory_desc_t desc) {
    dnnl_primitive_attr_t attr = net_attr(&m->net, NULL);
    CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 1 << 1));
    return net_upload(&m->net, weights, desc, attr, q->output_scales);
}
