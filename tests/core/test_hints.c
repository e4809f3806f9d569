/* SPDX-License-Identifier: Apache-2.0 */
/* The hints of all kinds with backward propagation (recurrent networks: test_rnn_check.c): the
 * forward descriptor of the same problem is one; that of another kind, engine or of other
 * shapes, or a backward one, is an invalid argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/primitive_desc.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static dnnl_engine_t engine, other_engine;

static md_t tensor(dnnl_format_tag_t tag, int ndims, const dnnl_dim_t *dims) {
    md_t md;
    OK(md_init_tag(&md, ndims, dims, dnnl_f32, tag));
    return md;
}
#define F32(tag, n, ...) tensor(tag, n, (const dnnl_dim_t[]){__VA_ARGS__})

/* ---- a problem of each kind; `size` is that of its tensors ---- */

typedef struct {
    dnnl_primitive_desc_t *pd;
    dnnl_engine_t engine;
    int size;
    const_dnnl_primitive_desc_t hint; /* NULL: the forward descriptor is asked for */
} ask_t;

static const dnnl_dims_t ones = {1, 1}, zeros = {0}, threes = {3, 3};
#define FORWARD dnnl_forward_training
#define DATA const md_t x = F32(dnnl_abcd, 4, 2, 8, a->size, a->size)
#define MATRIX const md_t x = F32(dnnl_ab, 2, 4, 2 * a->size)

#define CONVOLUTION(kind)                                                                          \
    static dnnl_status_t kind(const ask_t *a, bool weights) {                                      \
        DATA;                                                                                      \
        const md_t w = F32(dnnl_abcd, 4, 8, 8, 3, 3);                                              \
        if (!a->hint)                                                                              \
            return dnnl_##kind##_forward_primitive_desc_create(a->pd, a->engine, FORWARD,          \
                    dnnl_##kind##_direct, &x, &w, NULL, &x, ones, zeros, ones, ones, NULL);        \
        return weights ? dnnl_##kind##_backward_weights_primitive_desc_create(a->pd, a->engine,    \
                                 dnnl_##kind##_direct, &x, &w, NULL, &x, ones, zeros, ones, ones,  \
                                 a->hint, NULL)                                                    \
                       : dnnl_##kind##_backward_data_primitive_desc_create(a->pd, a->engine,       \
                                 dnnl_##kind##_direct, &x, &w, &x, ones, zeros, ones, ones,        \
                                 a->hint, NULL);                                                   \
    }                                                                                              \
    static dnnl_status_t kind##_data(const ask_t *a) {                                             \
        return kind(a, false);                                                                     \
    }                                                                                              \
    static dnnl_status_t kind##_weights(const ask_t *a) {                                          \
        return kind(a, true);                                                                      \
    }
CONVOLUTION(convolution)
CONVOLUTION(deconvolution)

static dnnl_status_t product(const ask_t *a, bool weights) {
    MATRIX;
    const md_t w = F32(dnnl_ab, 2, 8, 2 * a->size), y = F32(dnnl_ab, 2, 4, 8);
    if (!a->hint)
        return dnnl_inner_product_forward_primitive_desc_create(
                a->pd, a->engine, FORWARD, &x, &w, NULL, &y, NULL);
    return weights ? dnnl_inner_product_backward_weights_primitive_desc_create(
                             a->pd, a->engine, &x, &w, NULL, &y, a->hint, NULL)
                   : dnnl_inner_product_backward_data_primitive_desc_create(
                             a->pd, a->engine, &x, &w, &y, a->hint, NULL);
}

static dnnl_status_t product_data(const ask_t *a) {
    return product(a, false);
}

static dnnl_status_t product_weights(const ask_t *a) {
    return product(a, true);
}

static dnnl_status_t eltwise(const ask_t *a) {
    MATRIX;
    return a->hint ? dnnl_eltwise_backward_primitive_desc_create(
                             a->pd, a->engine, dnnl_eltwise_tanh, &x, &x, &x, 0, 0, a->hint, NULL)
                   : dnnl_eltwise_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, dnnl_eltwise_tanh, &x, &x, 0, 0, NULL);
}

static dnnl_status_t softmax(const ask_t *a) {
    MATRIX;
    return a->hint ? dnnl_softmax_backward_primitive_desc_create(
                             a->pd, a->engine, dnnl_softmax_log, &x, &x, &x, 1, a->hint, NULL)
                   : dnnl_softmax_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, dnnl_softmax_log, &x, &x, 1, NULL);
}

static dnnl_status_t layer(const ask_t *a) {
    MATRIX;
    return a->hint ? dnnl_layer_normalization_backward_primitive_desc_create(a->pd, a->engine,
                             dnnl_backward, &x, &x, &x, NULL, 1e-5f, dnnl_use_scale, a->hint, NULL)
                   : dnnl_layer_normalization_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, &x, &x, NULL, 1e-5f, dnnl_use_scale, NULL);
}

static dnnl_status_t group(const ask_t *a) {
    DATA;
    return a->hint ? dnnl_group_normalization_backward_primitive_desc_create(a->pd, a->engine,
                             dnnl_backward, &x, &x, &x, 2, 1e-5f, dnnl_use_scale, a->hint, NULL)
                   : dnnl_group_normalization_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, &x, &x, 2, 1e-5f, dnnl_use_scale, NULL);
}

static dnnl_status_t batch(const ask_t *a) {
    DATA;
    const unsigned flags = dnnl_use_scale | dnnl_fuse_norm_relu;
    return a->hint ? dnnl_batch_normalization_backward_primitive_desc_create(a->pd, a->engine,
                             dnnl_backward, &x, &x, &x, 1e-5f, flags, a->hint, NULL)
                   : dnnl_batch_normalization_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, &x, &x, 1e-5f, flags, NULL);
}

static dnnl_status_t lrn(const ask_t *a) {
    DATA;
    return a->hint ? dnnl_lrn_backward_primitive_desc_create(a->pd, a->engine,
                             dnnl_lrn_across_channels, &x, &x, &x, 5, 1, 0.75f, 1, a->hint, NULL)
                   : dnnl_lrn_forward_primitive_desc_create(a->pd, a->engine, FORWARD,
                             dnnl_lrn_across_channels, &x, &x, 5, 1, 0.75f, 1, NULL);
}

static dnnl_status_t pooling(const ask_t *a) {
    DATA;
    return a->hint ? dnnl_pooling_backward_primitive_desc_create(a->pd, a->engine, dnnl_pooling_max,
                             &x, &x, ones, threes, zeros, ones, ones, a->hint, NULL)
                   : dnnl_pooling_forward_primitive_desc_create(a->pd, a->engine, FORWARD,
                             dnnl_pooling_max, &x, &x, ones, threes, zeros, ones, ones, NULL);
}

static dnnl_status_t prelu(const ask_t *a) {
    MATRIX;
    return a->hint ? dnnl_prelu_backward_primitive_desc_create(
                             a->pd, a->engine, &x, &x, &x, &x, &x, a->hint, NULL)
                   : dnnl_prelu_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, &x, &x, &x, NULL);
}

static dnnl_status_t resampling(const ask_t *a) {
    DATA;
    const md_t y = F32(dnnl_abcd, 4, 2, 8, 2 * a->size, 2 * a->size);
    return a->hint ? dnnl_resampling_backward_primitive_desc_create(
                             a->pd, a->engine, dnnl_resampling_linear, NULL, &x, &y, a->hint, NULL)
                   : dnnl_resampling_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, dnnl_resampling_linear, NULL, &x, &y, NULL);
}

static dnnl_status_t shuffle(const ask_t *a) {
    MATRIX;
    return a->hint ? dnnl_shuffle_backward_primitive_desc_create(
                             a->pd, a->engine, &x, &x, 1, 2, a->hint, NULL)
                   : dnnl_shuffle_forward_primitive_desc_create(
                             a->pd, a->engine, FORWARD, &x, &x, 1, 2, NULL);
}

static const struct {
    const char *name;
    dnnl_status_t (*create)(const ask_t *);
} kinds[] = {{"convolution by data", convolution_data},
        {"convolution by weights", convolution_weights},
        {"deconvolution by data", deconvolution_data},
        {"deconvolution by weights", deconvolution_weights},
        {"inner product by data", product_data}, {"inner product by weights", product_weights},
        {"eltwise", eltwise}, {"softmax", softmax}, {"layer norm", layer}, {"group norm", group},
        {"batch norm", batch}, {"lrn", lrn}, {"pooling", pooling}, {"prelu", prelu},
        {"resampling", resampling}, {"shuffle", shuffle}};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), SIZE = 6 };

/* ---- the test ---- */

static dnnl_primitive_desc_t forward_of(int kind, dnnl_engine_t e, int size) {
    dnnl_primitive_desc_t pd = NULL;
    const ask_t ask = {&pd, e, size, NULL};
    if (kinds[kind].create(&ask) != dnnl_success) fail_msg("%s: no forward", kinds[kind].name);
    return pd;
}

/* Asks for the backward descriptor with a hint, and destroys it. Answers the status. */
static dnnl_status_t ask_with(int kind, const_dnnl_primitive_desc_t hint) {
    dnnl_primitive_desc_t pd = NULL;
    const ask_t ask = {&pd, engine, SIZE, hint};
    const dnnl_status_t status = kinds[kind].create(&ask);
    assert_int_equal(pd != NULL, status == dnnl_success);
    if (pd) OK(dnnl_primitive_desc_destroy(pd));
    return status;
}

/* Destroys the hint. */
static void refuse(int kind, const char *hint_is, dnnl_primitive_desc_t hint) {
    const dnnl_status_t status = ask_with(kind, hint);
    if (status != dnnl_invalid_arguments)
        fail_msg("%s, hint of %s: %d", kinds[kind].name, hint_is, (int)status);
    OK(dnnl_primitive_desc_destroy(hint));
}

static dnnl_primitive_desc_t backward_of(int kind) {
    dnnl_primitive_desc_t hint = forward_of(kind, engine, SIZE), pd = NULL;
    const ask_t ask = {&pd, engine, SIZE, hint};
    OK(kinds[kind].create(&ask));
    OK(dnnl_primitive_desc_destroy(hint));
    return pd;
}

static void test_hints_of_all_kinds(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        dnnl_primitive_desc_t hint = forward_of(kind, engine, SIZE);
        if (ask_with(kind, hint) != dnnl_success) fail_msg("%s is refused", kinds[kind].name);
        OK(dnnl_primitive_desc_destroy(hint));
        const int next = (kind + 2) % KINDS; /* by data and by weights have the same kind */
        refuse(kind, "another kind", forward_of(next, engine, SIZE));
        refuse(kind, "other shapes", forward_of(kind, engine, SIZE + 1));
        refuse(kind, "backward", backward_of(kind));
        if (other_engine) refuse(kind, "another engine", forward_of(kind, other_engine, SIZE));
    }
}

int main(void) {
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) {
        puts("There is no device.");
        return 77;
    }
    if (dnnl_engine_get_count(dnnl_gpu) > 1) OK(dnnl_engine_create(&other_engine, dnnl_gpu, 1));
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hints_of_all_kinds)};
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    if (other_engine) dnnl_engine_destroy(other_engine);
    dnnl_engine_destroy(engine);
    return failures;
}
