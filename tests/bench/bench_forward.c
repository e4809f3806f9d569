/* SPDX-License-Identifier: Apache-2.0 */
/* Forward primitives beside oneDNN's CPU library in one run: ResNet-50's convolutions, pooling,
 * batch norm and final matmul, and large tensors for the others. One line each, then the
 * geometric mean and the lowest.
 *   bench_forward [-s SECONDS] [-r FILE] [SECTION | MBxICxOCxIHxKxS | TYPE:MxNxK ...]
 * -s: of a line. -r: lines of earlier runs are read from the file, this run's added, and the mean is that of
 * all. Sections run in turn; by default all but those that need to be asked for. Types of a
 * matmul: f32, bf16, s8, u8. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_problem.h"

enum { MAX_LINES = 256, NAME = 64 };
typedef struct {
    char name[NAME];
    double ratio;
} line_t;

static bench_t bench;
static const library_t *here, *there;
static line_t lines[MAX_LINES];
static int nlines;
static double seconds_per_line = 0.5;

static void keep(const char *name, double ratio) {
    int i = 0;
    while (i < nlines && strcmp(lines[i].name, name)) i++;
    if (i == MAX_LINES) return;
    if (i == nlines) nlines++;
    snprintf(lines[i].name, NAME, "%s", name);
    lines[i].ratio = ratio;
}

static race_t measure(const char *name, const problem_t *p, double tolerance) {
    const race_t r = race_problem(&bench, here, there, name, p, tolerance, 40, seconds_per_line);
    printf("%-42s %9.3f ms", name, 1e3 * r.here);
    if (there) {
        printf("  %9.3f ms  ratio %.2f", 1e3 * r.there, r.there / r.here);
        keep(name, r.there / r.here);
    }
    printf("\n");
    fflush(stdout);
    return r;
}

static void add(
        problem_t *p, role_t role, type_t type, order_t order, int ndims, const int64_t *dims) {
    p->tensor[p->ntensors++] = tensor(role, type, order, ndims, dims);
}

/* ---- convolution, layouts left to the library ---- */

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

static void convolution(int64_t mb, const int64_t *shape, bool bytes) {
    const int64_t ic = shape[0], oc = shape[1], ih = shape[2], k = shape[3], stride = shape[4],
                  pad = k / 2;
    const int64_t oh = (ih - k + 2 * pad) / stride + 1;
    problem_t p = {.kind = KIND_CONVOLUTION,
            .strides = {stride, stride},
            .pad_left = {pad, pad},
            .pad_right = {pad, pad}};
    const type_t activation = bytes ? TYPE_U8 : TYPE_F32;
    char name[NAME];
    add(&p, ROLE_SRC, activation, ORDER_ANY, 4, (int64_t[]){mb, ic, ih, ih});
    add(&p, ROLE_WEIGHTS, bytes ? TYPE_S8 : TYPE_F32, ORDER_ANY, 4, (int64_t[]){oc, ic, k, k});
    add(&p, ROLE_BIAS, TYPE_F32, ORDER_PLAIN, 1, (int64_t[]){oc});
    add(&p, ROLE_DST, activation, ORDER_ANY, 4, (int64_t[]){mb, oc, oh, oh});
    snprintf(name, NAME, "%s mb%lldic%lldih%lldoc%lldoh%lldkh%lldsh%lld", bytes ? "u8conv" : "conv",
            (long long)mb, (long long)ic, (long long)ih, (long long)oc, (long long)oh, (long long)k,
            (long long)stride);
    measure(name, &p, 1e-2);
}

static void convolutions(int64_t mb, bool bytes) {
    for (size_t i = 0; i < sizeof(resnet50) / sizeof(resnet50[0]); i++)
        convolution(mb, resnet50[i], bytes);
}

static void conv1(void) {
    convolutions(1, false);
}
static void conv16(void) {
    convolutions(16, false);
}
static void u8conv1(void) {
    convolutions(1, true);
}
static void u8conv16(void) {
    convolutions(16, true);
}

/* ---- what moves images ---- */

static const char *const order_names[] = {"nchw", "nhwc"};

static void image(problem_t *p, role_t role, order_t order, int64_t n, int64_t c, int64_t hw) {
    add(p, role, TYPE_F32, order, 4, (int64_t[]){n, c, hw, hw});
}

static void pooling(int64_t mb, alg_t alg, order_t order) {
    const bool max = alg == ALG_MAX;
    const int64_t k = max ? 3 : 7, stride = max ? 2 : 1, c = max ? 64 : 2048, in = max ? 112 : 7,
                  out = max ? 56 : 1;
    problem_t p = {.kind = KIND_POOLING,
            .alg = alg,
            .strides = {stride, stride},
            .kernel = {k, k},
            .pad_left = {max, max}};
    char name[NAME];
    image(&p, ROLE_SRC, order, mb, c, in);
    image(&p, ROLE_DST, order, mb, c, out);
    snprintf(name, NAME, "pooling %s %lldx%lldx%lld, %s", max ? "max 3x3 s2" : "average 7x7",
            (long long)mb, (long long)c, (long long)in, order_names[order]);
    measure(name, &p, 1e-5);
}

static void poolings(int64_t mb) {
    for (alg_t alg = ALG_MAX; alg <= ALG_AVERAGE; alg++)
        for (order_t order = ORDER_PLAIN; order <= ORDER_CHANNELS_LAST; order++)
            pooling(mb, alg, order);
}

static void pool1(void) {
    poolings(1);
}
static void pool16(void) {
    poolings(16);
}

/* The destination has 64 MB. */
static void resamplings(void) {
    for (alg_t alg = ALG_NEAREST; alg <= ALG_LINEAR; alg++)
        for (order_t order = ORDER_PLAIN; order <= ORDER_CHANNELS_LAST; order++) {
            problem_t p = {.kind = KIND_RESAMPLING, .alg = alg};
            char name[NAME];
            image(&p, ROLE_SRC, order, 4, 64, 128);
            image(&p, ROLE_DST, order, 4, 64, 256);
            snprintf(name, NAME, "resampling %s 4x64x128 to 256, %s",
                    alg == ALG_LINEAR ? "linear" : "nearest", order_names[order]);
            measure(name, &p, 1e-5);
        }
}

static void batch_norm(int64_t mb, int64_t c, int64_t hw, order_t order, bool training) {
    problem_t p = {.kind = KIND_BATCH_NORM, .training = training};
    char name[NAME];
    image(&p, ROLE_SRC, order, mb, c, hw);
    for (role_t role = ROLE_MEAN; role <= ROLE_SHIFT; role++)
        add(&p, role, TYPE_F32, ORDER_PLAIN, 1, (int64_t[]){c});
    image(&p, ROLE_DST, order, mb, c, hw);
    snprintf(name, NAME, "batch norm%s %lldx%lldx%lld, %s", training ? ", training" : "",
            (long long)mb, (long long)c, (long long)hw, order_names[order]);
    measure(name, &p, 1e-4);
}

static void batch_norms(int64_t mb) {
    static const int64_t shapes[][2] = {{64, 112}, {64, 56}, {256, 56}, {128, 28}, {512, 28},
            {256, 14}, {1024, 14}, {512, 7}, {2048, 7}};
    for (order_t order = ORDER_PLAIN; order <= ORDER_CHANNELS_LAST; order++) {
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            batch_norm(mb, shapes[i][0], shapes[i][1], order, false);
        if (mb > 1) {
            batch_norm(mb, 64, 112, order, true);
            batch_norm(mb, 2048, 7, order, true);
        }
    }
}

static void bnorm1(void) {
    batch_norms(1);
}
static void bnorm16(void) {
    batch_norms(16);
}

/* ---- matrices ---- */

static void matrix(
        problem_t *p, role_t role, type_t type, order_t order, int64_t rows, int64_t cols) {
    add(p, role, type, order, 2, (int64_t[]){rows, cols});
}

static const char *const type_names[] = {"f32", "bf16", "s32", "s8", "u8"};

static double matmul(
        type_t src, int64_t m, int64_t n, int64_t k, order_t order, bool bias, bool relu) {
    const bool bytes = src == TYPE_S8 || src == TYPE_U8;
    const type_t wei = bytes ? TYPE_S8 : src, dst = bytes ? TYPE_S32 : src;
    problem_t p = {.kind = KIND_MATMUL, .relu = relu};
    char name[NAME];
    matrix(&p, ROLE_SRC, src, ORDER_PLAIN, m, k);
    matrix(&p, ROLE_WEIGHTS, wei, order, k, n);
    if (bias) matrix(&p, ROLE_BIAS, TYPE_F32, ORDER_PLAIN, 1, n);
    matrix(&p, ROLE_DST, dst, ORDER_PLAIN, m, n);
    snprintf(name, NAME, "matmul %s x %s %lldx%lldx%lld%s%s%s", type_names[src], type_names[wei],
            (long long)m, (long long)k, (long long)n, bias ? " + bias" : "", relu ? " + relu" : "",
            order == ORDER_ANY ? ", any" : "");
    return measure(name, &p, 1e-3).here;
}

/* ResNet-50's last matmul, weights left to the library as those of the convolutions; and
 * integers. */
static void matmuls(void) {
    for (int64_t m = 1; m <= 16; m += 15) matmul(TYPE_F32, m, 1000, 2048, ORDER_ANY, true, false);
    for (type_t type = TYPE_S8; type <= TYPE_U8; type++)
        for (int any = 0; any < 2; any++)
            matmul(type, 1024, 1024, 1024, any ? ORDER_ANY : ORDER_PLAIN, false, false);
}

static void matmul_plain(void) {
    for (int64_t m = 1; m <= 16; m += 15) matmul(TYPE_F32, m, 1000, 2048, ORDER_PLAIN, true, false);
}

/* Plain, with weights in the library's layout, and what a bias and relu cost. */
static void three_matmuls(type_t type, int64_t m, int64_t n, int64_t k) {
    const double plain = matmul(type, m, n, k, ORDER_PLAIN, false, false);
    matmul(type, m, n, k, ORDER_ANY, false, false);
    const double fused = matmul(type, m, n, k, ORDER_PLAIN, true, true);
    bench_ratio("plain time / time with bias and relu", plain / fused, 1 / 1.1);
}

static void cubes(void) {
    for (int64_t size = 512; size <= 2048; size *= 2) three_matmuls(TYPE_F32, size, size, size);
}

enum { LARGE = 4096 };

static void softmaxes(void) {
    for (int axis = 1; axis >= 0; axis--) {
        problem_t p = {.kind = KIND_SOFTMAX, .axis = axis};
        char name[NAME];
        matrix(&p, ROLE_SRC, TYPE_F32, ORDER_PLAIN, LARGE, LARGE);
        matrix(&p, ROLE_DST, TYPE_F32, ORDER_PLAIN, LARGE, LARGE);
        snprintf(name, NAME, "softmax 4096x4096 axis %d", axis);
        measure(name, &p, 1e-6);
    }
    for (int training = 0; training <= 1; training++) {
        problem_t p = {.kind = KIND_LAYER_NORM, .training = training};
        matrix(&p, ROLE_SRC, TYPE_F32, ORDER_PLAIN, LARGE, LARGE);
        for (role_t role = ROLE_MEAN; role <= ROLE_SHIFT; role++)
            add(&p, role, TYPE_F32, ORDER_PLAIN, 1, (int64_t[]){LARGE});
        matrix(&p, ROLE_DST, TYPE_F32, ORDER_PLAIN, LARGE, LARGE);
        measure(training ? "layer norm 4096x4096, training" : "layer norm 4096x4096, given", &p,
                1e-4);
    }
}

static void reductions(void) {
    static const int64_t dims[][2] = {{1, 1}, {LARGE, 1}, {1, LARGE}};
    for (int i = 0; i < 3; i++) {
        problem_t p = {.kind = KIND_REDUCTION};
        char name[NAME];
        matrix(&p, ROLE_SRC, TYPE_F32, ORDER_PLAIN, LARGE, LARGE);
        matrix(&p, ROLE_DST, TYPE_F32, ORDER_PLAIN, dims[i][0], dims[i][1]);
        snprintf(name, NAME, "sum of 4096x4096 to %lldx%lld", (long long)dims[i][0],
                (long long)dims[i][1]);
        measure(name, &p, 1e-3);
    }
}

static void reorders(void) {
    problem_t p = {.kind = KIND_REORDER};
    matrix(&p, ROLE_SRC, TYPE_F32, ORDER_PLAIN, LARGE, LARGE);
    matrix(&p, ROLE_DST, TYPE_F32, ORDER_SWAPPED, LARGE, LARGE);
    measure("reorder 4096x4096, ab to ba", &p, 0);
    for (order_t order = ORDER_PLAIN; order <= ORDER_CHANNELS_LAST; order++) {
        problem_t q = {.kind = KIND_REORDER};
        char name[NAME];
        image(&q, ROLE_SRC, order, 16, 64, 128);
        image(&q, ROLE_DST, ORDER_CHANNELS_LAST - order, 16, 64, 128);
        snprintf(
                name, NAME, "reorder 16x64x128, %s to %s", order_names[order], order_names[!order]);
        measure(name, &q, 0);
    }
}

/* One of each kind, to see that all work. */
static void tiny(void) {
    convolution(1, (const int64_t[]){5, 20, 9, 3, 1}, false);
    convolution(1, (const int64_t[]){5, 20, 9, 3, 1}, true);
    batch_norm(2, 20, 3, ORDER_CHANNELS_LAST, true);
    three_matmuls(TYPE_F32, 3, 20, 30);
    matmul(TYPE_U8, 3, 20, 30, ORDER_PLAIN, false, false);
    pooling(1, ALG_AVERAGE, ORDER_CHANNELS_LAST);
}

/* ---- the program ---- */

static const struct {
    const char *name;
    void (*run)(void);
    bool asked_for;
} sections[] = {
        {"conv1", conv1, false},
        {"conv16", conv16, false},
        {"pool16", pool16, false},
        {"bnorm16", bnorm16, false},
        {"matmul", matmuls, false},
        {"softmax", softmaxes, false},
        {"reduction", reductions, false},
        {"resampling", resamplings, false},
        {"reorder", reorders, false},
        {"pool1", pool1, true}, /* small: the launch counts */
        {"bnorm1", bnorm1, true},
        {"matmul_plain", matmul_plain, true},
        {"u8conv1", u8conv1, true},
        {"u8conv16", u8conv16, true},
        {"cubes", cubes, true},
        {"tiny", tiny, true},
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static int usage(const char *program) {
    fprintf(stderr,
            "usage: %s [-s SECONDS] [-r FILE] [SECTION | MBxICxOCxIHxKxS | TYPE:MxNxK "
            "...]\nsections:",
            program);
    for (int i = 0; i < SECTIONS; i++) fprintf(stderr, " %s", sections[i].name);
    fprintf(stderr, "\n");
    return 2;
}

static bool run_argument(const char *arg) {
    long long n[6];
    int got, types = 0;
    for (int i = 0; i < SECTIONS; i++)
        if (!strcmp(sections[i].name, arg)) {
            sections[i].run();
            return true;
        }
    const char *colon = strchr(arg, ':');
    if (colon) got = sscanf(colon, ":%lldx%lldx%lld", &n[0], &n[1], &n[2]);
    else
        got = sscanf(
                arg, "%lldx%lldx%lldx%lldx%lldx%lld", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);
    if (got != (colon ? 3 : 6)) return false;
    for (int i = 0; i < got; i++)
        if (n[i] < 1) return false;
    if (!colon) convolution(n[0], (const int64_t[]){n[1], n[2], n[3], n[4], n[5]}, false);
    for (int t = 0; t < TYPE_COUNT && colon; t++)
        if (t != TYPE_S32 && !strncmp(arg, type_names[t], (size_t)(colon - arg))) {
            three_matmuls((type_t)t, n[0], n[1], n[2]);
            types++;
        }
    return !colon || types == 1;
}

static void read_lines(const char *path) {
    char name[NAME];
    double ratio;
    FILE *f = fopen(path, "r");
    if (!f) return; /* the first run */
    while (fscanf(f, " %lf %63[^\n]", &ratio, name) == 2) keep(name, ratio);
    fclose(f);
}

static void write_lines(const char *path) {
    FILE *f = fopen(path, "w");
    CHECK(!f);
    for (int i = 0; i < nlines; i++) fprintf(f, "%.3f %s\n", lines[i].ratio, lines[i].name);
    fclose(f);
}

static void summary(void) {
    double log_sum = 0;
    int lowest = 0;
    for (int i = 0; i < nlines; i++) {
        log_sum += log(lines[i].ratio);
        if (lines[i].ratio < lines[lowest].ratio) lowest = i;
    }
    printf("%d lines, the lowest is %s\n", nlines, lines[lowest].name);
    bench_ratio("geometric mean of the ratios", exp(log_sum / nlines), 0.8);
    bench_ratio("lowest ratio", lines[lowest].ratio, 0.4);
}

int main(int argc, char **argv) {
    const char *file = NULL;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (!strcmp(argv[i], "-s")) seconds_per_line = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "-r")) file = argv[i + 1];
        else return usage(argv[0]);
    }
    bench_open(&bench);
    here = problem_library(bench.engine, bench.stream);
    there = bench_rival();
    printf("on %s%s%s\n", bench.name, there ? ", beside oneDNN " : "", there ? there->version : "");
    if (file) read_lines(file);
    if (i == argc)
        for (int s = 0; s < SECTIONS; s++)
            if (!sections[s].asked_for) sections[s].run();
    for (; i < argc; i++)
        if (!run_argument(argv[i])) return usage(argv[0]);
    if (file) write_lines(file);
    if (nlines) summary();
    bench_close(&bench);
    return 0;
}
