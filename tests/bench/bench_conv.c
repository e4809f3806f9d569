/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions beside oneDNN's CPU library in one run: those of ResNet-50 at batch 1 and 16, layouts left to
 * the library. bench_conv [u8] [MB | MBxICxOCxIHxKxS ...]      a batch size runs all of ResNet-50's */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_conv_onednn.h"

static bench_t bench;
static const onednn_conv_t *onednn;
static double log_sum, worst = 1e30;
static int lines;
static bool integers;

enum { SRC, WEI, BIAS, DST, TENSORS };
typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[TENSORS];
    dnnl_memory_desc_t plain[TENSORS];
    void *data[TENSORS]; /* plain */
} conv_t;

static const int64_t resnet50[][5] = {
        /* ic, oc, ih, k, stride */
        {3, 64, 224, 7, 2},
        {64, 64, 56, 1, 1},
        {64, 64, 56, 3, 1},
        {64, 256, 56, 1, 1},
        {256, 64, 56, 1, 1},
        {256, 128, 56, 1, 1},
        {128, 128, 56, 3, 2},
        {128, 512, 28, 1, 1},
        {256, 512, 56, 1, 2},
        {512, 128, 28, 1, 1},
        {128, 128, 28, 3, 1},
        {512, 256, 28, 1, 1},
        {256, 256, 28, 3, 2},
        {256, 1024, 14, 1, 1},
        {512, 1024, 28, 1, 2},
        {1024, 256, 14, 1, 1},
        {256, 256, 14, 3, 1},
        {1024, 512, 14, 1, 1},
        {512, 512, 14, 3, 2},
        {512, 2048, 7, 1, 1},
        {1024, 2048, 14, 1, 2},
        {2048, 512, 7, 1, 1},
        {512, 512, 7, 3, 1},
};

static void reorder(dnnl_memory_t from, const_dnnl_memory_desc_t from_md, dnnl_memory_t to,
        const_dnnl_memory_desc_t to_md) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, from_md, bench.engine, to_md, bench.engine, NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    bench_execute(&bench, primitive, 2, args);
    bench_wait(&bench);
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* Small numbers: sums are exact in both. */
static void fill(void *data, int64_t count, dnnl_data_type_t dt) {
    for (int64_t i = 0; i < count; i++) {
        if (dt == dnnl_f32) ((float *)data)[i] = (float)(rand() % 17 - 8) / 8;
        else if (dt == dnnl_u8) ((uint8_t *)data)[i] = (uint8_t)(rand() % 8);
        else ((int8_t *)data)[i] = (int8_t)(rand() % 7 - 3);
    }
}

static void make(conv_t *c, const bench_conv_t *p) {
    static const int ids[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    const dnnl_dims_t strides = {p->stride, p->stride}, pad = {p->pad, p->pad};
    const dnnl_dims_t dims[] = {
            {p->mb, p->ic, p->ih, p->ih}, {p->oc, p->ic, p->k, p->k}, {p->oc}, {p->mb, p->oc, p->oh, p->oh}};
    const dnnl_data_type_t types[] = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    dnnl_memory_desc_t any[TENSORS];
    dnnl_primitive_desc_t pd;
    for (int t = 0; t < TENSORS; t++) {
        const int nd = t == BIAS ? 1 : 4;
        const dnnl_data_type_t dt = p->integers ? types[t] : dnnl_f32;
        CHECK(dnnl_memory_desc_create_with_tag(&c->plain[t], nd, dims[t], dt, nd == 1 ? dnnl_a : dnnl_abcd));
        CHECK(dnnl_memory_desc_create_with_tag(
                &any[t], nd, dims[t], dt, nd == 1 ? dnnl_a : dnnl_format_tag_any));
        const size_t size = dnnl_memory_desc_get_size(c->plain[t]);
        c->data[t] = bench_alloc(&bench, size);
        fill(c->data[t], (int64_t)(size / dnnl_data_type_size(dt)), dt);
    }
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, bench.engine, dnnl_forward_inference,
            dnnl_convolution_direct, any[SRC], any[WEI], any[BIAS], any[DST], strides, NULL, pad, pad, NULL));
    CHECK(dnnl_primitive_create(&c->primitive, pd));
    for (int t = 0; t < TENSORS; t++) {
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, ids[t]);
        dnnl_memory_t given = bench_memory(&bench, c->plain[t], c->data[t]);
        c->args[t].arg = ids[t];
        CHECK(dnnl_memory_create(&c->args[t].memory, md, bench.engine, DNNL_MEMORY_ALLOCATE));
        if (t != DST) reorder(given, c->plain[t], c->args[t].memory, md);
        CHECK(dnnl_memory_destroy(given));
        CHECK(dnnl_memory_desc_destroy(any[t]));
    }
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void unmake(conv_t *c) {
    for (int t = 0; t < TENSORS; t++) {
        CHECK(dnnl_memory_destroy(c->args[t].memory));
        CHECK(dnnl_memory_desc_destroy(c->plain[t]));
        bench_free(&bench, c->data[t]);
    }
    CHECK(dnnl_primitive_destroy(c->primitive));
}

static void run_conv(void *arg) {
    conv_t *c = arg;
    bench_execute(&bench, c->primitive, TENSORS, c->args);
    bench_wait(&bench);
}

static void compare(conv_t *c, void *other) {
    const_dnnl_memory_desc_t md;
    dnnl_data_type_t dt;
    const size_t size = dnnl_memory_desc_get_size(c->plain[DST]);
    dnnl_memory_t plain = bench_memory(&bench, c->plain[DST], c->data[DST]);
    void *expected = malloc(size);
    CHECK(!expected);
    CHECK(dnnl_memory_get_memory_desc(c->args[DST].memory, &md));
    CHECK(dnnl_memory_desc_query(c->plain[DST], dnnl_query_data_type, &dt));
    reorder(c->args[DST].memory, md, plain, c->plain[DST]);
    onednn->result(other, expected);
    for (size_t i = 0; i < size / dnnl_data_type_size(dt); i++) {
        const double a = dt == dnnl_f32 ? (double)((float *)c->data[DST])[i] : ((uint8_t *)c->data[DST])[i];
        const double b = dt == dnnl_f32 ? (double)((float *)expected)[i] : ((uint8_t *)expected)[i];
        if (fabs(a - b) > 1e-2) {
            fprintf(stderr, "element %zu: %g here, %g there\n", i, a, b);
            exit(1);
        }
    }
    free(expected);
    CHECK(dnnl_memory_destroy(plain));
}

static void bench_problem(int64_t mb, const int64_t *shape) {
    bench_conv_t p = {.mb = mb,
            .ic = shape[0],
            .oc = shape[1],
            .ih = shape[2],
            .k = shape[3],
            .stride = shape[4],
            .pad = shape[3] / 2,
            .integers = integers};
    p.oh = (p.ih - p.k + 2 * p.pad) / p.stride + 1;
    char name[96];
    snprintf(name, sizeof(name), "mb%lldic%lldih%lldoc%lldoh%lldkh%lldsh%lldph%lld", (long long)p.mb,
            (long long)p.ic, (long long)p.ih, (long long)p.oc, (long long)p.oh, (long long)p.k,
            (long long)p.stride, (long long)p.pad);
    conv_t conv;
    make(&conv, &p);
    candidate_t c[2] = {{"here", run_conv, &conv, 0}};
    if (onednn) {
        c[1] = (candidate_t){"oneDNN", onednn->run,
                onednn->create(&p, conv.data[SRC], conv.data[WEI], conv.data[BIAS]), 0};
        if (!c[1].arg) bench_check(1, "oneDNN's convolution");
        run_conv(&conv);
        c[1].run(c[1].arg);
        compare(&conv, c[1].arg);
    }
    bench_race(c, onednn ? 2 : 1, 40, 1);
    const double ops = 2e-9 * (double)(p.mb * p.oc * p.oh * p.oh) * (double)(p.ic * p.k * p.k);
    printf("%-44s %7.3f ms %7.1f Gop/s", name, 1e3 * c[0].best, ops / c[0].best);
    if (onednn) {
        const double ratio = c[1].best / c[0].best;
        printf(", oneDNN %7.1f, ratio %.2f", ops / c[1].best, ratio);
        log_sum += log(ratio);
        if (ratio < worst) worst = ratio;
        lines++;
        onednn->destroy(c[1].arg);
    }
    printf("\n");
    fflush(stdout);
    unmake(&conv);
}

static void bench_resnet50(int64_t mb) {
    for (size_t i = 0; i < sizeof(resnet50) / sizeof(resnet50[0]); i++) bench_problem(mb, resnet50[i]);
}

int main(int argc, char **argv) {
    bench_open(&bench);
    onednn = bench_rival();
    int i = 1;
    integers = argc > 1 && !strcmp(argv[1], "u8");
    if (integers) i++;
    printf("%s convolution on %s%s%s\n", integers ? "u8 x s8" : "f32", bench.name,
            onednn ? ", beside oneDNN " : "", onednn ? onednn->version : "");
    if (i == argc) {
        bench_resnet50(1);
        bench_resnet50(16);
    }
    for (; i < argc; i++) {
        long long n[6];
        const int got =
                sscanf(argv[i], "%lldx%lldx%lldx%lldx%lldx%lld", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);
        bool positive = got == 1 || got == 6;
        for (int k = 0; k < got; k++) positive = positive && n[k] > 0;
        if (!positive) {
            fprintf(stderr, "usage: %s [u8] [MB | MBxICxOCxIHxKxS ...]\n", argv[0]);
            return 2;
        }
        if (got == 1) bench_resnet50(n[0]);
        else bench_problem(n[0], (const int64_t[]){n[1], n[2], n[3], n[4], n[5]});
    }
    if (lines) {
        bench_ratio("geometric mean of the ratios", exp(log_sum / lines), 0.8);
        bench_ratio("lowest ratio", worst, 0.4);
    }
    bench_close(&bench);
    return 0;
}
