/* SPDX-License-Identifier: Apache-2.0 */
/* AdamW in five primitives, two of eltwise and three of binary, for all parameters together. */
#include "adamw.h"

#include <math.h>
#include <string.h>

static dnnl_memory_t upload(net_t *net, const float *values, size_t count) {
    float *mapped;
    dnnl_memory_desc_t desc = NET_DESC(net, dnnl_f32, dnnl_a, (dnnl_dim_t)count);
    dnnl_memory_t from = net_host_memory(net, desc, &mapped);
    if (values) memcpy(mapped, values, count * sizeof *values);
    else memset(mapped, 0, count * sizeof *values);
    return net_upload(net, from, desc, NULL, NULL);
}

static dnnl_memory_t host_scalar(net_t *net, float **value) {
    return net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_a, 1), value);
}

static step_t *add_update(optimizer_t *o, const char *name, dnnl_primitive_desc_t pd) {
    step_t *step = &o->update[o->update_count++];
    *step = (step_t){.name = name, .primitive = net_primitive(o->net, pd)};
    return step;
}

static step_t *add_eltwise_update(optimizer_t *o, const char *name, dnnl_alg_kind_t alg,
        double alpha, dnnl_memory_t src, dnnl_memory_t dst, const_dnnl_post_ops_t post_ops) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_eltwise_forward_primitive_desc_create(&pd, o->net->engine,
            dnnl_forward_inference, alg, memory_desc(src), memory_desc(dst), (float)alpha, 0,
            net_attr(o->net, post_ops)));
    step_t *step = add_update(o, name, pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DST, dst);
    return step;
}

static step_t *add_binary_update(optimizer_t *o, const char *name, dnnl_alg_kind_t alg,
        dnnl_memory_t a, dnnl_memory_t b, dnnl_memory_t dst, const_dnnl_post_ops_t post_ops) {
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_binary_primitive_desc_create(&pd, o->net->engine, alg, memory_desc(a),
            memory_desc(b), memory_desc(dst), net_attr(o->net, post_ops)));
    step_t *step = add_update(o, name, pd);
    add_arg(step, DNNL_ARG_SRC_0, a);
    add_arg(step, DNNL_ARG_SRC_1, b);
    add_arg(step, DNNL_ARG_DST, dst);
    return step;
}

/* m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2: what is there is a post-op. */
static void add_moments(optimizer_t *o) {
    const adamw_t *a = &o->settings;
    dnnl_post_ops_t first = net_post_ops(o->net), second = net_post_ops(o->net);
    CHECK_DNNL(dnnl_post_ops_append_sum(first, (float)a->beta1, 0, dnnl_data_type_undef));
    add_eltwise_update(
            o, "first moment", dnnl_eltwise_linear, 1 - a->beta1, o->gradients, o->moment1, first);
    CHECK_DNNL(dnnl_post_ops_append_eltwise(second, dnnl_eltwise_linear, (float)(1 - a->beta2), 0));
    CHECK_DNNL(dnnl_post_ops_append_sum(second, (float)a->beta2, 0, dnnl_data_type_undef));
    add_eltwise_update(
            o, "second moment", dnnl_eltwise_square, 0, o->gradients, o->moment2, second);
}

/* w = keep w - size m / (root of v + epsilon), where the host gives keep = 1 - rate * decay, and
 * corrects the moments, which started at zero, by size and epsilon. */
static void add_weights_update(optimizer_t *o) {
    net_t *net = o->net;
    dnnl_memory_t keep = host_scalar(net, &o->keep), size = host_scalar(net, &o->size),
                  epsilon = host_scalar(net, &o->epsilon);
    dnnl_memory_t root = net_device_memory(net, memory_desc(o->weights));
    dnnl_memory_t decayed =
            net_view(net, o->weights, NET_DESC(net, dnnl_f32, dnnl_a, (dnnl_dim_t)o->decayed));

    dnnl_post_ops_t plus_epsilon = net_post_ops(net), subtract = net_post_ops(net);
    CHECK_DNNL(dnnl_post_ops_append_binary(plus_epsilon, dnnl_binary_add, memory_desc(epsilon)));
    step_t *step = add_eltwise_update(
            o, "root + epsilon", dnnl_eltwise_sqrt, 0, o->moment2, root, plus_epsilon);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, epsilon);
    add_binary_update(o, "decay", dnnl_binary_mul, decayed, keep, decayed, NULL);
    CHECK_DNNL(dnnl_post_ops_append_binary(subtract, dnnl_binary_mul, memory_desc(size)));
    CHECK_DNNL(dnnl_post_ops_append_sum(subtract, 1, 0, dnnl_data_type_undef));
    step = add_binary_update(o, "weights", dnnl_binary_div, o->moment1, root, o->weights, subtract);
    add_arg(step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, size);
}

void optimizer_open(optimizer_t *o, net_t *net, const adamw_t *settings, const float *weights,
        size_t elements, size_t decayed) {
    *o = (optimizer_t){.net = net, .settings = *settings, .decayed = decayed};
    o->weights = upload(net, weights, elements);
    o->gradients = upload(net, NULL, elements);
    o->moment1 = upload(net, NULL, elements);
    o->moment2 = upload(net, NULL, elements);
    add_moments(o);
    add_weights_update(o);
}

void optimizer_run(optimizer_t *o, double rate) {
    const adamw_t *a = &o->settings;
    o->updates++;
    const double root = sqrt(1 - pow(a->beta2, o->updates));
    *o->keep = (float)(1 - rate * a->decay);
    *o->size = (float)(-rate * root / (1 - pow(a->beta1, o->updates)));
    *o->epsilon = (float)(a->epsilon * root);
    for (int i = 0; i < o->update_count; i++) net_run(o->net, &o->update[i]);
    net_wait(o->net);
}

/* As it was published: moments without bias, decay apart from the gradient. */
void c_adamw(const adamw_t *a, int step, double rate, size_t decayed, size_t count, double *weights,
        const double *gradients, double *moment1, double *moment2) {
    for (size_t i = 0; i < count; i++) {
        moment1[i] = a->beta1 * moment1[i] + (1 - a->beta1) * gradients[i];
        moment2[i] = a->beta2 * moment2[i] + (1 - a->beta2) * gradients[i] * gradients[i];
        const double m = moment1[i] / (1 - pow(a->beta1, step)),
                     v = moment2[i] / (1 - pow(a->beta2, step)), decay = i < decayed ? a->decay : 0;
        weights[i] -= rate * (m / (sqrt(v) + a->epsilon) + decay * weights[i]);
    }
}
