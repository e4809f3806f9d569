/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, layer normalization, ResNet-50's batch normalization and reduction of 64 MB beside oneDNN's CPU
 * library, f32. bench_norm [seconds per line]     default: 2 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "bench_norm_onednn.h"

#define BATCH(what, training, last, n, c, hw)                                                                \
    {                                                                                                        \
        what, NORM_BATCH, training, 0, last, 4, {n, c, hw, hw}, {                                            \
            n, c, hw, hw                                                                                     \
        }                                                                                                    \
    }
static const bench_norm_t problems[] = {
        {"softmax 4096x4096 axis 1", NORM_SOFTMAX, 0, 1, 0, 2, {4096, 4096}, {4096, 4096}},
        {"softmax 4096x4096 axis 0", NORM_SOFTMAX, 0, 0, 0, 2, {4096, 4096}, {4096, 4096}},
        {"layer norm 4096x4096, training", NORM_LAYER, 1, 0, 0, 2, {4096, 4096}, {4096, 4096}},
        {"layer norm 4096x4096, given", NORM_LAYER, 0, 0, 0, 2, {4096, 4096}, {4096, 4096}},
        {"sum of 4096x4096 to 1x1", NORM_REDUCTION, 0, 0, 0, 2, {4096, 4096}, {1, 1}},
        {"sum of 4096x4096 to 4096x1", NORM_REDUCTION, 0, 0, 0, 2, {4096, 4096}, {4096, 1}},
        {"sum of 4096x4096 to 1x4096", NORM_REDUCTION, 0, 0, 0, 2, {4096, 4096}, {1, 4096}},
        BATCH("batch norm 1x64x112, given, nchw", 0, 0, 1, 64, 112),
        BATCH("batch norm 16x64x112, given, nchw", 0, 0, 16, 64, 112),
        BATCH("batch norm 16x64x112, given, nhwc", 0, 1, 16, 64, 112),
        BATCH("batch norm 16x256x56, given, nhwc", 0, 1, 16, 256, 56),
        BATCH("batch norm 16x512x28, given, nchw", 0, 0, 16, 512, 28),
        BATCH("batch norm 16x2048x7, given, nchw", 0, 0, 16, 2048, 7),
        BATCH("batch norm 16x64x112, training, nchw", 1, 0, 16, 64, 112),
        BATCH("batch norm 16x256x56, training, nhwc", 1, 1, 16, 256, 56),
        BATCH("batch norm 16x2048x7, training, nchw", 1, 0, 16, 2048, 7),
};
enum { PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

static bench_t bench;

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[NORM_BUFFERS];
    int nargs;
} op_t;

static void run_op(void *arg) {
    op_t *op = arg;
    bench_execute(&bench, op->primitive, op->nargs, op->args);
    bench_wait(&bench);
}

static void make(op_t *op, const bench_norm_t *b, float *const *buffers) {
    static const int ids[] = {
            DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
    const dnnl_format_tag_t tag = b->ndims == 2 ? dnnl_ab : b->channels_last ? dnnl_nhwc : dnnl_nchw;
    const unsigned flags = dnnl_use_scale | dnnl_use_shift | (b->training ? 0 : dnnl_use_global_stats);
    const dnnl_prop_kind_t prop = b->training ? dnnl_forward_training : dnnl_forward_inference;
    dnnl_memory_desc_t src, dst;
    dnnl_primitive_desc_t pd = NULL;
    CHECK(dnnl_memory_desc_create_with_tag(&src, b->ndims, b->dims, dnnl_f32, tag));
    CHECK(dnnl_memory_desc_create_with_tag(&dst, b->ndims, b->dst_dims, dnnl_f32, tag));
    switch (b->kind) {
    case NORM_SOFTMAX:
        CHECK(dnnl_softmax_forward_primitive_desc_create(
                &pd, bench.engine, prop, dnnl_softmax_accurate, src, dst, b->axis, NULL));
        break;
    case NORM_LAYER:
        CHECK(dnnl_layer_normalization_forward_primitive_desc_create(
                &pd, bench.engine, prop, src, dst, NULL, 1e-5f, flags, NULL));
        break;
    case NORM_BATCH:
        CHECK(dnnl_batch_normalization_forward_primitive_desc_create(
                &pd, bench.engine, prop, src, dst, 1e-5f, flags, NULL));
        break;
    default:
        CHECK(dnnl_reduction_primitive_desc_create(
                &pd, bench.engine, dnnl_reduction_sum, src, dst, 0, 0, NULL));
    }
    op->nargs = b->kind == NORM_LAYER || b->kind == NORM_BATCH ? NORM_BUFFERS : 2;
    for (int i = 0; i < op->nargs; i++)
        op->args[i] = (dnnl_exec_arg_t){
                ids[i], bench_memory(&bench, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, ids[i]),
                                buffers[i])};
    CHECK(dnnl_primitive_create(&op->primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(src));
    CHECK(dnnl_memory_desc_destroy(dst));
}

static size_t elements(const int64_t *dims, int ndims) {
    size_t n = 1;
    for (int d = 0; d < ndims; d++) n *= (size_t)dims[d];
    return n;
}

/* Sums differ by their order: within some digits of the sum of absolute values. */
static void compare(const bench_norm_t *b, const float *got, const float *want, size_t n, double tolerance) {
    for (size_t k = 0; k < n; k++)
        if (!(fabs((double)got[k] - (double)want[k]) <= tolerance)) {
            fprintf(stderr, "\n%s: element %zu is %g, not %g\n", b->name, k, (double)got[k], (double)want[k]);
            exit(1);
        }
}

static double line(const bench_norm_t *b, const onednn_norm_t *other, double seconds) {
    const size_t ins = elements(b->dims, b->ndims), outs = elements(b->dst_dims, b->ndims);
    float *buffers[NORM_BUFFERS];
    for (int i = 0; i < NORM_BUFFERS; i++)
        buffers[i] = bench_alloc(&bench, (i == NORM_SRC ? ins : i == NORM_DST ? outs : 4096) * sizeof(float));
    float *want = bench_alloc(&bench, outs * sizeof(float)), *theirs[NORM_BUFFERS];
    for (int i = 0; i < NORM_BUFFERS; i++) theirs[i] = i == NORM_DST ? want : buffers[i];
    for (size_t k = 0; k < ins; k++) buffers[NORM_SRC][k] = (float)(k * 2654435761u % 1000) * 0.01f - 5;
    for (int i = NORM_MEAN; i < NORM_BUFFERS; i++)
        for (int k = 0; k < 4096; k++) buffers[i][k] = 0.5f + (float)(k % 7) * 0.25f;
    op_t op;
    make(&op, b, buffers);
    void *peer = other ? other->create(b, theirs) : NULL;
    if (other && !peer) {
        fprintf(stderr, "%s: oneDNN does not take it\n", b->name);
        exit(1);
    }
    candidate_t race[] = {{b->name, run_op, &op, 0}, {"oneDNN", peer ? other->run : NULL, peer, 0}};
    bench_race(race, peer ? 2 : 1, 3, seconds);
    double ratio = 1;
    printf("  %-38s %9.3f ms", b->name, race[0].best * 1e3);
    if (peer) {
        compare(b, buffers[NORM_DST], want, outs,
                b->kind == NORM_REDUCTION ? 1e-6 * 5 * (double)(ins / outs) : 1e-4);
        ratio = race[1].best / race[0].best;
        printf("  %9.3f ms  ratio %.2f", race[1].best * 1e3, ratio);
        other->destroy(peer);
    }
    printf("\n");
    for (int k = 0; k < op.nargs; k++) CHECK(dnnl_memory_destroy(op.args[k].memory));
    CHECK(dnnl_primitive_destroy(op.primitive));
    for (int i = 0; i < NORM_BUFFERS; i++) bench_free(&bench, buffers[i]);
    bench_free(&bench, want);
    return ratio;
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 2;
    bench_open(&bench);
    const onednn_norm_t *other = bench_rival();
    printf("f32 on %s, beside %s %s\n", bench.name, other ? "oneDNN" : "nothing",
            other ? other->version : "");
    double product = 1;
    for (int i = 0; i < PROBLEMS; i++) product *= line(&problems[i], other, seconds);
    if (other) bench_ratio("geometric mean of oneDNN's speed", pow(product, 1.0 / PROBLEMS), 0.8);
    bench_close(&bench);
    return 0;
}
