/* SPDX-License-Identifier: Apache-2.0 */
/* The model of lstm_text on the device: every step is a primitive on the stream of the program's
 * command list. A matrix is a part of the array with all weights, or with all gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lstm.h"

/* ---- parameters ---- */

enum { ALIGN = 16 }; /* elements: 64 bytes, what the library asks of nobody, but likes */

static void place(lstm_t *l, which_t which, const char *name, dnnl_dim_t rows, dnnl_dim_t columns) {
    const size_t count = (size_t)(rows * columns);
    l->parameter[which] = (parameter_t){name, rows, columns, l->elements, count};
    l->elements += (count + ALIGN - 1) / ALIGN * ALIGN;
}

lstm_t lstm_lay_out(dnnl_dim_t vocabulary, dnnl_dim_t width) {
    lstm_t l = {.vocabulary = vocabulary, .width = width};
    place(&l, CHARACTERS, "characters", vocabulary, GATES * width);
    place(&l, STATE, "state", width, GATES * width);
    place(&l, OUTPUT, "output", width, vocabulary);
    l.decayed = l.elements;
    place(&l, BIAS, "bias", GATES, width);
    place(&l, OUTPUT_BIAS, "output bias", 1, vocabulary);
    return l;
}

/* An input has a single one, so that the weights of characters are as large as the gates' arguments
 * may be. A forget gate that begins open lets gradients go back. */
float *lstm_random(const lstm_t *l, uint64_t seed) {
    enum { FORGET = 1 };
    float *values = check_alloc(calloc(l->elements, sizeof *values));
    const float spread[PARAMETERS] = {[CHARACTERS] = 0.25f,
            [STATE] = 1 / sqrtf((float)l->width),
            [OUTPUT] = 1 / sqrtf((float)l->width),
            [BIAS] = 0.1f,
            [OUTPUT_BIAS] = 0.1f};
    for (int i = 0; i < PARAMETERS; i++)
        random_fill(values + l->parameter[i].offset, l->parameter[i].count,
                seed * PARAMETERS + (uint64_t)i, -spread[i], spread[i]);
    float *forget = values + l->parameter[BIAS].offset + FORGET * l->width;
    for (dnnl_dim_t c = 0; c < l->width; c++) forget[c] += 1;
    return values;
}

void model_open(model_t *m, const lstm_t *l, const adamw_t *adamw, const float *weights) {
    *m = (model_t){.lstm = *l};
    net_open(&m->net, 0);
    optimizer_open(&m->adam, &m->net, adamw, weights, l->elements, l->decayed);
}

void model_close(model_t *m) {
    net_close(&m->net);
}

/* ---- a pass ---- */

enum { MAX_STEPS = 20 };

struct pass {
    model_t *m;
    net_t *net;
    pass_kind_t kind;
    dnnl_dim_t steps, batch, rows, vocabulary, width;
    dnnl_data_type_t type; /* of inputs and states */
    int zero;              /* the byte that stands for 0 in them */
    void *inputs;          /* the host's side of memory */
    float *targets, *log_shares, *loss;
    dnnl_memory_t input;                /* steps x batch x vocabulary: ones at the characters */
    dnnl_memory_t target;               /* rows x vocabulary: -1 / rows at the characters */
    dnnl_memory_t h, c, next_h, next_c; /* the states before the first step and after the last */
    dnnl_memory_t h_0, c_0;             /* those with which a sequence begins */
    dnnl_memory_t result, log_share, workspace;
    dnnl_primitive_desc_t lstm;
    quantization_t q;
    step_t step[MAX_STEPS], begin[2];
    int count;
};

/* The same bits each time. */
static dnnl_primitive_attr_t deterministic(pass_t *p, dnnl_primitive_attr_t attr) {
    if (!attr) attr = net_attr(p->net, NULL);
    CHECK_DNNL(dnnl_primitive_attr_set_deterministic(attr, 1));
    return attr;
}

static step_t *add_step(pass_t *p, const char *name, dnnl_primitive_desc_t pd) {
    p->step[p->count] = (step_t){.name = name, .primitive = net_primitive(p->net, pd)};
    return &p->step[p->count++];
}

static dnnl_memory_t matrix(pass_t *p, dnnl_dim_t rows, dnnl_dim_t columns) {
    return net_device_memory(p->net, NET_DESC(p->net, dnnl_f32, dnnl_ab, rows, columns));
}

/* A matrix in the array of weights or of gradients. */
static dnnl_memory_t part(pass_t *p, dnnl_memory_t array, which_t which) {
    const parameter_t *parameter = &p->m->lstm.parameter[which];
    dnnl_memory_desc_t desc =
            NET_DESC(p->net, dnnl_f32, dnnl_ab, parameter->rows, parameter->columns);
    return net_view_at(p->net, array, parameter->offset * sizeof(float), desc);
}

/* The LSTM's weights for `inputs`: one layer and direction. */
static dnnl_memory_desc_t gates_desc(
        pass_t *p, dnnl_data_type_t type, dnnl_format_tag_t tag, dnnl_dim_t inputs) {
    return NET_DESC(p->net, type, tag, 1, 1, inputs, GATES, p->width);
}

/* The LSTM's part of an array: weights of characters or of the state, or the bias. */
static dnnl_memory_t lstm_part(pass_t *p, dnnl_memory_t array, which_t which) {
    const parameter_t *parameter = &p->m->lstm.parameter[which];
    dnnl_memory_desc_t desc = which == BIAS
                                      ? NET_DESC(p->net, dnnl_f32, dnnl_ldgo, 1, 1, GATES, p->width)
                                      : gates_desc(p, dnnl_f32, dnnl_ldigo, parameter->rows);
    return net_view_at(p->net, array, parameter->offset * sizeof(float), desc);
}

/* Memory whose bytes all have the same value. */
static dnnl_memory_t filled(pass_t *p, const_dnnl_memory_desc_t desc, int byte) {
    void *bytes;
    dnnl_memory_t from = net_host_memory(p->net, desc, &bytes);
    memset(bytes, byte, dnnl_memory_desc_get_size(desc));
    return net_upload(p->net, from, desc, NULL, NULL);
}

static dnnl_memory_t zeros_like(pass_t *p, dnnl_memory_t memory) {
    return filled(p, memory_desc(memory), 0);
}

static dnnl_memory_t transposed(pass_t *p, dnnl_memory_t memory) {
    const int axes[] = {1, 0};
    dnnl_memory_desc_t desc;
    CHECK_DNNL(dnnl_memory_desc_permute_axes(&desc, memory_desc(memory), axes));
    return net_view(p->net, memory, net_keep_desc(p->net, desc));
}

static step_t *add_product(pass_t *p, const char *name, dnnl_memory_t a, dnnl_memory_t b,
        dnnl_memory_t bias, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(
            dnnl_matmul_primitive_desc_create(&pd, p->net->engine, memory_desc(a), memory_desc(b),
                    bias ? memory_desc(bias) : NULL, memory_desc(dst), deterministic(p, NULL)));
    step_t *step = add_step(p, name, pd);
    add_arg(step, DNNL_ARG_SRC, a);
    add_arg(step, DNNL_ARG_WEIGHTS, b);
    if (bias) add_arg(step, DNNL_ARG_BIAS, bias);
    add_arg(step, DNNL_ARG_DST, dst);
    return step;
}

static void add_sum(pass_t *p, const char *name, dnnl_memory_t src, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reduction_primitive_desc_create(&pd, p->net->engine, dnnl_reduction_sum,
            memory_desc(src), memory_desc(dst), 0, 0, deterministic(p, NULL)));
    step_t *step = add_step(p, name, pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DST, dst);
}

static step_t copy_step(pass_t *p, dnnl_memory_t from, dnnl_memory_t to) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, memory_desc(from), p->net->engine, memory_desc(to), p->net->engine, NULL));
    return (step_t){
            "copy", net_primitive(p->net, pd), 2, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
}

/* ---- forward ---- */

static dnnl_primitive_desc_t lstm_desc(pass_t *p) {
    const int is_int8 = p->kind == READS_INT8;
    const dnnl_data_type_t weights = is_int8 ? dnnl_s8 : dnnl_f32;
    const dnnl_format_tag_t tag = is_int8 ? dnnl_format_tag_any : dnnl_ldigo;
    const_dnnl_memory_desc_t h = memory_desc(p->h), c = memory_desc(p->c);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_lstm_forward_primitive_desc_create(&pd, p->net->engine,
            p->kind == TRAINS ? dnnl_forward_training : dnnl_forward_inference,
            dnnl_unidirectional_left2right, memory_desc(p->input), h, c,
            gates_desc(p, weights, tag, p->vocabulary), gates_desc(p, weights, tag, p->width), NULL,
            NULL, NET_DESC(p->net, dnnl_f32, dnnl_ldgo, 1, 1, GATES, p->width),
            memory_desc(p->result), h, c, 0, deterministic(p, is_int8 ? p->q.lstm : NULL)));
    return pd;
}

static void add_lstm_inputs(pass_t *p, step_t *step) {
    const dnnl_memory_t array = p->m->adam.weights;
    dnnl_memory_t characters = lstm_part(p, array, CHARACTERS), state = lstm_part(p, array, STATE);
    if (p->kind == READS_INT8) {
        characters = net_upload(
                p->net, characters, chosen(p->lstm, DNNL_ARG_WEIGHTS_LAYER), p->q.lstm, NULL);
        state = net_upload(p->net, state, chosen(p->lstm, DNNL_ARG_WEIGHTS_ITER), p->q.lstm, NULL);
    }
    add_arg(step, DNNL_ARG_SRC_LAYER, p->input);
    add_arg(step, DNNL_ARG_SRC_ITER, p->h);
    add_arg(step, DNNL_ARG_SRC_ITER_C, p->c);
    add_arg(step, DNNL_ARG_WEIGHTS_LAYER, characters);
    add_arg(step, DNNL_ARG_WEIGHTS_ITER, state);
    add_arg(step, DNNL_ARG_BIAS, lstm_part(p, array, BIAS));
    add_arg(step, DNNL_ARG_DST_LAYER, p->result);
    add_arg(step, DNNL_ARG_DST_ITER, p->next_h);
    add_arg(step, DNNL_ARG_DST_ITER_C, p->next_c);
    if (p->workspace) add_arg(step, DNNL_ARG_WORKSPACE, p->workspace);
}

static void add_lstm(pass_t *p) {
    p->lstm = lstm_desc(p);
    step_t *step = add_step(p, "lstm", p->lstm);
    if (p->kind == TRAINS)
        p->workspace = net_device_memory(p->net, chosen(p->lstm, DNNL_ARG_WORKSPACE));
    add_lstm_inputs(p, step);
}

/* The states at all steps as a matrix. */
static dnnl_memory_t states(pass_t *p) {
    return net_view(p->net, p->result, NET_DESC(p->net, p->type, dnnl_ab, p->rows, p->width));
}

static void add_output_int8(
        pass_t *p, dnnl_memory_t weights, dnnl_memory_t bias, dnnl_memory_t scores) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, p->net->engine, memory_desc(states(p)),
            net_any(p->net, memory_desc(weights), dnnl_s8), memory_desc(bias), memory_desc(scores),
            deterministic(p, p->q.output)));
    step_t *step = add_step(p, "output", pd);
    add_arg(step, DNNL_ARG_SRC, states(p));
    add_arg(step, DNNL_ARG_WEIGHTS,
            output_in_s8(&p->q, p->m, weights, chosen(pd, DNNL_ARG_WEIGHTS)));
    add_arg(step, DNNL_ARG_BIAS, bias);
    add_arg(step, DNNL_ARG_DST, scores);
    add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, p->q.data_scale);
    add_arg(step, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, p->q.data_shift);
    add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, p->q.output_scales);
}

static void add_log_softmax(pass_t *p, dnnl_memory_t scores) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(&pd, p->net->engine,
            dnnl_forward_training, dnnl_softmax_log, memory_desc(scores), memory_desc(p->log_share),
            1, deterministic(p, NULL)));
    step_t *step = add_step(p, "softmax", pd);
    add_arg(step, DNNL_ARG_SRC, scores);
    add_arg(step, DNNL_ARG_DST, p->log_share);
}

/* The targets have the factor -1 / rows, so that a product and a sum give the loss, and the
 * targets themselves are the gradient of the logarithms. */
static void add_loss(pass_t *p, dnnl_memory_t scores) {
    dnnl_memory_t sum =
            net_host_memory(p->net, NET_DESC(p->net, dnnl_f32, dnnl_ab, 1, 1), &p->loss);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_binary_primitive_desc_create(&pd, p->net->engine, dnnl_binary_mul,
            memory_desc(p->log_share), memory_desc(p->target), memory_desc(scores), NULL));
    step_t *step = add_step(p, "chosen", pd);
    add_arg(step, DNNL_ARG_SRC_0, p->log_share);
    add_arg(step, DNNL_ARG_SRC_1, p->target);
    add_arg(step, DNNL_ARG_DST, scores);
    add_sum(p, "loss", scores, sum);
}

static void add_forward(pass_t *p) {
    const dnnl_memory_t array = p->m->adam.weights, scores = matrix(p, p->rows, p->vocabulary),
                        weights = part(p, array, OUTPUT), bias = part(p, array, OUTPUT_BIAS);
    if (p->kind == READS_INT8) quantization_open(&p->q, p->m);
    add_lstm(p);
    if (p->kind == READS_INT8) add_output_int8(p, weights, bias, scores);
    else add_product(p, "output", states(p), weights, bias, scores);
    add_log_softmax(p, scores);
    add_loss(p, scores);
}

/* ---- backward ---- */

static void add_log_softmax_backward(pass_t *p, dnnl_memory_t d_scores) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_softmax_backward_primitive_desc_create(&pd, p->net->engine, dnnl_softmax_log,
            memory_desc(d_scores), memory_desc(p->target), memory_desc(p->log_share), 1, NULL,
            deterministic(p, NULL)));
    step_t *step = add_step(p, "softmax, backward", pd);
    add_arg(step, DNNL_ARG_DST, p->log_share);
    add_arg(step, DNNL_ARG_DIFF_DST, p->target);
    add_arg(step, DNNL_ARG_DIFF_SRC, d_scores);
}

/* Gradients of the LSTM's states; those that come from the next pass are left out, that is zero. */
typedef struct {
    dnnl_memory_t result, input, h, c, next_h, next_c;
} gradients_t;

static dnnl_primitive_desc_t lstm_backward_desc(pass_t *p, const gradients_t *d) {
    const_dnnl_memory_desc_t h = memory_desc(p->h), c = memory_desc(p->c),
                             characters = gates_desc(p, dnnl_f32, dnnl_ldigo, p->vocabulary),
                             state = gates_desc(p, dnnl_f32, dnnl_ldigo, p->width),
                             bias = NET_DESC(p->net, dnnl_f32, dnnl_ldgo, 1, 1, GATES, p->width);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_lstm_backward_primitive_desc_create(&pd, p->net->engine, dnnl_backward,
            dnnl_unidirectional_left2right, memory_desc(p->input), h, c, characters, state, NULL,
            NULL, bias, memory_desc(p->result), h, c, memory_desc(d->input), h, c, characters,
            state, NULL, NULL, bias, memory_desc(d->result), h, c,
            dnnl_rnn_flags_diff_weights_overwrite, p->lstm, deterministic(p, NULL)));
    return pd;
}

static void add_lstm_backward(pass_t *p, const gradients_t *d) {
    const dnnl_memory_t gradients = p->m->adam.gradients;
    step_t *step = add_step(p, "lstm, backward", lstm_backward_desc(p, d));
    add_lstm_inputs(p, step);
    add_arg(step, DNNL_ARG_DIFF_DST_LAYER, d->result);
    add_arg(step, DNNL_ARG_DIFF_DST_ITER, d->next_h);
    add_arg(step, DNNL_ARG_DIFF_DST_ITER_C, d->next_c);
    add_arg(step, DNNL_ARG_DIFF_SRC_LAYER, d->input);
    add_arg(step, DNNL_ARG_DIFF_SRC_ITER, d->h);
    add_arg(step, DNNL_ARG_DIFF_SRC_ITER_C, d->c);
    add_arg(step, DNNL_ARG_DIFF_WEIGHTS_LAYER, lstm_part(p, gradients, CHARACTERS));
    add_arg(step, DNNL_ARG_DIFF_WEIGHTS_ITER, lstm_part(p, gradients, STATE));
    add_arg(step, DNNL_ARG_DIFF_BIAS, lstm_part(p, gradients, BIAS));
}

static void add_backward(pass_t *p) {
    const dnnl_memory_t gradients = p->m->adam.gradients,
                        d_scores = matrix(p, p->rows, p->vocabulary),
                        d_states = matrix(p, p->rows, p->width);
    const gradients_t d = {.result = net_view(p->net, d_states, memory_desc(p->result)),
            .input = net_device_memory(p->net, memory_desc(p->input)),
            .h = zeros_like(p, p->h),
            .c = zeros_like(p, p->c),
            .next_h = zeros_like(p, p->h),
            .next_c = zeros_like(p, p->c)};
    add_log_softmax_backward(p, d_scores);
    add_product(p, "output, backward", transposed(p, states(p)), d_scores, NULL,
            part(p, gradients, OUTPUT));
    add_sum(p, "output bias, backward", d_scores, part(p, gradients, OUTPUT_BIAS));
    add_product(p, "states, backward", d_scores, transposed(p, part(p, p->m->adam.weights, OUTPUT)),
            NULL, d_states);
    add_lstm_backward(p, &d);
}

/* ---- running ---- */

static void make_inputs(pass_t *p) {
    net_t *net = p->net;
    dnnl_memory_desc_t characters = NET_DESC(net, dnnl_f32, dnnl_ab, p->rows, p->vocabulary),
                       input = NET_DESC(net, p->type, dnnl_tnc, p->steps, p->batch, p->vocabulary);
    p->input = net_host_memory(net, input, &p->inputs);
    p->target = net_host_memory(net, characters, &p->targets);
    p->log_share = net_host_memory(net, characters, &p->log_shares);
}

static void make_states(pass_t *p) {
    net_t *net = p->net;
    dnnl_memory_desc_t h = NET_DESC(net, p->type, dnnl_ldnc, 1, 1, p->batch, p->width),
                       c = NET_DESC(net, dnnl_f32, dnnl_ldnc, 1, 1, p->batch, p->width),
                       result = NET_DESC(net, p->type, dnnl_tnc, p->steps, p->batch, p->width);
    p->h = net_device_memory(net, h);
    p->next_h = net_device_memory(net, h);
    p->h_0 = filled(p, h, p->zero);
    p->c = net_device_memory(net, c);
    p->next_c = net_device_memory(net, c);
    p->c_0 = filled(p, c, 0);
    p->result = net_device_memory(net, result);
}

pass_t *pass_create(model_t *m, pass_kind_t kind, dnnl_dim_t steps, dnnl_dim_t batch) {
    const int is_int8 = kind == READS_INT8;
    pass_t *p = check_alloc(calloc(1, sizeof *p));
    *p = (pass_t){.m = m,
            .net = &m->net,
            .kind = kind,
            .steps = steps,
            .batch = batch,
            .rows = steps * batch,
            .vocabulary = m->lstm.vocabulary,
            .width = m->lstm.width,
            .type = is_int8 ? dnnl_u8 : dnnl_f32,
            .zero = is_int8 ? DATA_SHIFT : 0};
    make_inputs(p);
    make_states(p);
    add_forward(p);
    if (kind == TRAINS) add_backward(p);
    p->step[p->count++] = copy_step(p, p->next_h, p->h);
    p->step[p->count++] = copy_step(p, p->next_c, p->c);
    p->begin[0] = copy_step(p, p->h_0, p->h);
    p->begin[1] = copy_step(p, p->c_0, p->c);
    pass_begin(p);
    return p;
}

void pass_destroy(pass_t *p) {
    free(p);
}

void pass_begin(pass_t *p) {
    for (int i = 0; i < 2; i++) net_run(p->net, &p->begin[i]);
}

static void set_inputs(pass_t *p, const int *inputs, const int *targets) {
    const size_t count = (size_t)(p->rows * p->vocabulary);
    memset(p->inputs, p->zero, dnnl_memory_desc_get_size(memory_desc(p->input)));
    memset(p->targets, 0, count * sizeof *p->targets);
    for (dnnl_dim_t r = 0; r < p->rows; r++) {
        const size_t row = (size_t)(r * p->vocabulary);
        if (p->kind == READS_INT8)
            ((unsigned char *)p->inputs)[row + (size_t)inputs[r]] = DATA_SCALE + DATA_SHIFT;
        else ((float *)p->inputs)[row + (size_t)inputs[r]] = 1;
        p->targets[row + (size_t)targets[r]] = -1 / (float)p->rows;
    }
}

double pass_run(pass_t *p, const int *inputs, const int *targets) {
    set_inputs(p, inputs, targets);
    for (int i = 0; i < p->count; i++) net_run(p->net, &p->step[i]);
    net_wait(p->net);
    return (double)*p->loss;
}

const float *pass_log_shares(const pass_t *p, dnnl_dim_t row) {
    return p->log_shares + row * p->vocabulary;
}
