/* SPDX-License-Identifier: Apache-2.0 */
/* Names of problems for people, as tables of results print them. */
#include <stdio.h>
#include <string.h>

#include "bench_problem.h"
#include "core/strings.h"
#include "oneapi/dnnl/dnnl_types.h"

static const plain_tensor_t *find(const plain_problem_t *p, int arg) {
    for (int i = 0; i < p->ntensors; i++)
        if (p->tensor[i].arg == arg) return &p->tensor[i];
    return NULL;
}

/* The tensor or its gradient. */
static const plain_tensor_t *find_either(const plain_problem_t *p, int arg, int diff) {
    const plain_tensor_t *t = find(p, arg);
    return t ? t : find(p, diff);
}

static const plain_tensor_t *src(const plain_problem_t *p) {
    return find_either(p, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
}
static const plain_tensor_t *dst(const plain_problem_t *p) {
    return find_either(p, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
}
static const plain_tensor_t *weights_of(const plain_problem_t *p) {
    return find_either(p, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS);
}

static long long dim(const plain_tensor_t *t, int d) {
    return t->dims[d];
}

static const char *order(const plain_tensor_t *t) {
    const int64_t channels = t->strides[1], columns = t->strides[t->ndims - 1];
    if (t->ndims == 4) return channels == 1 ? "nhwc" : "nchw";
    return columns == 1 ? "ab" : "ba";
}

/* "4096x4096"; the columns of an image are as many as its rows. */
static const char *shape(const plain_tensor_t *t) {
    static char text[64];
    const int n = snprintf(text, sizeof(text), "%lldx%lld", dim(t, 0), dim(t, 1));
    if (t->ndims > 2) snprintf(text + n, sizeof(text) - (size_t)n, "x%lld", dim(t, 2));
    return text;
}

static void convolution(text_t *s, const plain_problem_t *p) {
    const plain_tensor_t *in = src(p), *out = dst(p), *weights = weights_of(p);
    text_add(s, "%s mb%lldic%lldih%lldoc%lldoh%lldkh%lldsh%lld",
            strcmp(in->type, "u8") ? "conv" : "u8conv", dim(in, 0), dim(in, 1), dim(in, 2),
            dim(out, 1), dim(out, 2), dim(weights, weights->ndims - 2), (long long)p->strides[0]);
}

static void pooling(text_t *s, const plain_problem_t *p) {
    const long long k = p->kernel[0], stride = p->strides[0];
    char step[24] = "";
    if (stride > 1) snprintf(step, sizeof(step), " s%lld", stride);
    text_add(s, "pooling %s %lldx%lld%s %s, %s", strcmp(p->alg, "pooling_max") ? "average" : "max",
            k, k, step, shape(src(p)), order(src(p)));
}

static void resampling(text_t *s, const plain_problem_t *p) {
    text_add(s, "resampling %s %s to %lld, %s", p->alg + strlen("resampling_"), shape(src(p)),
            dim(dst(p), 2), order(src(p)));
}

static void lrn(text_t *s, const plain_problem_t *p) {
    text_add(s, "LRN %s of %d %s, %s", p->alg + strlen("lrn_"), p->local_size, shape(src(p)),
            order(src(p)));
}

static void batch_norm(text_t *s, const plain_problem_t *p) {
    text_add(s, "batch norm%s %s, %s", p->training ? ", training" : "", shape(src(p)),
            order(src(p)));
}

static void layer_norm(text_t *s, const plain_problem_t *p) {
    text_add(s, "layer norm %s, %s", shape(src(p)), p->training ? "training" : "given");
}

static void softmax(text_t *s, const plain_problem_t *p) {
    text_add(s, "softmax %s axis %d", shape(src(p)), p->axis);
}

static void reduction(text_t *s, const plain_problem_t *p) {
    text_add(s, "%s of %s to ", p->alg + strlen("reduction_"), shape(src(p)));
    text_add(s, "%s", shape(dst(p)));
}

static void reorder(text_t *s, const plain_problem_t *p) {
    text_add(s, "reorder %s, %s to %s", shape(src(p)), order(src(p)), order(dst(p)));
}

static void matmul(text_t *s, const plain_problem_t *p) {
    const plain_tensor_t *weights = weights_of(p);
    text_add(s, "matmul %s x %s %sx%lld%s%s%s", src(p)->type, weights->type, shape(src(p)),
            dim(weights, 1), find(p, DNNL_ARG_BIAS) ? " + bias" : "", p->relu ? " + relu" : "",
            weights->any ? ", any" : "");
}

static void inner_product(text_t *s, const plain_problem_t *p) {
    text_add(s, "inner product %sx%lld", shape(src(p)), dim(weights_of(p), 0));
}

static void eltwise(text_t *s, const plain_problem_t *p) {
    text_add(s, "%s %s", p->alg + strlen("eltwise_"), shape(src(p)));
}

static void network(text_t *s, const plain_problem_t *p) {
    text_add(s, "%s T%lld N%lld C%lld", p->alg + strlen("vanilla_"), dim(src(p), 0), dim(src(p), 1),
            dim(src(p), 2));
}

/* ", by data" */
static void direction(text_t *s, const plain_problem_t *p) {
    const char *of = p->backward ? strchr(p->backward, '_') : NULL;
    const bool product = find(p, DNNL_ARG_WEIGHTS) || find(p, DNNL_ARG_DIFF_WEIGHTS);
    if (p->backward) text_add(s, product && of ? ", by %s" : ", backward", of ? of + 1 : "");
}

/* Dimensions: of the source. */
static const struct {
    const char *kind;
    int ndims, or_ndims;
    void (*write)(text_t *s, const plain_problem_t *p);
} kinds[] = {{"convolution", 4, 4, convolution}, {"pooling", 4, 4, pooling},
        {"resampling", 4, 4, resampling}, {"lrn", 4, 4, lrn},
        {"batch_normalization", 4, 4, batch_norm}, {"layer_normalization", 2, 2, layer_norm},
        {"softmax", 2, 2, softmax}, {"reduction", 2, 2, reduction}, {"reorder", 2, 4, reorder},
        {"matmul", 2, 2, matmul}, {"inner_product", 2, 2, inner_product},
        {"eltwise", 2, 2, eltwise}, {"rnn", 3, 3, network}};

bool problem_name(char *name, const plain_problem_t *p) {
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const int ndims = src(p)->ndims;
        if (strcmp(kinds[i].kind, p->kind)) continue;
        if (ndims != kinds[i].ndims && ndims != kinds[i].or_ndims) return false;
        text_t text = text_start(name, PROBLEM_NAME);
        kinds[i].write(&text, p);
        direction(&text, p);
        return true;
    }
    return false;
}
