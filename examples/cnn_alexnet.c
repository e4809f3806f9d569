/* SPDX-License-Identifier: Apache-2.0 */
/* AlexNet's layers (Krizhevsky, Sutskever, Hinton, 2012) on random images and weights, each
 * checked in plain C.
 *
 * The pattern is that of every net: a layer is described with layouts left open (`any`), the
 * library chooses, weights are brought into the chosen layout once, and an activation is only
 * reordered where two layers disagree. Activations and bias ride along with the layer before
 * them as post-ops and arguments, so that they cost no pass of their own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cnn.h"
#include "net.h"

typedef enum { CONV, LRN, POOL, FC, SOFTMAX } layer_kind_t;

typedef struct {
    const char *name;
    layer_kind_t kind;
    dnnl_dim_t out, kernel, stride, pad, groups; /* out: channels */
    int relu;
    float gain; /* of the weights, over the spread that keeps the size of activations */
} layer_t;

static const layer_t alexnet[] = {
        {"conv1", CONV, 96, 11, 4, 0, 1, 1, 1},
        {"lrn1", LRN, .kernel = 5},
        {"pool1", POOL, .kernel = 3, .stride = 2},
        {"conv2", CONV, 256, 5, 1, 2, 2, 1, 1},
        {"lrn2", LRN, .kernel = 5},
        {"pool2", POOL, .kernel = 3, .stride = 2},
        {"conv3", CONV, 384, 3, 1, 1, 1, 1, 1},
        {"conv4", CONV, 384, 3, 1, 1, 2, 1, 1},
        {"conv5", CONV, 256, 3, 1, 1, 2, 1, 1},
        {"pool5", POOL, .kernel = 3, .stride = 2},
        {"fc6", FC, 4096, .relu = 1, .gain = 1},
        {"fc7", FC, 4096, .relu = 1, .gain = 1},
        {"fc8", FC, 1000, .relu = 0,
                .gain = 0.05f}, /* small, or one class would take all of softmax */
        {"prob", SOFTMAX, .relu = 0},
};
enum { LAYERS = sizeof alexnet / sizeof alexnet[0], SIZE = 227, CHANNELS = 3, CHECKED = 400 };

/* Local response normalization as in the paper; its factor of 1e-4 is for each of the 5
 * channels, the library's for their mean. */
static const float lrn_alpha = 5e-4f, lrn_beta = 0.75f, lrn_k = 2;

/* What was made of a layer: its step in the net, perhaps a reorder before it, and what the check
 * needs. */
typedef struct {
    const layer_t *layer;
    step_t reorder, step;
    const char *implementation;
    dnnl_memory_t src, dst;
    const float *weights, *bias; /* as the host filled them: row-major */
} built_t;

/* The reordered weights and the bias of a convolution or a fully connected layer, random. */
static void add_weights(net_t *net, built_t *b, const_dnnl_memory_desc_t plain,
        dnnl_primitive_desc_t pd, dnnl_dim_t out, uint64_t seed) {
    float *weights, *bias;
    dnnl_memory_t host = net_host_memory(net, plain, &weights);
    dnnl_memory_t bias_memory = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_a, out), &bias);
    const size_t count = desc_elements(plain), inputs = count / (size_t)out;
    const float spread = b->layer->gain * sqrtf(6.f / (float)inputs);
    random_fill(weights, count, seed, -spread, spread);
    random_fill(bias, (size_t)out, seed + 1, -10 * b->layer->gain, 10 * b->layer->gain);
    b->weights = weights;
    b->bias = bias;
    b->step.args[b->step.nargs++] = (dnnl_exec_arg_t){
            DNNL_ARG_WEIGHTS, net_upload(net, host, chosen(pd, DNNL_ARG_WEIGHTS), NULL, NULL)};
    b->step.args[b->step.nargs++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, bias_memory};
}

/* `memory`, or if a layer wants another layout, a copy that a reorder in front of the layer
 * fills at each run. */
static dnnl_memory_t in_layout(
        net_t *net, dnnl_memory_t memory, const_dnnl_memory_desc_t wanted, step_t *reorder) {
    if (dnnl_memory_desc_equal(memory_desc(memory), wanted)) return memory;
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, memory_desc(memory), net->engine, wanted, net->engine, NULL));
    dnnl_memory_t copy = net_device_memory(net, wanted);
    *reorder = (step_t){
            "reorder", net_primitive(net, pd), 2, {{DNNL_ARG_FROM, memory}, {DNNL_ARG_TO, copy}}};
    return copy;
}

static built_t build(net_t *net, const layer_t *l, dnnl_memory_t src, uint64_t seed) {
    built_t b = {.layer = l, .step = {.name = l->name}};
    const_dnnl_memory_desc_t src_desc = memory_desc(src), weights = NULL;
    const dnnl_dim_t *in = desc_dims(src_desc), n = in[0], c = in[1];
    const dnnl_dim_t side = desc_ndims(src_desc) == 4 ? in[2] : 1;
    const dnnl_dim_t moved = l->stride ? (side + 2 * l->pad - l->kernel) / l->stride + 1 : side;
    const dnnl_dims_t strides = {l->stride, l->stride}, kernel = {l->kernel, l->kernel};
    const dnnl_dims_t pad = {l->pad, l->pad}, none = {0, 0};
    const dnnl_prop_kind_t prop = dnnl_forward_inference;

    dnnl_post_ops_t post_ops = net_post_ops(net);
    if (l->relu) CHECK_DNNL(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    const_dnnl_primitive_attr_t attr = net_attr(net, post_ops);

    dnnl_primitive_desc_t pd = NULL;
    switch (l->kind) {
    case CONV:
        weights = l->groups == 1
                          ? NET_DESC(net, dnnl_f32, dnnl_oihw, l->out, c, l->kernel, l->kernel)
                          : NET_DESC(net, dnnl_f32, dnnl_goihw, l->groups, l->out / l->groups,
                                    c / l->groups, l->kernel, l->kernel);
        CHECK_DNNL(dnnl_convolution_forward_primitive_desc_create(&pd, net->engine, prop,
                dnnl_convolution_direct, net_any(net, src_desc, dnnl_f32),
                net_any(net, weights, dnnl_f32), NET_DESC(net, dnnl_f32, dnnl_a, l->out),
                NET_DESC(net, dnnl_f32, dnnl_format_tag_any, n, l->out, moved, moved), strides,
                none, pad, pad, attr));
        break;
    case LRN:
        CHECK_DNNL(dnnl_lrn_forward_primitive_desc_create(&pd, net->engine, prop,
                dnnl_lrn_across_channels, src_desc, net_any(net, src_desc, dnnl_f32), l->kernel,
                lrn_alpha, lrn_beta, lrn_k, attr));
        break;
    case POOL:
        CHECK_DNNL(
                dnnl_pooling_forward_primitive_desc_create(&pd, net->engine, prop, dnnl_pooling_max,
                        src_desc, NET_DESC(net, dnnl_f32, dnnl_format_tag_any, n, c, moved, moved),
                        strides, kernel, none, pad, pad, attr));
        break;
    case FC: /* The image keeps its layout: weights with an image's dimensions can follow it. */
        weights = side > 1 ? NET_DESC(net, dnnl_f32, dnnl_oihw, l->out, c, side, side)
                           : NET_DESC(net, dnnl_f32, dnnl_oi, l->out, c);
        CHECK_DNNL(dnnl_inner_product_forward_primitive_desc_create(&pd, net->engine, prop,
                src_desc, net_any(net, weights, dnnl_f32), NET_DESC(net, dnnl_f32, dnnl_a, l->out),
                NET_DESC(net, dnnl_f32, dnnl_format_tag_any, n, l->out), attr));
        break;
    case SOFTMAX:
        CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(&pd, net->engine, prop,
                dnnl_softmax_accurate, src_desc, net_any(net, src_desc, dnnl_f32), 1, attr));
        break;
    }
    b.step.primitive = net_primitive(net, pd);
    b.src = in_layout(net, src, chosen(pd, DNNL_ARG_SRC), &b.reorder);
    b.dst = net_device_memory(net, chosen(pd, DNNL_ARG_DST));
    b.step.args[b.step.nargs++] = (dnnl_exec_arg_t){DNNL_ARG_SRC, b.src};
    b.step.args[b.step.nargs++] = (dnnl_exec_arg_t){DNNL_ARG_DST, b.dst};
    if (weights) add_weights(net, &b, weights, pd, l->out, seed);
    CHECK_DNNL(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &b.implementation));
    return b;
}

/* One element of a layer's result in double precision, from the f32 values that the layer was
 * given. *scale is what an error is to be compared with: the sum of all magnitudes that were
 * added up. */
static double reference(const built_t *b, const float *x, size_t at, double *scale) {
    const layer_t *l = b->layer;
    const_dnnl_memory_desc_t src = memory_desc(b->src), dst = memory_desc(b->dst);
    const dnnl_dim_t c = desc_dims(src)[1], oc = desc_dims(dst)[1];
    const dnnl_dim_t s = desc_ndims(src) == 4 ? desc_dims(src)[2] : 1;
    const dnnl_dim_t os = desc_ndims(dst) == 4 ? desc_dims(dst)[2] : 1;
    const dnnl_dim_t ox = (dnnl_dim_t)at % os, oy = (dnnl_dim_t)at / os % os;
    const dnnl_dim_t o = (dnnl_dim_t)at / (os * os) % oc, n = (dnnl_dim_t)at / (os * os * oc);
    const float *image = x + n * c * s * s;
    double sum = 0, magnitude = 0;

    if (l->kind == CONV || l->kind == FC) {
        const dnnl_dim_t k = l->kind == CONV ? l->kernel : s,
                         stride = l->kind == CONV ? l->stride : 1;
        const dnnl_dim_t ic = l->kind == CONV ? c / l->groups : c;
        const dnnl_dim_t first = l->kind == CONV ? o / (l->out / l->groups) * ic : 0;
        for (dnnl_dim_t i = 0; i < ic; i++)
            for (dnnl_dim_t ky = 0; ky < k; ky++)
                for (dnnl_dim_t kx = 0; kx < k; kx++) {
                    const dnnl_dim_t y = oy * stride - l->pad + ky, xx = ox * stride - l->pad + kx;
                    if (y < 0 || y >= s || xx < 0 || xx >= s) continue;
                    const double product = (double)image[((first + i) * s + y) * s + xx] *
                                           (double)b->weights[((o * ic + i) * k + ky) * k + kx];
                    sum += product;
                    magnitude += fabs(product);
                }
        sum += (double)b->bias[o];
        *scale = magnitude + fabs((double)b->bias[o]);
        return l->relu && sum < 0 ? 0 : sum;
    }
    if (l->kind == LRN) {
        const dnnl_dim_t half = (l->kernel - 1) / 2;
        for (dnnl_dim_t i = o - half; i <= o + half; i++)
            if (i >= 0 && i < c) sum += pow((double)image[(i * s + oy) * s + ox], 2);
        sum = (double)image[(o * s + oy) * s + ox] *
              pow((double)lrn_k + (double)lrn_alpha / (double)l->kernel * sum, -(double)lrn_beta);
    } else if (l->kind == POOL) {
        sum = -INFINITY;
        for (dnnl_dim_t ky = 0; ky < l->kernel; ky++)
            for (dnnl_dim_t kx = 0; kx < l->kernel; kx++)
                sum = fmax(sum,
                        (double)image[(o * s + oy * l->stride + ky) * s + ox * l->stride + kx]);
    } else {
        double largest = -INFINITY;
        for (dnnl_dim_t i = 0; i < c; i++) largest = fmax(largest, (double)image[i]);
        for (dnnl_dim_t i = 0; i < c; i++) sum += exp((double)image[i] - largest);
        sum = exp((double)image[o] - largest) / sum;
    }
    *scale = fabs(sum);
    return sum;
}

/* Recomputes some elements of a layer, the first and the last among them. Returns the largest
 * error, relative to the magnitudes summed. */
static double check(net_t *net, const built_t *b, uint64_t seed) {
    float *x = net_read(net, b->src), *y = net_read(net, b->dst);
    const size_t count = desc_elements(memory_desc(b->dst));
    double worst = 0;
    for (size_t i = 0; i < CHECKED; i++) {
        const size_t at = i == 0 ? 0 : i == 1 ? count - 1 : random_index(seed + i, count);
        double scale;
        const double expected = reference(b, x, at, &scale), error = fabs((double)y[at] - expected);
        if (isnan(error)) worst = INFINITY;
        else if (error > 0) worst = fmax(worst, error / scale);
    }
    free(x);
    free(y);
    return worst;
}

static void print_shape(const_dnnl_memory_desc_t desc) {
    char text[64];
    int n = 0;
    for (int d = 0; d < desc_ndims(desc); d++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld", d ? "x" : "",
                (long long)desc_dims(desc)[d]);
    printf("%-14s", text);
}

int cnn_alexnet(dnnl_dim_t batch) {
    /* f32 rounds by up to 6e-8 of a value at each operation. A sum of thousands stays below
     * this, since errors of either sign mix; so do a few steps of exp and pow. */
    const double tolerance = 3e-6;
    net_t net;
    net_open(&net, 0);
    printf("AlexNet, %lld images, f32, on %s\n", (long long)batch, net.app.properties.name);

    float *pixels;
    dnnl_memory_t images = net_host_memory(
            &net, NET_DESC(&net, dnnl_f32, dnnl_nchw, batch, CHANNELS, SIZE, SIZE), &pixels);
    random_fill(pixels, (size_t)(batch * CHANNELS * SIZE * SIZE), 1, -128, 128);

    double start = now_ms();
    built_t built[LAYERS];
    dnnl_memory_t memory = images;
    int reorders = 0;
    for (int i = 0; i < LAYERS; i++) {
        built[i] = build(&net, &alexnet[i], memory, 100 + 2 * (uint64_t)i);
        memory = built[i].dst;
        reorders += built[i].reorder.primitive != NULL;
    }
    net_wait(&net); /* for the weights */
    printf("built in %.0f ms, %d reorders between layers\n", now_ms() - start, reorders);

    /* The net itself: the list is in-order, so nothing stands between one step and the next. The
     * first run finds memory that nobody has touched yet; the second is what the following ones
     * take. */
    for (int run = 0; run < 2; run++) {
        start = now_ms();
        for (int i = 0; i < LAYERS; i++) {
            if (built[i].reorder.primitive) net_run(&net, &built[i].reorder);
            net_run(&net, &built[i].step);
        }
        net_wait(&net);
        printf("run %d: %.1f ms\n", run + 1, now_ms() - start);
    }

    int bad = 0;
    printf("layer   result        largest error of %d elements  kernel\n", CHECKED);
    for (int i = 0; i < LAYERS; i++) {
        const double error = check(&net, &built[i], 1000 * (uint64_t)i);
        const int wrong = !(error <= tolerance);
        printf("%-8s", alexnet[i].name);
        print_shape(memory_desc(built[i].dst));
        printf("%.1e %-22s%s\n", error, wrong ? "WRONG" : "", built[i].implementation);
        bad += wrong;
    }
    net_close(&net);
    printf("checked with plain C: %d of %d layers off by more than %.0e of what they sum\n\n", bad,
            LAYERS, tolerance);
    return bad != 0;
}
