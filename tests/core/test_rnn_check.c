/* SPDX-License-Identifier: Apache-2.0 */
/* What the constructors of recurrent networks refuse as invalid, and the sentence that says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory_desc.h"
#include "heard.h"
#include "oneapi/dnnl/dnnl.h"

static dnnl_engine_t engine;

enum { X, H, C, A, W, U, P, R, B, DST, DST_H, DST_C, TENSORS };

/* A network whose tensors fit; tests change one thing at a time. */
typedef struct {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    dnnl_prop_kind_t prop;
    bool backward;
    md_t md[TENSORS], diff[TENSORS];
    const_dnnl_primitive_desc_t hint;
    dnnl_primitive_attr_t attr; /* of LSTM, forward */
} net_t;

static void set(md_t *md, int ndims, const dnnl_dim_t *dims) {
    assert_int_equal(md_init_strides(md, ndims, dims, dnnl_f32, NULL), dnnl_success);
}
#define SET(net, which, n, ...) set(&(net)->md[which], n, (const dnnl_dim_t[]){__VA_ARGS__})

enum { T = 3, N = 2, SLC = 5, DHC = 7, DIC = 6 };

/* Of one layer; LSTM has peepholes and a projection. */
static net_t network(dnnl_alg_kind_t cell, dnnl_rnn_direction_t direction) {
    net_t n = {.cell = cell, .direction = direction, .prop = dnnl_forward_training};
    const bool lstm = cell == dnnl_vanilla_lstm, rnn = cell == dnnl_vanilla_rnn;
    const bool lbr = cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
    const int64_t d = direction >= dnnl_bidirectional_concat ? 2 : 1, g = rnn ? 1 : lstm ? 4 : 3;
    const int64_t dic = lstm ? DIC : DHC;
    n.activation = rnn ? dnnl_eltwise_tanh : dnnl_alg_kind_undef;
    SET(&n, X, 3, T, N, SLC);
    SET(&n, H, 4, 1, d, N, dic);
    SET(&n, W, 5, 1, d, SLC, g, DHC);
    SET(&n, U, 5, 1, d, dic, g, DHC);
    SET(&n, B, 4, 1, d, g + lbr, DHC);
    SET(&n, DST, 3, T, N, direction == dnnl_bidirectional_concat ? 2 * dic : dic);
    SET(&n, DST_H, 4, 1, d, N, dic);
    if (cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru) SET(&n, A, 3, T, N, 1);
    if (!lstm) return n;
    SET(&n, C, 4, 1, d, N, DHC);
    SET(&n, DST_C, 4, 1, d, N, DHC);
    SET(&n, P, 4, 1, d, 3, DHC);
    SET(&n, R, 4, 1, d, DHC, DIC);
    return n;
}

static net_t lstm(void) {
    return network(dnnl_vanilla_lstm, dnnl_unidirectional_left2right);
}

static void make_backward(net_t *n) {
    n->backward = true;
    n->prop = dnnl_backward;
    memcpy(n->diff, n->md, sizeof(n->md));
}

#define MD(which) (md_is_zero(&n->md[which]) ? NULL : &n->md[which])
#define DIFF(which) (md_is_zero(&n->diff[which]) ? NULL : &n->diff[which])
#define GRU_FORWARD(name, ...)                                                                     \
    dnnl_##name##_forward_primitive_desc_create(&pd, engine, n->prop, n->direction, MD(X), MD(H),  \
            __VA_ARGS__ MD(W), MD(U), MD(B), MD(DST), MD(DST_H), 0, NULL)
#define COMMA ,

static dnnl_status_t forward(const net_t *n, dnnl_primitive_desc_t *out) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_runtime_error;
    switch ((int)n->cell) {
    case dnnl_vanilla_rnn:
        status = dnnl_vanilla_rnn_forward_primitive_desc_create(&pd, engine, n->prop, n->activation,
                n->direction, MD(X), MD(H), MD(W), MD(U), MD(B), MD(DST), MD(DST_H), 0, 0.5f, 0,
                NULL);
        break;
    case dnnl_vanilla_lstm:
        status = dnnl_lstm_forward_primitive_desc_create(&pd, engine, n->prop, n->direction, MD(X),
                MD(H), MD(C), MD(W), MD(U), MD(P), MD(R), MD(B), MD(DST), MD(DST_H), MD(DST_C), 0,
                n->attr);
        break;
    case dnnl_vanilla_gru: status = GRU_FORWARD(gru, ); break;
    case dnnl_lbr_gru: status = GRU_FORWARD(lbr_gru, ); break;
    case dnnl_vanilla_augru: status = GRU_FORWARD(augru, MD(A) COMMA); break;
    case dnnl_lbr_augru: status = GRU_FORWARD(lbr_augru, MD(A) COMMA); break;
    default: break;
    }
    *out = pd;
    return status;
}

#define GRU_BACKWARD(name, ...)                                                                    \
    dnnl_##name##_backward_primitive_desc_create(&pd, engine, n->prop, n->direction, MD(X), MD(H), \
            __VA_ARGS__ MD(W), MD(U), MD(B), MD(DST), MD(DST_H), DIFF(X), DIFF(H),
#define GRU_REST DIFF(W), DIFF(U), DIFF(B), DIFF(DST), DIFF(DST_H), 0, n->hint, NULL)

static dnnl_status_t backward(const net_t *n, dnnl_primitive_desc_t *out) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_runtime_error;
    switch ((int)n->cell) {
    case dnnl_vanilla_rnn:
        status = dnnl_vanilla_rnn_backward_primitive_desc_create(&pd, engine, n->prop,
                n->activation, n->direction, MD(X), MD(H), MD(W), MD(U), MD(B), MD(DST), MD(DST_H),
                DIFF(X), DIFF(H), DIFF(W), DIFF(U), DIFF(B), DIFF(DST), DIFF(DST_H), 0, 0.5f, 0,
                n->hint, NULL);
        break;
    case dnnl_vanilla_lstm:
        status = dnnl_lstm_backward_primitive_desc_create(&pd, engine, n->prop, n->direction, MD(X),
                MD(H), MD(C), MD(W), MD(U), MD(P), MD(R), MD(B), MD(DST), MD(DST_H), MD(DST_C),
                DIFF(X), DIFF(H), DIFF(C), DIFF(W), DIFF(U), DIFF(P), DIFF(R), DIFF(B), DIFF(DST),
                DIFF(DST_H), DIFF(DST_C), 0, n->hint, NULL);
        break;
    case dnnl_vanilla_gru: status = GRU_BACKWARD(gru, ) GRU_REST; break;
    case dnnl_lbr_gru: status = GRU_BACKWARD(lbr_gru, ) GRU_REST; break;
    case dnnl_vanilla_augru: status = GRU_BACKWARD(augru, MD(A) COMMA) DIFF(A), GRU_REST; break;
    case dnnl_lbr_augru: status = GRU_BACKWARD(lbr_augru, MD(A) COMMA) DIFF(A), GRU_REST; break;
    default: break;
    }
    *out = pd;
    return status;
}

/* What the constructor answers, and its log. */
static dnnl_status_t construct(const net_t *n, const char **log) {
    dnnl_primitive_desc_t pd;
    listen_to_log();
    const dnnl_status_t status = n->backward ? backward(n, &pd) : forward(n, &pd);
    *log = heard();
    assert_true((status == dnnl_success) == (pd != NULL));
    dnnl_primitive_desc_destroy(pd);
    return status;
}

static int sentences(const char *log) {
    int count = 0;
    while ((log = strstr(log, ",create:check,"))) log++, count++;
    return count;
}

/* The arguments are valid; an implementation may be missing, which is no mistake of the caller. */
static void check_valid(const net_t *n) {
    const char *log;
    const dnnl_status_t status = construct(n, &log);
    if (status != dnnl_success && status != dnnl_unimplemented) fail_msg("%s", log);
    assert_int_equal(sentences(log), 0);
}

static void check_invalid(const net_t *n, const char *sentence) {
    const char *log;
    const dnnl_status_t status = construct(n, &log);
    if (status != dnnl_invalid_arguments || !strstr(log, sentence) || sentences(log) != 1)
        fail_msg("expected: %s; the status is %d, the log %s", sentence, status, log);
}

static const dnnl_alg_kind_t cells[] = {dnnl_vanilla_rnn, dnnl_vanilla_lstm, dnnl_vanilla_gru,
        dnnl_lbr_gru, dnnl_vanilla_augru, dnnl_lbr_augru};
enum { CELLS = sizeof(cells) / sizeof(cells[0]) };

static bool is_augru(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru;
}

static void test_valid(void **state) {
    (void)state;
    for (int i = 0; i < CELLS; i++)
        for (int d = dnnl_unidirectional_left2right; d <= dnnl_bidirectional_sum; d++) {
            net_t n = network(cells[i], (dnnl_rnn_direction_t)d);
            if (is_augru(cells[i]) && d != dnnl_unidirectional_left2right) {
                check_invalid(&n, "direction left2right only");
                continue;
            }
            check_valid(&n);
            n.prop = dnnl_forward_inference;
            check_valid(&n);
            make_backward(&n);
            check_valid(&n);
        }
}

/* Absent: the states, the bias, and all that an LSTM may have more. */
static void test_optional(void **state) {
    (void)state;
    for (int i = 0; i < CELLS; i++)
        for (int twice = 0; twice < 2; twice++) {
            net_t n = network(cells[i], dnnl_unidirectional_left2right);
            static const int optional[] = {H, C, DST_H, DST_C, P, B};
            for (size_t k = 0; k < sizeof(optional) / sizeof(optional[0]); k++)
                n.md[optional[k]] = (md_t){0};
            if (twice) make_backward(&n);
            check_valid(&n);
        }
}

/* Nothing to compute: no time, or no batch. */
static void test_empty(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        net_t n = network(dnnl_vanilla_gru, dnnl_unidirectional_left2right);
        const int64_t t = which ? T : 0, b = which ? 0 : N;
        SET(&n, X, 3, t, b, SLC);
        SET(&n, DST, 3, t, b, DHC);
        SET(&n, H, 4, 1, 1, b, DHC);
        SET(&n, DST_H, 4, 1, 1, b, DHC);
        check_valid(&n);
        make_backward(&n);
        check_valid(&n);
    }
}

/* Each dimension of each tensor, one more. */
static void test_dims(void **state) {
    (void)state;
    for (int i = 0; i < CELLS; i++)
        for (int k = 0; k < TENSORS; k++) {
            const net_t fits = network(cells[i], dnnl_unidirectional_left2right);
            for (int d = 0; d < fits.md[k].ndims; d++) {
                net_t n = fits;
                dnnl_dims_t dims;
                memcpy(dims, n.md[k].dims, sizeof(dims));
                dims[d]++;
                set(&n.md[k], n.md[k].ndims, dims);
                check_invalid(&n, is_augru(cells[i]) && k == W && d == 0 ? "one layer only"
                                  : k == W && d == 1 ? "D is not the number of directions"
                                                     : "the dimensions of ");
            }
        }
}

static void test_ndims(void **state) {
    (void)state;
    for (int k = 0; k < TENSORS; k++) {
        net_t n = network(
                k == A ? dnnl_vanilla_augru : dnnl_vanilla_lstm, dnnl_unidirectional_left2right);
        const dnnl_dims_t dims = {1, 1};
        set(&n.md[k], 2, dims);
        check_invalid(&n, k == X || k == W || k == U || k == R ? "one of them has another number"
                                                               : "the dimensions of ");
    }
}

static void test_directions(void **state) {
    (void)state;
    net_t n = lstm();
    n.direction = dnnl_bidirectional_sum;
    check_invalid(&n, "D is not the number of directions");
    n = network(dnnl_vanilla_gru, dnnl_bidirectional_concat);
    n.direction = dnnl_bidirectional_sum;
    check_invalid(&n, "the dimensions of dst_layer");
    n.direction = dnnl_unidirectional_right2left;
    check_invalid(&n, "D is not the number of directions");
    n.direction = (dnnl_rnn_direction_t)99;
    check_invalid(&n, "not one of dnnl_rnn_direction_t");
    n.direction = (dnnl_rnn_direction_t)0;
    check_invalid(&n, "not one of dnnl_rnn_direction_t");
}

/* What one layer, or one step of time, hands to the next one. */
static void test_widths(void **state) {
    (void)state;
    net_t n = network(dnnl_vanilla_rnn, dnnl_unidirectional_left2right);
    SET(&n, H, 4, 1, 1, N, 4);
    SET(&n, U, 5, 1, 1, 4, 1, DHC);
    check_invalid(&n, "several time steps needs SIC equal to DIC");
    SET(&n, X, 3, 1, N, SLC);
    SET(&n, DST, 3, 1, N, DHC);
    check_valid(&n); /* one step */
    n = network(dnnl_vanilla_gru, dnnl_unidirectional_left2right);
    SET(&n, X, 3, 1, N, SLC);
    SET(&n, DST, 3, 1, N, DHC);
    SET(&n, H, 4, 1, 1, N, 4);
    SET(&n, U, 5, 1, 1, 4, 3, DHC);
    check_invalid(&n, "a GRU cell needs SIC equal to DHC");
    n = network(dnnl_vanilla_rnn, dnnl_unidirectional_left2right);
    SET(&n, H, 4, 2, 1, N, DHC);
    SET(&n, W, 5, 2, 1, SLC, 1, DHC);
    SET(&n, U, 5, 2, 1, DHC, 1, DHC);
    SET(&n, B, 4, 2, 1, 1, DHC);
    SET(&n, DST_H, 4, 2, 1, N, DHC);
    check_invalid(&n, "several layers needs SLC equal to DIC");
    SET(&n, X, 3, T, N, DHC);
    SET(&n, W, 5, 2, 1, DHC, 1, DHC);
    check_valid(&n);
    n = network(dnnl_vanilla_rnn, dnnl_unidirectional_left2right);
    SET(&n, X, 3, T, N, 0);
    SET(&n, W, 5, 1, 1, 0, 1, DHC);
    check_invalid(&n, "the weights have a dimension of 0");
}

static void test_cells(void **state) {
    (void)state;
    static const dnnl_alg_kind_t good[] = {
            dnnl_eltwise_relu, dnnl_eltwise_tanh, dnnl_eltwise_logistic};
    static const dnnl_alg_kind_t bad[] = {
            dnnl_eltwise_elu, dnnl_alg_kind_undef, dnnl_vanilla_rnn, dnnl_eltwise_linear};
    net_t n = network(dnnl_vanilla_rnn, dnnl_unidirectional_left2right);
    for (size_t i = 0; i < 3; i++) {
        n.activation = good[i];
        check_valid(&n);
    }
    for (size_t i = 0; i < 4; i++) {
        n.activation = bad[i];
        check_invalid(&n, "the activation is not relu, tanh or logistic");
    }
    static const int pair[] = {H, C, DST_H, DST_C};
    for (size_t i = 0; i < 4; i++) {
        n = lstm();
        n.md[pair[i]] = (md_t){0};
        check_invalid(&n, i < 2 ? "both src_iter and src_iter_c" : "both dst_iter and dst_iter_c");
    }
    n = network(dnnl_lbr_augru, dnnl_unidirectional_left2right);
    n.md[A] = (md_t){0};
    check_invalid(&n, "attention_desc is NULL");
    n = network(dnnl_lbr_augru, dnnl_unidirectional_right2left);
    check_invalid(&n, "direction left2right only");
}

static void test_mandatory(void **state) {
    (void)state;
    static const int mandatory[] = {X, W, U, DST};
    for (size_t i = 0; i < 4; i++)
        for (int twice = 0; twice < 2; twice++) {
            net_t n = lstm();
            if (twice) make_backward(&n);
            n.md[mandatory[i]] = (md_t){0};
            check_invalid(&n, "_desc is NULL");
            n = lstm();
            make_backward(&n);
            n.diff[mandatory[i]] = (md_t){0};
            check_invalid(&n, "_desc is NULL");
        }
    net_t n = lstm();
    n.prop = dnnl_backward;
    check_invalid(&n, "prop_kind is not a forward one");
    make_backward(&n);
    n.prop = dnnl_backward_data;
    check_invalid(&n, "prop_kind must be dnnl_backward");
    n.prop = dnnl_forward_training;
    check_invalid(&n, "prop_kind is not a backward one");
}

/* A gradient exists exactly where its tensor does, and has its dimensions. */
static void test_gradients(void **state) {
    (void)state;
    for (int k = 0; k < TENSORS; k++) {
        net_t n = k == A ? network(dnnl_vanilla_augru, dnnl_unidirectional_left2right) : lstm();
        make_backward(&n);
        dnnl_dims_t dims;
        memcpy(dims, n.md[k].dims, sizeof(dims));
        dims[0]++;
        set(&n.diff[k], n.md[k].ndims, dims);
        check_invalid(&n, "a gradient has other dimensions than its tensor");
    }
    static const int optional[] = {H, C, P, R, B, DST_H, DST_C};
    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
        net_t n = lstm();
        make_backward(&n);
        n.diff[optional[i]] = (md_t){0};
        check_invalid(&n, "a tensor has no gradient, or a gradient has no tensor");
    }
    net_t n = lstm();
    make_backward(&n);
    n.md[B] = (md_t){0};
    check_invalid(&n, "a tensor has no gradient, or a gradient has no tensor");
}

/* Where the forward descriptor can be made. */
static void test_hints(void **state) {
    (void)state;
    net_t of = network(dnnl_vanilla_gru, dnnl_unidirectional_left2right);
    dnnl_primitive_desc_t hint;
    const dnnl_status_t status = forward(&of, &hint);
    if (status == dnnl_unimplemented) skip();
    assert_int_equal(status, dnnl_success);
    net_t n = of;
    make_backward(&n);
    n.hint = hint;
    check_valid(&n);
    n = network(dnnl_vanilla_gru, dnnl_unidirectional_right2left);
    make_backward(&n);
    n.hint = hint;
    check_invalid(&n, "of another cell, activation or direction");
    n = network(dnnl_lbr_gru, dnnl_unidirectional_left2right);
    n.md[B] = (md_t){0};
    make_backward(&n);
    n.hint = hint;
    check_invalid(&n, "of another cell, activation or direction");
    n = of;
    SET(&n, X, 3, T, N, SLC + 1);
    SET(&n, W, 5, 1, 1, SLC + 1, 3, DHC);
    make_backward(&n);
    n.hint = hint;
    check_invalid(&n, "hint_fwd_pd is for tensors of other dimensions");
    assert_int_equal(dnnl_primitive_desc_destroy(hint), dnnl_success);
}

/* Dimensions that are given at run time are no mistake, but no implementation supports them. */
static void test_runtime(void **state) {
    (void)state;
    net_t n = lstm();
    const char *log;
    SET(&n, X, 3, DNNL_RUNTIME_DIM_VAL, N, SLC);
    assert_int_equal(construct(&n, &log), dnnl_unimplemented);
}

/* An LSTM of 8-bit integers, with a projection. */
static net_t int8_lstm(void) {
    net_t n = lstm();
    static const int data[] = {X, H, DST, DST_H}, weights[] = {W, U, R};
    n.prop = dnnl_forward_inference;
    n.md[P] = (md_t){0};
    for (size_t i = 0; i < 4; i++) n.md[data[i]].data_type = dnnl_u8;
    for (size_t i = 0; i < 3; i++) n.md[weights[i]].data_type = dnnl_s8;
    return n;
}

enum { GATES = 4, NO_MASK = 0, GATE_MASK = 8, COLUMN_MASK = 24, PROJECTED_MASK = 8 };

static void check_qparams(dnnl_status_t expected, int mask, int count, int projected_mask,
        int projected_count, float first) {
    net_t n = int8_lstm();
    const char *log;
    float scales[GATES * DHC];
    for (int i = 0; i < GATES * DHC; i++) scales[i] = i ? 64.0f : first;
    assert_int_equal(dnnl_primitive_attr_create(&n.attr), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_rnn_data_qparams(n.attr, 64, 128), dnnl_success);
    if (count)
        assert_int_equal(dnnl_primitive_attr_set_rnn_weights_qparams(n.attr, count, mask, scales),
                dnnl_success);
    if (projected_count)
        assert_int_equal(dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                                 n.attr, projected_count, projected_mask, scales),
                dnnl_success);
    const dnnl_status_t status = construct(&n, &log);
    if (status != expected) fail_msg("masks %d, %d: %s", mask, projected_mask, log);
    assert_int_equal(sentences(log), expected == dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_attr_destroy(n.attr), dnnl_success);
}

/* Scales of weights: one, or one for each column. */
static void test_qparams(void **state) {
    (void)state;
    const float runtime = DNNL_RUNTIME_F32_VAL;
    check_qparams(dnnl_success, 0, 0, 0, 0, 64);
    check_qparams(dnnl_success, NO_MASK, 1, NO_MASK, 1, 64);
    check_qparams(dnnl_success, COLUMN_MASK, GATES * DHC, PROJECTED_MASK, DIC, 64);
    check_qparams(dnnl_invalid_arguments, COLUMN_MASK, GATES, NO_MASK, 1, 64);
    check_qparams(dnnl_invalid_arguments, NO_MASK, 2, NO_MASK, 1, 64);
    check_qparams(dnnl_invalid_arguments, NO_MASK, 1, PROJECTED_MASK, DHC, 64);
    check_qparams(dnnl_unimplemented, GATE_MASK, GATES, NO_MASK, 1, 64);
    check_qparams(dnnl_unimplemented, NO_MASK, 1, COLUMN_MASK, DIC, 64);
    check_qparams(dnnl_unimplemented, NO_MASK, 1, 0, 0, runtime);
    check_qparams(dnnl_unimplemented, 0, 0, PROJECTED_MASK, DIC, runtime);
    net_t n = int8_lstm();
    const char *log;
    assert_int_equal(dnnl_primitive_attr_create(&n.attr), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_rnn_data_qparams(n.attr, runtime, 0), dnnl_success);
    assert_int_equal(construct(&n, &log), dnnl_unimplemented);
    assert_int_equal(dnnl_primitive_attr_set_rnn_data_qparams(n.attr, 2, runtime), dnnl_success);
    assert_int_equal(construct(&n, &log), dnnl_unimplemented);
    assert_int_equal(dnnl_primitive_attr_destroy(n.attr), dnnl_success);
}

int main(void) {
    setenv("ONEDNN_VERBOSE", "check", 1);
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) {
        puts("There is no device.");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_valid),
            cmocka_unit_test(test_optional), cmocka_unit_test(test_empty),
            cmocka_unit_test(test_dims), cmocka_unit_test(test_ndims),
            cmocka_unit_test(test_directions), cmocka_unit_test(test_widths),
            cmocka_unit_test(test_cells), cmocka_unit_test(test_mandatory),
            cmocka_unit_test(test_gradients), cmocka_unit_test(test_hints),
            cmocka_unit_test(test_runtime), cmocka_unit_test(test_qparams)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return dnnl_engine_destroy(engine) != dnnl_success || failed;
}
