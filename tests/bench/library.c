/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a problem. Compiled twice: into the benchmarks with this project's headers, and into a
 * module with those of oneDNN's CPU library. */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library_version.h"

typedef struct op {
    dnnl_primitive_t primitive;
    int nargs, dst;
    dnnl_exec_arg_t args[PLAIN_TENSORS];
    dnnl_memory_desc_t given[PLAIN_TENSORS]; /* of the caller's data */
    int own_dst;                             /* has the library's own layout, in its own memory */
    int keeps_workspace; /* what a forward primitive wrote, not the caller's data */
    struct op *forward;  /* whose workspace this one reads; NULL: none */
} op_t;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

int library_find(const char *name) {
    static const struct {
        const char *name;
        int value;
    } names[] = {{"f32", dnnl_f32}, {"bf16", dnnl_bf16}, {"s32", dnnl_s32}, {"s8", dnnl_s8},
            {"u8", dnnl_u8}, {"convolution", dnnl_convolution}, {"pooling", dnnl_pooling},
            {"resampling", dnnl_resampling}, {"batch_normalization", dnnl_batch_normalization},
            {"layer_normalization", dnnl_layer_normalization}, {"softmax", dnnl_softmax},
            {"reduction", dnnl_reduction}, {"reorder", dnnl_reorder}, {"matmul", dnnl_matmul},
            {"inner_product", dnnl_inner_product}, {"eltwise", dnnl_eltwise}, {"rnn", dnnl_rnn},
            {"lrn", dnnl_lrn}, {"vanilla_rnn", dnnl_vanilla_rnn},
            {"vanilla_lstm", dnnl_vanilla_lstm}, {"vanilla_gru", dnnl_vanilla_gru},
            {"eltwise_tanh", dnnl_eltwise_tanh}, {"eltwise_gelu_tanh", dnnl_eltwise_gelu_tanh},
            {"backward", dnnl_backward}, {"backward_data", dnnl_backward_data},
            {"backward_weights", dnnl_backward_weights},
            {"convolution_direct", dnnl_convolution_direct}, {"pooling_max", dnnl_pooling_max},
            {"pooling_avg_exclude_padding", dnnl_pooling_avg_exclude_padding},
            {"pooling_avg_include_padding", dnnl_pooling_avg_include_padding},
            {"resampling_nearest", dnnl_resampling_nearest},
            {"resampling_linear", dnnl_resampling_linear},
            {"lrn_across_channels", dnnl_lrn_across_channels},
            {"lrn_within_channel", dnnl_lrn_within_channel},
            {"softmax_accurate", dnnl_softmax_accurate}, {"softmax_log", dnnl_softmax_log},
            {"reduction_max", dnnl_reduction_max}, {"reduction_min", dnnl_reduction_min},
            {"reduction_sum", dnnl_reduction_sum}, {"reduction_mean", dnnl_reduction_mean}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(names[i].name, name)) return names[i].value;
    return -1;
}

static dnnl_status_t reorder(
        dnnl_memory_t from, md_ref_t from_md, dnnl_memory_t to, md_ref_t to_md) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    TRY(dnnl_reorder_primitive_desc_create(&pd, from_md, engine, to_md, engine, NULL));
    dnnl_status_t status = dnnl_primitive_create(&primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_execute(primitive, stream, 2, args);
    if (status == dnnl_success) status = dnnl_stream_wait(stream);
    dnnl_primitive_destroy(primitive);
    return status;
}

static dnnl_memory_t workspace_of(const op_t *op) {
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i].arg == DNNL_ARG_WORKSPACE) return op->args[i].memory;
    return NULL;
}

/* The memory of one argument: the caller's, or one of the library's layout. */
static dnnl_status_t make_memory(op_t *op, int i, const plain_tensor_t *t,
        const_dnnl_primitive_desc_t pd, int is_dst, void *data) {
    dnnl_memory_t given;
    TRY(MD_BY_STRIDES(
            &op->given[i], t->ndims, t->dims, (dnnl_data_type_t)library_find(t->type), t->strides));
    TRY(dnnl_memory_create(&given, REF(op->given[i]), engine, data));
    op->args[i] = (dnnl_exec_arg_t){t->arg, given};
    if (!t->any) return dnnl_success;
    if (t->arg == DNNL_ARG_WORKSPACE && op->forward) {
        op->args[i].memory = workspace_of(op->forward);
        return dnnl_memory_destroy(given);
    }
    md_ref_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, t->arg);
    TRY(dnnl_memory_create(&op->args[i].memory, md, engine, DNNL_MEMORY_ALLOCATE));
    const int is_filled = !is_dst && (t->arg != DNNL_ARG_WORKSPACE || !op->keeps_workspace);
    if (is_filled) TRY(reorder(given, REF(op->given[i]), op->args[i].memory, md));
    return dnnl_memory_destroy(given);
}

static dnnl_status_t make_op(
        op_t *op, const plain_problem_t *p, const_dnnl_primitive_desc_t pd, void *const *data) {
    TRY(dnnl_primitive_create(&op->primitive, pd));
    op->nargs = p->ntensors;
    op->dst = p->dst;
    op->own_dst = p->tensor[p->dst].any;
    op->keeps_workspace = p->activation || p->local_size;
    for (int i = 0; i < p->ntensors; i++)
        TRY(make_memory(op, i, &p->tensor[i], pd, i == p->dst, data[i]));
    return dnnl_success;
}

static void run(void *arg) {
    op_t *op = arg;
    if (dnnl_primitive_execute(op->primitive, stream, op->nargs, op->args) != dnnl_success ||
            dnnl_stream_wait(stream) != dnnl_success)
        abort();
}

/* The forward primitive of a backward one, on those of its tensors that it has. If that has no
 * destination, the gradient's memory takes it. */
static op_t *train(const plain_problem_t *p, const void *pd, void *const *data) {
    plain_problem_t forward = *p;
    void *its_data[PLAIN_TENSORS];
    op_t *op = calloc(1, sizeof(*op));
    forward.ntensors = 0;
    forward.dst = -1;
    for (int i = 0; i < p->ntensors; i++) {
        if (p->tensor[i].arg >= DNNL_ARG_DIFF_SRC) continue;
        if (p->tensor[i].arg == DNNL_ARG_DST) forward.dst = forward.ntensors;
        its_data[forward.ntensors] = data[i];
        forward.tensor[forward.ntensors++] = p->tensor[i];
    }
    if (forward.dst < 0) {
        forward.dst = forward.ntensors;
        its_data[forward.ntensors] = data[p->dst];
        forward.tensor[forward.ntensors] = p->tensor[p->dst];
        forward.tensor[forward.ntensors++].arg = DNNL_ARG_DST;
    }
    if (!op || make_op(op, &forward, pd, its_data) != dnnl_success) return NULL;
    run(op);
    return op;
}

/* What fails is not freed: the program says so and ends. */
static void *create(
        const plain_problem_t *p, const void *pd, const void *forward, void *const *data) {
    op_t *op = calloc(1, sizeof(*op));
    if (op && forward && !(op->forward = train(p, forward, data))) return NULL;
    return op && make_op(op, p, pd, data) == dnnl_success ? op : NULL;
}

static void result(void *arg, void *dst) {
    op_t *op = arg;
    dnnl_memory_t from = op->args[op->dst].memory, to;
    md_ref_t md;
    if (!op->own_dst) {
        void *data;
        if (dnnl_memory_get_data_handle(from, &data) != dnnl_success) abort();
        if (data != dst) memcpy(dst, data, dnnl_memory_desc_get_size(REF(op->given[op->dst])));
        return;
    }
    if (dnnl_memory_get_memory_desc(from, &md) != dnnl_success ||
            dnnl_memory_create(&to, REF(op->given[op->dst]), engine, dst) != dnnl_success ||
            reorder(from, md, to, REF(op->given[op->dst])) != dnnl_success)
        abort();
    dnnl_memory_destroy(to);
}

static void destroy(void *arg) {
    op_t *op = arg;
    for (int i = 0; i < op->nargs; i++) {
        const int is_other = op->forward && op->args[i].arg == DNNL_ARG_WORKSPACE;
        if (!is_other) dnnl_memory_destroy(op->args[i].memory);
        MD_DESTROY(op->given[i]);
    }
    dnnl_primitive_destroy(op->primitive);
    if (op->forward) destroy(op->forward);
    free(op);
}

const library_t *library_open(void *with_engine, void *with_stream) {
    static char version[32];
    static const library_t calls = {version, create, run, result, destroy};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof(version), "%d.%d.%d", v->major, v->minor, v->patch);
    engine = with_engine;
    stream = with_stream;
    return &calls;
}
