/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of recurrent networks against itself: its gradients are those that differences of
 * its forward pass give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ref_rnn.h"

static uint64_t state = 1;

static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (double)(1 << 24) * 2 - 1;
}

static void draw(num_t *to, int64_t n, double most) {
    for (int64_t i = 0; i < n; i++) to[i] = (num_t){most * uniform(), 0};
}

/* A network with all of its tensors. */
static ref_rnn_t network(dnnl_alg_kind_t cell, dnnl_alg_kind_t activation,
        dnnl_rnn_direction_t direction, int64_t layers) {
    const bool lstm = cell == dnnl_vanilla_lstm, rnn = cell == dnnl_vanilla_rnn;
    const bool lbr = cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
    ref_rnn_t r = {.cell = cell,
            .activation = activation,
            .direction = direction,
            .alpha = 0.25,
            .dt = dnnl_f64,
            .t = 3,
            .n = 2,
            .l = layers,
            .g = rnn    ? 1
                 : lstm ? 4
                        : 3,
            .dhc = 3,
            .has_peephole = lstm,
            .has_projection = lstm,
            .backward = true};
    r.d = direction >= dnnl_bidirectional_concat ? 2 : 1;
    r.b = r.g + lbr;
    r.dic = r.sic = r.pitch = lstm ? 2 : r.dhc;
    r.slc = layers > 1 ? r.dic : 4;
    r.dlc = direction == dnnl_bidirectional_concat ? 2 * r.dic : r.dic;
    ref_rnn_open(&r);
    const int64_t ld = r.l * r.d;
    draw(r.x, r.t * r.n * r.slc, 1);
    draw(r.attention, r.t * r.n, 0.5);
    draw(r.w, ld * r.slc * r.g * r.dhc, 1);
    draw(r.u, ld * r.sic * r.g * r.dhc, 1);
    draw(r.bias, ld * r.b * r.dhc, 1);
    if (lstm) draw(r.peephole, ld * 3 * r.dhc, 1);
    if (lstm) draw(r.projection, ld * r.dhc * r.dic, 1);
    draw(r.dy, r.t * r.n * r.dlc, 1);
    for (int64_t i = 0; i < ld; i++) { /* before the first step */
        draw(r.h + i * (r.t + 1) * r.n * r.pitch, r.n * r.pitch, 1);
        draw(r.c + i * (r.t + 1) * r.n * r.dhc, r.n * r.dhc, lstm ? 1 : 0);
    }
    return r;
}

/* The function whose gradient is computed: all outputs, each times a factor. */
static double value(ref_rnn_t *r, const num_t *dh, const num_t *dc) {
    double sum = 0;
    ref_rnn_forward(r);
    for (int64_t i = 0; i < r->t * r->n * r->dlc; i++) sum += r->y[i].v * r->dy[i].v;
    for (int64_t ld = 0; ld < r->l * r->d; ld++) {
        const int64_t row = (ld * (r->t + 1) + r->t) * r->n;
        for (int64_t i = 0; i < r->n * r->pitch; i++)
            sum += r->h[row * r->pitch + i].v * dh[ld * r->n * r->pitch + i].v;
        for (int64_t i = 0; i < r->n * r->dhc; i++)
            sum += r->c[row * r->dhc + i].v * dc[ld * r->n * r->dhc + i].v;
    }
    return sum;
}

static num_t last_h[256], last_c[256];

static void check(ref_rnn_t *r, num_t *input, const num_t *gradient, int64_t n, const char *name) {
    const double step = 1e-5;
    for (int64_t i = 0; i < n; i++) {
        const double was = input[i].v;
        input[i].v = was + step;
        const double up = value(r, last_h, last_c);
        input[i].v = was - step;
        const double down = value(r, last_h, last_c), slope = (up - down) / (2 * step);
        input[i].v = was;
        if (!(fabs(slope - gradient[i].v) <= 1e-7 * (1 + fabs(slope))))
            fail_msg("cell %x, %s[%d]: %.9g, but differences give %.9g", (unsigned)r->cell, name,
                    (int)i, gradient[i].v, slope);
    }
}

static void check_network(dnnl_alg_kind_t cell, dnnl_alg_kind_t activation,
        dnnl_rnn_direction_t direction, int64_t layers) {
    ref_rnn_t r = network(cell, activation, direction, layers);
    const int64_t ld = r.l * r.d, states = ld * r.n * r.pitch, cells = ld * r.n * r.dhc;
    draw(last_h, states, 1);
    draw(last_c, cells, r.cell == dnnl_vanilla_lstm ? 1 : 0);
    memcpy(r.dh, last_h, (size_t)states * sizeof(num_t));
    memcpy(r.dc, last_c, (size_t)cells * sizeof(num_t));
    ref_rnn_forward(&r);
    ref_rnn_backward(&r);
    check(&r, r.x, r.dx, r.t * r.n * r.slc, "src_layer");
    check(&r, r.attention, r.dattention, r.t * r.n, "attention");
    check(&r, r.w, r.dw, ld * r.slc * r.g * r.dhc, "weights_layer");
    check(&r, r.u, r.du, ld * r.sic * r.g * r.dhc, "weights_iter");
    check(&r, r.bias, r.dbias, ld * r.b * r.dhc, "bias");
    if (r.has_peephole) check(&r, r.peephole, r.dpeephole, ld * 3 * r.dhc, "weights_peephole");
    if (r.has_projection)
        check(&r, r.projection, r.dprojection, ld * r.dhc * r.dic, "weights_projection");
    for (int64_t i = 0; i < ld; i++) {
        check(&r, r.h + i * (r.t + 1) * r.n * r.pitch, r.dh + i * r.n * r.pitch, r.n * r.pitch,
                "src_iter");
        if (r.cell == dnnl_vanilla_lstm)
            check(&r, r.c + i * (r.t + 1) * r.n * r.dhc, r.dc + i * r.n * r.dhc, r.n * r.dhc,
                    "src_iter_c");
    }
    ref_rnn_close(&r);
}

static void check_cell(dnnl_alg_kind_t cell, dnnl_alg_kind_t activation) {
    for (int d = dnnl_unidirectional_left2right; d <= dnnl_bidirectional_sum; d++)
        for (int layers = 1; layers <= 2; layers++)
            check_network(cell, activation, (dnnl_rnn_direction_t)d, layers);
}

static void test_vanilla(void **unused) {
    (void)unused;
    check_cell(dnnl_vanilla_rnn, dnnl_eltwise_tanh);
    check_cell(dnnl_vanilla_rnn, dnnl_eltwise_logistic);
    check_cell(dnnl_vanilla_rnn, dnnl_eltwise_relu);
}

static void test_lstm(void **unused) {
    (void)unused;
    check_cell(dnnl_vanilla_lstm, dnnl_alg_kind_undef);
}

static void test_gru(void **unused) {
    (void)unused;
    check_cell(dnnl_vanilla_gru, dnnl_alg_kind_undef);
    check_cell(dnnl_lbr_gru, dnnl_alg_kind_undef);
}

static void test_augru(void **unused) {
    (void)unused;
    check_network(dnnl_vanilla_augru, dnnl_alg_kind_undef, dnnl_unidirectional_left2right, 1);
    check_network(dnnl_lbr_augru, dnnl_alg_kind_undef, dnnl_unidirectional_left2right, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vanilla), cmocka_unit_test(test_lstm),
            cmocka_unit_test(test_gru), cmocka_unit_test(test_augru)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
