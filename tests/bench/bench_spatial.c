/* SPDX-License-Identifier: Apache-2.0 */
/* ResNet-50's pooling and resampling of 64 MB beside oneDNN's CPU library, f32.
 *   bench_spatial [seconds per line]     default: 2 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "bench_spatial_onednn.h"

static const bench_spatial_t problems[] = {
        {"max 3x3 s2, 1x64x112, nchw", 0, 0, 0, 0, 1, 64, 112, 56, 3, 2, 1, 0},
        {"max 3x3 s2, 1x64x112, nhwc", 0, 0, 0, 1, 1, 64, 112, 56, 3, 2, 1, 0},
        {"max 3x3 s2, 16x64x112, nchw", 0, 0, 0, 0, 16, 64, 112, 56, 3, 2, 1, 0},
        {"max 3x3 s2, 16x64x112, nhwc", 0, 0, 0, 1, 16, 64, 112, 56, 3, 2, 1, 0},
        {"average 7x7, 16x2048x7, nchw", 0, 0, 1, 0, 16, 2048, 7, 1, 7, 1, 0, 0},
        {"average 7x7, 16x2048x7, nhwc", 0, 0, 1, 1, 16, 2048, 7, 1, 7, 1, 0, 0},
        {"nearest 128 to 256, 4x64, nchw", 1, 0, 0, 0, 4, 64, 128, 256, 1, 1, 0, 0},
        {"nearest 128 to 256, 4x64, nhwc", 1, 0, 0, 1, 4, 64, 128, 256, 1, 1, 0, 0},
        {"linear 128 to 256, 4x64, nchw", 1, 1, 0, 0, 4, 64, 128, 256, 1, 1, 0, 0},
        {"linear 128 to 256, 4x64, nhwc", 1, 1, 0, 1, 4, 64, 128, 256, 1, 1, 0, 0},
};
enum { PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

static bench_t bench;

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[2];
} op_t;

static void run_op(void *arg) {
    op_t *op = arg;
    bench_execute(&bench, op->primitive, 2, op->args);
    bench_wait(&bench);
}

static void make(op_t *op, const bench_spatial_t *b, float *src, float *dst) {
    const dnnl_dims_t in = {b->n, b->c, b->in, b->in}, out = {b->n, b->c, b->out, b->out};
    const dnnl_dims_t kernel = {b->kernel, b->kernel}, strides = {b->stride, b->stride}, dilation = {0, 0};
    const dnnl_dims_t left = {b->pad_left, b->pad_left}, right = {b->pad_right, b->pad_right};
    const dnnl_format_tag_t tag = b->channels_last ? dnnl_nhwc : dnnl_nchw;
    dnnl_memory_desc_t md[2];
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_memory_desc_create_with_tag(&md[0], 4, in, dnnl_f32, tag));
    CHECK(dnnl_memory_desc_create_with_tag(&md[1], 4, out, dnnl_f32, tag));
    if (b->resampling)
        CHECK(dnnl_resampling_forward_primitive_desc_create(&pd, bench.engine, dnnl_forward_inference,
                b->linear ? dnnl_resampling_linear : dnnl_resampling_nearest, NULL, md[0], md[1], NULL));
    else
        CHECK(dnnl_pooling_forward_primitive_desc_create(&pd, bench.engine, dnnl_forward_inference,
                b->average ? dnnl_pooling_avg_exclude_padding : dnnl_pooling_max, md[0], md[1], strides,
                kernel, dilation, left, right, NULL));
    CHECK(dnnl_primitive_create(&op->primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    op->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, bench_memory(&bench, md[0], src)};
    op->args[1] = (dnnl_exec_arg_t){DNNL_ARG_DST, bench_memory(&bench, md[1], dst)};
    for (int i = 0; i < 2; i++) CHECK(dnnl_memory_desc_destroy(md[i]));
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 2;
    bench_open(&bench);
    const onednn_spatial_t *other = bench_rival();
    printf("f32 on %s, beside %s %s\n", bench.name, other ? "oneDNN" : "nothing",
            other ? other->version : "");
    double product = 1;
    for (int i = 0; i < PROBLEMS; i++) {
        const bench_spatial_t *b = &problems[i];
        const size_t ins = (size_t)(b->n * b->c * b->in * b->in),
                     outs = (size_t)(b->n * b->c * b->out * b->out);
        float *src = bench_alloc(&bench, ins * sizeof(float)),
              *dst = bench_alloc(&bench, outs * sizeof(float)),
              *want = bench_alloc(&bench, outs * sizeof(float));
        for (size_t k = 0; k < ins; k++) src[k] = (float)(k * 2654435761u % 1000) * 0.01f - 5;
        op_t op;
        make(&op, b, src, dst);
        void *peer = other ? other->create(b, src, want) : NULL;
        if (other && !peer) {
            fprintf(stderr, "%s: oneDNN does not take it\n", b->name);
            return 1;
        }
        candidate_t race[] = {{b->name, run_op, &op, 0}, {"oneDNN", peer ? other->run : NULL, peer, 0}};
        bench_race(race, peer ? 2 : 1, 3, seconds);
        printf("  %-34s %9.3f ms", b->name, race[0].best * 1e3);
        if (peer) {
            for (size_t k = 0; k < outs; k++)
                if (!(fabsf(dst[k] - want[k]) <= 1e-4f)) {
                    fprintf(stderr, "\n%s: element %zu is %g, not %g\n", b->name, k, dst[k], want[k]);
                    return 1;
                }
            printf("  %9.3f ms  ratio %.2f", race[1].best * 1e3, race[1].best / race[0].best);
            product *= race[1].best / race[0].best;
            other->destroy(peer);
        }
        printf("\n");
        for (int k = 0; k < 2; k++) CHECK(dnnl_memory_destroy(op.args[k].memory));
        CHECK(dnnl_primitive_destroy(op.primitive));
        bench_free(&bench, src);
        bench_free(&bench, dst);
        bench_free(&bench, want);
    }
    if (other) bench_ratio("geometric mean of oneDNN's speed", pow(product, 1.0 / PROBLEMS), 0.8);
    bench_close(&bench);
    return 0;
}
