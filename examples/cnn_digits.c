/* SPDX-License-Identifier: Apache-2.0 */
/* A small net learns digits and classifies others, in f32, bf16 and int8:
 *
 *     pixels -> convolution with random filters, relu -> maximum pooling -> inner product
 *         -> scores of 10 digits
 *
 * Only the last layer learns, and that in closed form: its weights solve a ridge regression of
 * the digits on the pooled features. The library computes features and the sums over all images,
 * plain C solves the equations. For int8, the largest feature seen while learning sets the scale
 * of the features, the largest weight of a row that of the row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cnn.h"
#include "net.h"

enum { BATCH = 256, FILTERS = 48, KERNEL = 5, DIGITS = 10, MAX_STEPS = 4 };
static const double ridge = 1e-3, allowed_loss = 1.0,
                    least_accuracy = 95.0; /* the latter two in percent */

typedef struct {
    const char *name;
    dnnl_data_type_t pixel, weight, feature;
} precision_t;

static const precision_t precisions[] = {
        {"f32", dnnl_f32, dnnl_f32, dnnl_f32},
        {"bf16", dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {"int8", dnnl_u8, dnnl_s8, dnnl_u8},
};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

/* What is the same in all precisions: sizes, and weights as f32. */
typedef struct {
    dnnl_dim_t side, window, pooled, features; /* of an image, of pooling, of the result; in all */
    float *filters;                            /* FILTERS x 1 x KERNEL x KERNEL */
    float *weights, *bias;                     /* DIGITS x features; DIGITS */
    float feature_max;
} model_t;

/* One precision's net on a batch. */
typedef struct {
    dnnl_memory_t pixels, features, scores;
    step_t steps[MAX_STEPS];
    int nsteps;
} layers_t;

static step_t *add_step(layers_t *l, const char *name, dnnl_primitive_t primitive) {
    l->steps[l->nsteps] = (step_t){.name = name, .primitive = primitive};
    return &l->steps[l->nsteps++];
}

/* Weights in the type and layout of `desc`, one scale for each of the `rows` of s8 weights: w =
 * scale * s8. The primitive that takes them gets the scales in *scales. */
static dnnl_memory_t quantize(net_t *net, const float *values, dnnl_memory_desc_t plain,
        const_dnnl_memory_desc_t desc, dnnl_data_type_t type, dnnl_memory_t *scales) {
    const size_t count = desc_elements(plain), rows = (size_t)desc_dims(plain)[0];
    float *host;
    dnnl_memory_t f32 = net_host_memory(net, plain, &host);
    memcpy(host, values, count * sizeof(float));
    if (type != dnnl_s8) return net_upload(net, f32, desc, NULL, NULL);

    float *scale = check_alloc(calloc(rows, sizeof(float)));
    for (size_t i = 0; i < count; i++)
        scale[i / (count / rows)] = fmaxf(scale[i / (count / rows)], fabsf(values[i]) / 127);
    *scales = net_vector(net, scale, (dnnl_dim_t)rows);
    free(scale);
    dnnl_primitive_attr_t attr = net_attr(net, NULL);
    CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(
            attr, DNNL_ARG_DST, 1 << 0)); /* along dimension 0 */
    return net_upload(net, f32, desc, attr, *scales);
}

/* A pixel is a whole number up to 255, which even bf16 and u8 hold exactly: it enters as it is,
 * and the filters carry the factor that brings it to 0..1. There is no bias: features of a blank
 * image are 0, and a batch that blank images fill up adds nothing to sums. */
static void add_features(net_t *net, layers_t *l, const model_t *m, const precision_t *p) {
    const int int8 = p->weight == dnnl_s8;
    const dnnl_dims_t ones = {1, 1}, none = {0, 0}, pad = {KERNEL / 2, KERNEL / 2};
    const dnnl_dims_t window = {m->window, m->window};
    dnnl_memory_desc_t filters = NET_DESC(net, dnnl_f32, dnnl_oihw, FILTERS, 1, KERNEL, KERNEL);
    dnnl_primitive_desc_t pd;

    /* relu is a post-op of the convolution. In int8, accumulators are multiplied by the filters'
     * scales before it and divided by the features' scale after it, all within the one kernel. */
    dnnl_post_ops_t post_ops = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    dnnl_primitive_attr_t attr = net_attr(net, post_ops);
    if (int8) {
        CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1 << 0));
        CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    }
    CHECK_DNNL(dnnl_convolution_forward_primitive_desc_create(&pd, net->engine,
            dnnl_forward_inference, dnnl_convolution_direct,
            NET_DESC(net, p->pixel, dnnl_format_tag_any, BATCH, 1, m->side, m->side),
            net_any(net, filters, p->weight), NULL,
            NET_DESC(net, p->feature, dnnl_format_tag_any, BATCH, FILTERS, m->side, m->side), ones,
            none, pad, pad, attr));
    dnnl_primitive_t convolution = net_primitive(net, pd);

    /* The host's pixels, one byte each, in the type and layout that the convolution wants. */
    dnnl_memory_desc_t pixels = NET_DESC(net, dnnl_u8, dnnl_nchw, BATCH, 1, m->side, m->side);
    void *unused;
    dnnl_memory_t converted = l->pixels = net_host_memory(net, pixels, &unused);
    if (!dnnl_memory_desc_equal(pixels, chosen(pd, DNNL_ARG_SRC))) {
        dnnl_primitive_desc_t reorder;
        converted = net_device_memory(net, chosen(pd, DNNL_ARG_SRC));
        CHECK_DNNL(dnnl_reorder_primitive_desc_create(
                &reorder, pixels, net->engine, chosen(pd, DNNL_ARG_SRC), net->engine, NULL));
        step_t *step = add_step(l, "convert", net_primitive(net, reorder));
        add_arg(step, DNNL_ARG_FROM, l->pixels);
        add_arg(step, DNNL_ARG_TO, converted);
    }

    dnnl_memory_t scales = NULL, full = net_device_memory(net, chosen(pd, DNNL_ARG_DST));
    step_t *step = add_step(l, "convolution", convolution);
    add_arg(step, DNNL_ARG_SRC, converted);
    add_arg(step, DNNL_ARG_WEIGHTS,
            quantize(net, m->filters, filters, chosen(pd, DNNL_ARG_WEIGHTS), p->weight, &scales));
    add_arg(step, DNNL_ARG_DST, full);
    if (int8) {
        add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales);
        add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
                net_vector(net, &(float){m->feature_max / 255}, 1));
    }

    /* Row by row: an image's features are then also the row of a matrix. The maximum needs no
     * scale. */
    dnnl_memory_desc_t pooled =
            NET_DESC(net, p->feature, dnnl_nchw, BATCH, FILTERS, m->pooled, m->pooled);
    const dnnl_dim_t beyond =
            m->pooled * m->window - m->side; /* the last windows may reach over the edge */
    CHECK_DNNL(dnnl_pooling_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
            dnnl_pooling_max, memory_desc(full), pooled, window, window, none, none,
            (dnnl_dims_t){beyond, beyond}, NULL));
    l->features = net_device_memory(net, pooled);
    step = add_step(l, "pooling", net_primitive(net, pd));
    add_arg(step, DNNL_ARG_SRC, full);
    add_arg(step, DNNL_ARG_DST, l->features);
}

static void add_scores(net_t *net, layers_t *l, const model_t *m, const precision_t *p) {
    const int int8 = p->weight == dnnl_s8;
    dnnl_memory_desc_t weights =
            NET_DESC(net, dnnl_f32, dnnl_oihw, DIGITS, FILTERS, m->pooled, m->pooled);
    dnnl_memory_desc_t scores = NET_DESC(net, dnnl_f32, dnnl_nc, BATCH, DIGITS);
    dnnl_primitive_attr_t attr = net_attr(net, NULL);
    if (int8) {
        CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
        CHECK_DNNL(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1 << 0));
    }
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_inner_product_forward_primitive_desc_create(&pd, net->engine,
            dnnl_forward_inference, memory_desc(l->features), net_any(net, weights, p->weight),
            NET_DESC(net, dnnl_f32, dnnl_a, DIGITS), scores, attr));
    dnnl_memory_t scales = NULL;
    void *unused;
    step_t *step = add_step(l, "inner product", net_primitive(net, pd));
    l->scores = net_host_memory(net, scores, &unused);
    add_arg(step, DNNL_ARG_SRC, l->features);
    add_arg(step, DNNL_ARG_WEIGHTS,
            quantize(net, m->weights, weights, chosen(pd, DNNL_ARG_WEIGHTS), p->weight, &scales));
    add_arg(step, DNNL_ARG_BIAS, net_vector(net, m->bias, DIGITS));
    add_arg(step, DNNL_ARG_DST, l->scores);
    if (int8) {
        add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                net_vector(net, &(float){m->feature_max / 255}, 1));
        add_arg(step, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales);
    }
}

static void load_batch(const digits_t *set, size_t first, dnnl_memory_t pixels) {
    const size_t count = set->count - first < BATCH ? set->count - first : BATCH;
    void *to;
    CHECK_DNNL(dnnl_memory_get_data_handle(pixels, &to));
    memset(to, 0, BATCH * set->pixels);
    memcpy(to, set->image + first * set->pixels, count * set->pixels);
}

/* sum += src x weights: the sum is a post-op too. */
static step_t accumulate(net_t *net, dnnl_memory_t src, dnnl_memory_t weights, dnnl_memory_t sum) {
    dnnl_primitive_desc_t pd;
    dnnl_post_ops_t post_ops = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef));
    CHECK_DNNL(dnnl_matmul_primitive_desc_create(&pd, net->engine, memory_desc(src),
            memory_desc(weights), NULL, memory_desc(sum), net_attr(net, post_ops)));
    return (step_t){"accumulate", net_primitive(net, pd), 3,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, sum}}};
}

/* Solves a w = b in place, `a` being n x n, symmetric and positive definite (its lower triangle
 * is used), and b having `columns` right sides: a = l l^T, then l y = b, then l^T w = y. */
static int solve(double *a, double *b, size_t n, size_t columns) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) return -1;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < i; k++) b[i * columns + c] -= a[i * n + k] * b[k * columns + c];
            b[i * columns + c] /= a[i * n + i];
        }
        for (size_t i = n; i-- > 0;) {
            for (size_t k = i + 1; k < n; k++)
                b[i * columns + c] -= a[k * n + i] * b[k * columns + c];
            b[i * columns + c] /= a[i * n + i];
        }
    }
    return 0;
}

/* The weights and the bias that minimize |x w + bias - y|^2 + penalty |w|^2 over all images,
 * from xx = x^T x and xy = x^T [y 1], y being 1 in the column of an image's digit and 0
 * elsewhere. */
static int fit(model_t *m, const float *xx, const float *xy, const digits_t *known) {
    const size_t n = (size_t)m->features, columns = DIGITS + 1;
    const double images = (double)known->count;
    double *a = check_alloc(malloc(n * n * sizeof(double))),
           *b = check_alloc(malloc(n * DIGITS * sizeof(double)));
    double mean_y[DIGITS] = {0}, trace = 0;
    for (size_t i = 0; i < known->count; i++) mean_y[known->label[i]] += 1 / images;
    for (size_t i = 0; i < n; i++) {
        const double sum = (double)xy[i * columns + DIGITS]; /* of feature i */
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = (double)xx[i * n + j] - sum * (double)xy[j * columns + DIGITS] / images;
        for (size_t d = 0; d < DIGITS; d++)
            b[i * DIGITS + d] = (double)xy[i * columns + d] - sum * mean_y[d];
        trace += a[i * n + i];
    }
    for (size_t i = 0; i < n; i++) a[i * n + i] += ridge * trace / (double)n;
    const int failed = solve(a, b, n, DIGITS);
    for (size_t d = 0; d < DIGITS; d++) {
        double bias = mean_y[d];
        for (size_t i = 0; i < n; i++) {
            m->weights[d * n + i] = (float)b[i * DIGITS + d];
            bias -= b[i * DIGITS + d] * (double)xy[i * columns + DIGITS] / images;
        }
        m->bias[d] = (float)bias;
    }
    free(a);
    free(b);
    if (failed) fprintf(stderr, "the normal equations have no solution\n");
    return failed;
}

static int learn(net_t *net, model_t *m, const digits_t *known) {
    layers_t l = {0};
    add_features(net, &l, m, &precisions[0]);

    /* The features as a matrix x and, by its strides alone, as the transposed one. */
    const dnnl_dim_t n = m->features;
    dnnl_memory_t x = net_view(net, l.features, NET_DESC(net, dnnl_f32, dnnl_ab, BATCH, n));
    dnnl_memory_t xt = net_view(net, l.features, NET_DESC(net, dnnl_f32, dnnl_ba, n, BATCH));
    float *targets, *xx, *xy, *largest;
    dnnl_memory_t y =
            net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_ab, BATCH, DIGITS + 1), &targets);
    dnnl_memory_t xx_sum = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_ab, n, n), &xx);
    dnnl_memory_t xy_sum =
            net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_ab, n, DIGITS + 1), &xy);
    dnnl_memory_t max = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_ab, 1, 1), &largest);
    step_t add_xx = accumulate(net, xt, x, xx_sum), add_xy = accumulate(net, xt, y, xy_sum);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reduction_primitive_desc_create(
            &pd, net->engine, dnnl_reduction_max, memory_desc(x), memory_desc(max), 0, 0, NULL));
    step_t find_max = {
            "largest feature", net_primitive(net, pd), 2, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, max}}};

    memset(xx, 0, (size_t)(n * n) * sizeof(float));
    memset(xy, 0, (size_t)(n * (DIGITS + 1)) * sizeof(float));
    for (size_t first = 0; first < known->count; first += BATCH) {
        load_batch(known, first, l.pixels);
        memset(targets, 0, BATCH * (DIGITS + 1) * sizeof(float));
        for (size_t i = 0; i < BATCH && first + i < known->count; i++) {
            targets[i * (DIGITS + 1) + known->label[first + i]] = 1;
            targets[i * (DIGITS + 1) + DIGITS] =
                    1; /* its column of xy is the sum of the features */
        }
        for (int s = 0; s < l.nsteps; s++) net_run(net, &l.steps[s]);
        net_run(net, &add_xx);
        net_run(net, &add_xy);
        net_run(net, &find_max);
        net_wait(net); /* before the host's next batch takes the place of this one */
        m->feature_max = fmaxf(m->feature_max, *largest);
    }
    return fit(m, xx, xy, known);
}

/* Percent of digits that a precision gets right. */
static double classify(
        net_t *net, const model_t *m, const precision_t *p, const digits_t *asked, double *ms) {
    layers_t l = {0};
    add_features(net, &l, m, p);
    add_scores(net, &l, m, p);
    const float *scores;
    CHECK_DNNL(dnnl_memory_get_data_handle(l.scores, (void **)&scores));
    size_t right = 0;
    *ms = 0;
    for (size_t first = 0; first < asked->count; first += BATCH) {
        load_batch(asked, first, l.pixels);
        const double start = now_ms();
        for (int s = 0; s < l.nsteps; s++) net_run(net, &l.steps[s]);
        net_wait(net);
        *ms += now_ms() - start;
        for (size_t i = 0; i < BATCH && first + i < asked->count; i++) {
            int best = 0;
            for (int d = 1; d < DIGITS; d++)
                if (scores[i * DIGITS + (size_t)d] > scores[i * DIGITS + (size_t)best]) best = d;
            right += best == asked->label[first + i];
        }
    }
    return 100 * (double)right / (double)asked->count;
}

int cnn_digits(const digits_t *known, const digits_t *asked) {
    model_t m = {.side = (dnnl_dim_t)lround(sqrt((double)known->pixels))};
    if ((size_t)(m.side * m.side) != known->pixels) {
        fprintf(stderr, "the images are not square\n");
        return 1;
    }
    m.window = (m.side + 4) / 5; /* to 4 x 4 or 5 x 5 */
    m.pooled = (m.side + m.window - 1) / m.window;
    m.features = FILTERS * m.pooled * m.pooled;
    m.filters = check_alloc(malloc(FILTERS * KERNEL * KERNEL * sizeof(float)));
    m.weights = check_alloc(malloc((size_t)(DIGITS * m.features) * sizeof(float)));
    m.bias = check_alloc(malloc(DIGITS * sizeof(float)));
    uint8_t brightest = 1;
    for (size_t i = 0; i < known->count * known->pixels; i++)
        if (known->image[i] > brightest) brightest = known->image[i];
    random_fill(m.filters, FILTERS * KERNEL * KERNEL, 7, -1.f / brightest, 1.f / brightest);

    net_t net;
    net_open(&net, 0);
    double start = now_ms();
    int failed = learn(&net, &m, known);
    printf("digits: %zu images of %lldx%lld learned in %.0f ms on %s, %lld features\n",
            known->count, (long long)m.side, (long long)m.side, now_ms() - start,
            net.app.properties.name, (long long)m.features);
    double f32_accuracy = 0;
    for (int i = 0; i < PRECISIONS && !failed; i++) {
        double ms, accuracy = classify(&net, &m, &precisions[i], asked, &ms);
        if (i == 0) f32_accuracy = accuracy;
        const int wrong = accuracy < least_accuracy || fabs(accuracy - f32_accuracy) > allowed_loss;
        printf("%-4s accuracy %.2f %% of %zu, %.1f ms%s\n", precisions[i].name, accuracy,
                asked->count, ms, wrong ? " TOO FAR OFF" : "");
        failed |= wrong;
    }
    net_close(&net);
    free(m.filters);
    free(m.weights);
    free(m.bias);
    return failed != 0;
}
