/* SPDX-License-Identifier: Apache-2.0 */
/* The net of digits_train on the device: every step is a primitive. */
#include "lenet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dnnl_dim_t channels[LAYERS] = {16, 32, 64, DIGITS}; /* that come out of a layer */
enum { WINDOW = 5, ALIGN = 16 /* elements: 64 bytes */ };
static const dnnl_dims_t one = {1, 1}, none = {0, 0}, two = {2, 2}, half = {WINDOW / 2, WINDOW / 2};

/* ---- weights ---- */

static void set_layer(lenet_t *l, int i, int ndims, const dnnl_dims_t dims) {
    lenet_layer_t *layer = &l->layer[i];
    size_t count = 1;
    *layer = (lenet_layer_t){.ndims = ndims, .begin = l->elements};
    for (int d = 0; d < ndims; d++) count *= (size_t)(layer->dims[d] = dims[d]);
    layer->bias = layer->begin + (count + ALIGN - 1) / ALIGN * ALIGN;
    layer->end = layer->bias + (size_t)dims[0];
    l->elements = (layer->end + ALIGN - 1) / ALIGN * ALIGN;
}

int lenet_init(lenet_t *l, const digits_t *digits) {
    const dnnl_dim_t side = (dnnl_dim_t)lround(sqrt((double)digits->pixels)), last = side / 4;
    *l = (lenet_t){.side = side, .brightest = 1};
    if ((size_t)(side * side) != digits->pixels || side % 4 != 0) {
        fprintf(stderr, "the images are not square, or their side is no multiple of 4\n");
        return -1;
    }
    for (size_t i = 0; i < digits->count * digits->pixels; i++)
        l->brightest = fmaxf(l->brightest, digits->image[i]);
    set_layer(l, 0, 4, (dnnl_dims_t){channels[0], 1, WINDOW, WINDOW});
    set_layer(l, 1, 4, (dnnl_dims_t){channels[1], channels[0], WINDOW, WINDOW});
    set_layer(l, 2, 4, (dnnl_dims_t){channels[2], channels[1], last, last});
    set_layer(l, 3, 2, (dnnl_dims_t){channels[3], channels[2]});
    return 0;
}

/* He's initialization: relu halves the variance, and the range makes up for it. */
float *lenet_random(const lenet_t *l, uint64_t seed) {
    float *values = check_alloc(calloc(l->elements, sizeof *values));
    for (int i = 0; i < LAYERS; i++) {
        const lenet_layer_t *layer = &l->layer[i];
        float inputs = 1;
        for (int d = 1; d < layer->ndims; d++) inputs *= (float)layer->dims[d];
        const float range = sqrtf(6 / inputs);
        random_fill(values + layer->begin, (size_t)((float)layer->dims[0] * inputs),
                seed * LAYERS + (uint64_t)i, -range, range);
    }
    return values;
}

static int fail(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    return -1;
}

int lenet_save(const lenet_t *l, const float *weights, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) return fail(path, strerror(errno));
    int failed = fprintf(file, "lenet %lld\n", (long long)l->side) < 0;
    failed |= fwrite(weights, sizeof *weights, l->elements, file) != l->elements;
    failed |= fclose(file) != 0;
    return failed ? fail(path, "cannot be written") : 0;
}

int lenet_load(const lenet_t *l, float *weights, const char *path) {
    FILE *file = fopen(path, "rb");
    long long side = 0;
    if (!file) return fail(path, strerror(errno));
    const int header = fscanf(file, "lenet %lld", &side) == 1 && fgetc(file) == '\n';
    const size_t count = header ? fread(weights, sizeof *weights, l->elements, file) : 0;
    const int more = fgetc(file) != EOF;
    fclose(file);
    if (!header) return fail(path, "is no file of digits_train");
    if (side != l->side) return fail(path, "is for images of another size");
    return count != l->elements || more ? fail(path, "has another number of weights") : 0;
}

/* ---- tensors ---- */

dnnl_memory_t lenet_array(net_t *net, const lenet_t *l, const float *values) {
    float *host;
    dnnl_memory_desc_t desc = NET_DESC(net, dnnl_f32, dnnl_a, (dnnl_dim_t)l->elements);
    dnnl_memory_t from = net_host_memory(net, desc, &host);
    if (values) memcpy(host, values, l->elements * sizeof *values);
    else memset(host, 0, l->elements * sizeof *host);
    dnnl_memory_t array = net_upload(net, from, desc, NULL, NULL);
    net_wait(net);
    return array;
}

/* Weights of a layer in an array of `type`. */
static dnnl_memory_t weights_of(
        const lenet_pass_t *p, dnnl_memory_t array, dnnl_data_type_t type, int i) {
    const lenet_layer_t *layer = &p->lenet->layer[i];
    dnnl_memory_desc_t desc = net_desc(
            p->net, type, layer->ndims == 4 ? dnnl_oihw : dnnl_oi, layer->ndims, layer->dims);
    return net_view_at(p->net, array, layer->begin * dnnl_data_type_size(type), desc);
}

static dnnl_memory_t bias_of(const lenet_pass_t *p, dnnl_memory_t array, int i) {
    const lenet_layer_t *layer = &p->lenet->layer[i];
    return net_view_at(p->net, array, layer->bias * sizeof(float),
            NET_DESC(p->net, dnnl_f32, dnnl_a, layer->dims[0]));
}

static dnnl_memory_t images(const lenet_pass_t *p, dnnl_dim_t count, dnnl_dim_t side) {
    return net_device_memory(
            p->net, NET_DESC(p->net, p->type, dnnl_nhwc, p->batch, count, side, side));
}

static dnnl_memory_t rows(const lenet_pass_t *p, dnnl_dim_t count, dnnl_data_type_t type) {
    return net_device_memory(p->net, NET_DESC(p->net, type, dnnl_nc, p->batch, count));
}

/* What goes into the layers and comes out of them. Softmax works in f32, so that the scores stay
 * f32; their gradient has the type of the other tensors. */
static void place_tensors(lenet_pass_t *p) {
    dnnl_dim_t side = p->lenet->side;
    for (int i = 0; i < CONVOLUTIONS; i++, side /= 2) {
        p->at[i].out = images(p, channels[i], side);
        p->at[i + 1].in = images(p, channels[i], side / 2);
        if (!p->training) continue;
        p->at[i].d_out = images(p, channels[i], side);
        p->at[i + 1].d_in = images(p, channels[i], side / 2);
    }
    p->at[2].out = p->at[3].in = rows(p, channels[2], p->type);
    if (p->training) {
        p->at[2].d_out = p->at[3].d_in = rows(p, channels[2], p->type);
        p->at[3].d_out = rows(p, DIGITS, p->type);
        p->at[3].out = rows(p, DIGITS, dnnl_f32);
    } else {
        p->at[3].out = net_host_memory(
                p->net, NET_DESC(p->net, dnnl_f32, dnnl_nc, p->batch, DIGITS), &p->scores);
    }
}

/* ---- steps ---- */

static step_t *add_step(lenet_pass_t *p, const char *name, dnnl_primitive_desc_t pd) {
    p->step[p->count] = (step_t){.name = name, .primitive = net_primitive(p->net, pd)};
    return &p->step[p->count++];
}

static void add_reorder(lenet_pass_t *p, const char *name, dnnl_memory_t from, dnnl_memory_t to) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_reorder_primitive_desc_create(
            &pd, memory_desc(from), p->net->engine, memory_desc(to), p->net->engine, p->plain));
    step_t *step = add_step(p, name, pd);
    add_arg(step, DNNL_ARG_FROM, from);
    add_arg(step, DNNL_ARG_TO, to);
}

static dnnl_primitive_desc_t convolution_desc(const lenet_pass_t *p, int i) {
    const dnnl_memory_t weights = weights_of(p, p->copy, p->type, i);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_convolution_forward_primitive_desc_create(&pd, p->net->engine,
            p->training ? dnnl_forward_training : dnnl_forward_inference, dnnl_convolution_direct,
            memory_desc(p->at[i].in), memory_desc(weights), memory_desc(bias_of(p, p->weights, i)),
            memory_desc(p->at[i].out), one, none, half, half, p->relu));
    return pd;
}

static dnnl_primitive_desc_t product_desc(const lenet_pass_t *p, int i) {
    const dnnl_memory_t weights = weights_of(p, p->copy, p->type, i);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_inner_product_forward_primitive_desc_create(&pd, p->net->engine,
            p->training ? dnnl_forward_training : dnnl_forward_inference, memory_desc(p->at[i].in),
            memory_desc(weights), memory_desc(bias_of(p, p->weights, i)), memory_desc(p->at[i].out),
            i == LAYERS - 1 ? p->plain : p->relu));
    return pd;
}

static dnnl_primitive_desc_t layer_desc(const lenet_pass_t *p, int i) {
    return i < CONVOLUTIONS ? convolution_desc(p, i) : product_desc(p, i);
}

static dnnl_primitive_desc_t pooling_desc(const lenet_pass_t *p, int i) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_pooling_forward_primitive_desc_create(&pd, p->net->engine,
            p->training ? dnnl_forward_training : dnnl_forward_inference, dnnl_pooling_max,
            memory_desc(p->at[i].out), memory_desc(p->at[i + 1].in), two, two, none, none, none,
            p->plain));
    return pd;
}

static void add_forward(lenet_pass_t *p) {
    for (int i = 0; i < LAYERS; i++) {
        step_t *step = add_step(p, "layer", layer_desc(p, i));
        add_arg(step, DNNL_ARG_SRC, p->at[i].in);
        add_arg(step, DNNL_ARG_WEIGHTS, weights_of(p, p->copy, p->type, i));
        add_arg(step, DNNL_ARG_BIAS, bias_of(p, p->weights, i));
        add_arg(step, DNNL_ARG_DST, p->at[i].out);
        if (i >= CONVOLUTIONS) continue;

        dnnl_primitive_desc_t pd = pooling_desc(p, i);
        if (p->training) p->largest[i] = net_device_memory(p->net, chosen(pd, DNNL_ARG_WORKSPACE));
        step = add_step(p, "pooling", pd);
        add_arg(step, DNNL_ARG_SRC, p->at[i].out);
        add_arg(step, DNNL_ARG_DST, p->at[i + 1].in);
        if (p->training) add_arg(step, DNNL_ARG_WORKSPACE, p->largest[i]);
    }
}

static dnnl_memory_t place_loss(lenet_pass_t *p) {
    dnnl_memory_desc_t desc = NET_DESC(p->net, dnnl_f32, dnnl_nc, 1, 1);
    if (!p->sums) return net_host_memory(p->net, desc, &p->loss);
    p->loss = p->sums + p->lenet->elements;
    return net_view_at(p->net, p->gradients, p->lenet->elements * sizeof(float), desc);
}

/* The targets have the factor -1 / images, so that their products with the logarithms add up to
 * the loss, and they are the gradient of the logarithms. */
static void add_loss(lenet_pass_t *p) {
    net_t *net = p->net;
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t desc = NET_DESC(net, dnnl_f32, dnnl_nc, p->batch, DIGITS);
    dnnl_memory_t target = net_host_memory(net, desc, &p->targets), loss = place_loss(p),
                  products = rows(p, DIGITS, dnnl_f32);
    p->log_share = rows(p, DIGITS, dnnl_f32);
    p->d_score = rows(p, DIGITS, dnnl_f32);
    CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(
            &pd, net->engine, dnnl_forward_training, dnnl_softmax_log, desc, desc, 1, p->plain));
    step_t *step = add_step(p, "log softmax", pd);
    add_arg(step, DNNL_ARG_SRC, p->at[3].out);
    add_arg(step, DNNL_ARG_DST, p->log_share);

    CHECK_DNNL(dnnl_binary_primitive_desc_create(
            &pd, net->engine, dnnl_binary_mul, desc, desc, desc, p->plain));
    step = add_step(p, "products", pd);
    add_arg(step, DNNL_ARG_SRC_0, p->log_share);
    add_arg(step, DNNL_ARG_SRC_1, target);
    add_arg(step, DNNL_ARG_DST, products);

    CHECK_DNNL(dnnl_reduction_primitive_desc_create(
            &pd, net->engine, dnnl_reduction_sum, desc, memory_desc(loss), 0, 0, p->plain));
    step = add_step(p, "loss", pd);
    add_arg(step, DNNL_ARG_SRC, products);
    add_arg(step, DNNL_ARG_DST, loss);

    CHECK_DNNL(dnnl_softmax_backward_primitive_desc_create(
            &pd, net->engine, dnnl_softmax_log, desc, desc, desc, 1, NULL, p->plain));
    step = add_step(p, "log softmax, backward", pd);
    add_arg(step, DNNL_ARG_DST, p->log_share);
    add_arg(step, DNNL_ARG_DIFF_DST, target);
    add_arg(step, DNNL_ARG_DIFF_SRC, p->d_score);
    add_reorder(p, "scores, backward", p->d_score, p->at[3].d_out);
}

/* ---- backward ---- */

static dnnl_primitive_desc_t weights_desc(
        const lenet_pass_t *p, int i, dnnl_memory_t d_weights, dnnl_memory_t d_bias) {
    dnnl_primitive_desc_t hint = layer_desc(p, i), pd;
    const const_dnnl_memory_desc_t in = memory_desc(p->at[i].in),
                                   d_out = memory_desc(p->at[i].d_out);
    if (i < CONVOLUTIONS)
        CHECK_DNNL(dnnl_convolution_backward_weights_primitive_desc_create(&pd, p->net->engine,
                dnnl_convolution_direct, in, memory_desc(d_weights), memory_desc(d_bias), d_out,
                one, none, half, half, hint, p->plain));
    else
        CHECK_DNNL(dnnl_inner_product_backward_weights_primitive_desc_create(&pd, p->net->engine,
                in, memory_desc(d_weights), memory_desc(d_bias), d_out, hint, p->plain));
    CHECK_DNNL(dnnl_primitive_desc_destroy(hint));
    return pd;
}

static dnnl_primitive_desc_t data_desc(const lenet_pass_t *p, int i, dnnl_memory_t weights) {
    dnnl_primitive_desc_t hint = layer_desc(p, i), pd;
    const const_dnnl_memory_desc_t d_in = memory_desc(p->at[i].d_in),
                                   d_out = memory_desc(p->at[i].d_out);
    if (i < CONVOLUTIONS)
        CHECK_DNNL(dnnl_convolution_backward_data_primitive_desc_create(&pd, p->net->engine,
                dnnl_convolution_direct, d_in, memory_desc(weights), d_out, one, none, half, half,
                hint, p->plain));
    else
        CHECK_DNNL(dnnl_inner_product_backward_data_primitive_desc_create(
                &pd, p->net->engine, d_in, memory_desc(weights), d_out, hint, p->plain));
    CHECK_DNNL(dnnl_primitive_desc_destroy(hint));
    return pd;
}

/* Relu is undone in place, by its result. */
static void add_relu_backward(lenet_pass_t *p, int i) {
    const const_dnnl_memory_desc_t desc = memory_desc(p->at[i].out);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_eltwise_backward_primitive_desc_create(&pd, p->net->engine,
            dnnl_eltwise_relu_use_dst_for_bwd, desc, desc, desc, 0, 0, NULL, p->plain));
    step_t *step = add_step(p, "relu, backward", pd);
    add_arg(step, DNNL_ARG_DST, p->at[i].out);
    add_arg(step, DNNL_ARG_DIFF_DST, p->at[i].d_out);
    add_arg(step, DNNL_ARG_DIFF_SRC, p->at[i].d_out);
}

static void add_pooling_backward(lenet_pass_t *p, int i) {
    dnnl_primitive_desc_t hint = pooling_desc(p, i), pd;
    CHECK_DNNL(dnnl_pooling_backward_primitive_desc_create(&pd, p->net->engine, dnnl_pooling_max,
            memory_desc(p->at[i].d_out), memory_desc(p->at[i + 1].d_in), two, two, none, none, none,
            hint, p->plain));
    CHECK_DNNL(dnnl_primitive_desc_destroy(hint));
    step_t *step = add_step(p, "pooling, backward", pd);
    add_arg(step, DNNL_ARG_DIFF_DST, p->at[i + 1].d_in);
    add_arg(step, DNNL_ARG_WORKSPACE, p->largest[i]);
    add_arg(step, DNNL_ARG_DIFF_SRC, p->at[i].d_out);
}

static void add_layer_backward(lenet_pass_t *p, int i) {
    const dnnl_memory_t d_weights = weights_of(p, p->gradients, dnnl_f32, i),
                        d_bias = bias_of(p, p->gradients, i),
                        weights = weights_of(p, p->copy, p->type, i);
    if (i < CONVOLUTIONS) add_pooling_backward(p, i);
    if (i < LAYERS - 1) add_relu_backward(p, i);
    step_t *step = add_step(p, "weights, backward", weights_desc(p, i, d_weights, d_bias));
    add_arg(step, DNNL_ARG_SRC, p->at[i].in);
    add_arg(step, DNNL_ARG_DIFF_DST, p->at[i].d_out);
    add_arg(step, DNNL_ARG_DIFF_WEIGHTS, d_weights);
    add_arg(step, DNNL_ARG_DIFF_BIAS, d_bias);
    p->known[i] = p->count;
    if (i == 0) return; /* nobody asks for the gradient of the pixels */
    step = add_step(p, "data, backward", data_desc(p, i, weights));
    add_arg(step, DNNL_ARG_DIFF_DST, p->at[i].d_out);
    add_arg(step, DNNL_ARG_WEIGHTS, weights);
    add_arg(step, DNNL_ARG_DIFF_SRC, p->at[i].d_in);
}

/* ---- update ---- */

static void add_update(lenet_pass_t *p, double momentum) {
    net_t *net = p->net;
    p->update = p->count;
    const const_dnnl_memory_desc_t all = memory_desc(p->weights);
    dnnl_memory_t rate = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_a, 1), &p->minus_rate);
    dnnl_post_ops_t kept = net_post_ops(net), added = net_post_ops(net);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_post_ops_append_sum(kept, (float)momentum, 0, dnnl_data_type_undef));
    CHECK_DNNL(dnnl_eltwise_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
            dnnl_eltwise_linear, all, all, 1, 0, net_attr(net, kept)));
    step_t *step = add_step(p, "velocity", pd);
    add_arg(step, DNNL_ARG_SRC, p->gradients);
    add_arg(step, DNNL_ARG_DST, p->velocity);

    CHECK_DNNL(dnnl_post_ops_append_sum(added, 1, 0, dnnl_data_type_undef));
    CHECK_DNNL(dnnl_binary_primitive_desc_create(
            &pd, net->engine, dnnl_binary_mul, all, memory_desc(rate), all, net_attr(net, added)));
    step = add_step(p, "weights", pd);
    add_arg(step, DNNL_ARG_SRC_0, p->velocity);
    add_arg(step, DNNL_ARG_SRC_1, rate);
    add_arg(step, DNNL_ARG_DST, p->weights);
}

/* ---- passes ---- */

/* The host writes pixels as f32; the device converts them, and the weights. */
static void begin(lenet_pass_t *p) {
    net_t *net = p->net;
    const dnnl_dim_t side = p->lenet->side;
    dnnl_post_ops_t post_ops = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    p->plain = net_attr(net, NULL);
    p->relu = net_attr(net, post_ops);
    CHECK_DNNL(dnnl_primitive_attr_set_deterministic(p->plain, 1));
    CHECK_DNNL(dnnl_primitive_attr_set_deterministic(p->relu, 1));
    dnnl_memory_t pixels = net_host_memory(
            net, NET_DESC(net, dnnl_f32, dnnl_nhwc, p->batch, 1, side, side), &p->pixels);
    p->at[0].in = pixels;
    p->copy = p->weights;
    if (p->type != dnnl_f32) {
        p->at[0].in = images(p, 1, side);
        add_reorder(p, "pixels", pixels, p->at[0].in);
        p->copy = net_device_memory(net, net_plain(net, memory_desc(p->weights), p->type));
        add_reorder(p, "weights", p->weights, p->copy);
    }
    place_tensors(p);
    add_forward(p);
}

void lenet_inference(lenet_pass_t *p, net_t *net, const lenet_t *l, dnnl_dim_t batch,
        dnnl_data_type_t type, dnnl_memory_t weights) {
    *p = (lenet_pass_t){.net = net, .lenet = l, .batch = batch, .type = type, .weights = weights};
    begin(p);
}

static dnnl_memory_t gradients_on_host(net_t *net, const lenet_t *l, float **sums) {
    const dnnl_dim_t count = (dnnl_dim_t)l->elements;
    dnnl_memory_t all = net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_a, count + 1), sums);
    memset(*sums, 0, (l->elements + 1) * sizeof **sums);
    return net_view(net, all, NET_DESC(net, dnnl_f32, dnnl_a, count));
}

void lenet_training(lenet_pass_t *p, net_t *net, const lenet_t *l, dnnl_dim_t batch,
        dnnl_data_type_t type, dnnl_memory_t weights, double momentum, int sums) {
    *p = (lenet_pass_t){.net = net,
            .lenet = l,
            .batch = batch,
            .type = type,
            .training = 1,
            .weights = weights,
            .velocity = lenet_array(net, l, NULL)};
    p->gradients = sums ? gradients_on_host(net, l, &p->sums) : lenet_array(net, l, NULL);
    begin(p);
    add_loss(p);
    for (int i = LAYERS - 1; i >= 0; i--) add_layer_backward(p, i);
    add_update(p, momentum);
}

size_t lenet_sums(const lenet_t *l, int layer, size_t *begin) {
    *begin = l->layer[layer].begin;
    return (layer < LAYERS - 1 ? l->layer[layer + 1].begin : l->elements + 1) - *begin;
}

void lenet_run(const lenet_pass_t *p, dnnl_stream_t stream, int from, int to) {
    for (int i = from; i < to; i++)
        CHECK_DNNL(dnnl_primitive_execute(
                p->step[i].primitive, stream, p->step[i].nargs, p->step[i].args));
}

void lenet_take(const lenet_pass_t *p, const digits_t *set, size_t index, size_t place) {
    const uint8_t *from = set->image + index * set->pixels;
    float *to = p->pixels + place * set->pixels;
    for (size_t i = 0; i < set->pixels; i++) to[i] = from[i] / p->lenet->brightest;
}

static size_t right_of_batch(const lenet_pass_t *p, const uint8_t *labels, size_t count) {
    size_t right = 0;
    for (size_t i = 0; i < count; i++) {
        const float *scores = p->scores + i * DIGITS;
        int best = 0;
        for (int d = 1; d < DIGITS; d++) best = scores[d] > scores[best] ? d : best;
        right += best == labels[i];
    }
    return right;
}

size_t lenet_right(const lenet_pass_t *p, const digits_t *set, size_t first, size_t count) {
    const size_t batch = (size_t)p->batch, end = first + count;
    size_t right = 0;
    for (; first < end; first += batch) {
        const size_t part = end - first < batch ? end - first : batch;
        for (size_t i = 0; i < part; i++) lenet_take(p, set, first + i, i);
        lenet_run(p, p->net->stream, 0, p->count);
        net_wait(p->net);
        right += right_of_batch(p, set->label + first, part);
    }
    return right;
}
