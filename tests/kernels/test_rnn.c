/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks on each variant of their pointwise steps: training forward, backward with the
 * workspace that it leaves, and int8 inference. Gradients of weights are added to what is there, or
 * overwrite it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dry.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/device.h"
#include "plan/variant_id.h"
#include "ref_rnn.h"
#include "test_main.h"
#include "ze/engine.h"

enum {
    STATES = 1,
    BIAS = 2,
    PEEPHOLE = 4,
    PROJECTION = 8,
    OVERWRITE = 16,
    HOLES = 32,
    GAPS = 64,
    F32_STATES = 128,
    F32_RESULT = 256
};

typedef struct {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    int64_t l, t, n, slc, dhc;
    unsigned with;
    dnnl_data_type_t dt, side_dt; /* side_dt: of bias and cell states */
    const char *weights;          /* "abcde": ldigo; "any": the library's layout */
} net_t;

#define L2R dnnl_unidirectional_left2right
#define R2L dnnl_unidirectional_right2left
#define CONCAT dnnl_bidirectional_concat
#define SUM dnnl_bidirectional_sum
#define LDIGO "abcde"
#define LDGOI "abdec"
#define ANY "any"

static const net_t trained[] = {
        {dnnl_vanilla_rnn, dnnl_eltwise_relu, L2R, 1, 3, 2, 5, 9, STATES | BIAS, dnnl_f32, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_rnn, dnnl_eltwise_tanh, CONCAT, 3, 4, 7, 16, 16, BIAS | HOLES, dnnl_f32,
                dnnl_f32, LDGOI},
        {dnnl_vanilla_rnn, dnnl_eltwise_logistic, SUM, 1, 2, 1, 1, 1, STATES | OVERWRITE, dnnl_f32,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 1, 3, 33, 17, BIAS | OVERWRITE, dnnl_f32,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, R2L, 2, 5, 9, 33, 33, STATES | BIAS | HOLES,
                dnnl_f32, dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 1, 3, 2, 5, 18, STATES | BIAS | PEEPHOLE,
                dnnl_f32, dnnl_f32, LDGOI},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, SUM, 2, 3, 4, 10, 18,
                STATES | BIAS | PEEPHOLE | PROJECTION, dnnl_f32, dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 2, 4, 20, 40, BIAS, dnnl_f32, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, R2L, 1, 4, 3, 20, 16, STATES | BIAS, dnnl_f32,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, CONCAT, 2, 3, 10, 12, 12, BIAS | HOLES, dnnl_f32,
                dnnl_f32, LDGOI},
        {dnnl_lbr_gru, dnnl_alg_kind_undef, L2R, 2, 4, 3, 21, 21, STATES | BIAS, dnnl_f32, dnnl_f32,
                LDGOI},
        {dnnl_lbr_gru, dnnl_alg_kind_undef, SUM, 1, 1, 5, 7, 40, BIAS | OVERWRITE, dnnl_f32,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_augru, dnnl_alg_kind_undef, L2R, 1, 4, 3, 6, 19, STATES | BIAS, dnnl_f32,
                dnnl_f32, LDIGO},
        {dnnl_lbr_augru, dnnl_alg_kind_undef, L2R, 1, 3, 9, 6, 16, BIAS | HOLES, dnnl_f32, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 2, 3, 4, 17, 17, STATES | BIAS, dnnl_bf16,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 2, 16, 64, 64, STATES | BIAS, dnnl_bf16,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, L2R, 1, 3, 4, 8, 17, STATES | BIAS, dnnl_bf16,
                dnnl_bf16, LDGOI},
        {dnnl_lbr_gru, dnnl_alg_kind_undef, SUM, 1, 3, 4, 8, 17, STATES | BIAS, dnnl_bf16, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_augru, dnnl_alg_kind_undef, L2R, 1, 2, 3, 6, 18, STATES | BIAS, dnnl_bf16,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 3, 4, 8, 20,
                STATES | BIAS | PROJECTION | PEEPHOLE, dnnl_f16, dnnl_f16, LDIGO},
        {dnnl_vanilla_rnn, dnnl_eltwise_tanh, R2L, 1, 3, 4, 8, 20, STATES, dnnl_f16, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 3, 38, 9, 37, STATES | BIAS, dnnl_f32,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, SUM, 1, 4, 35, 5, 20, BIAS, dnnl_f32, dnnl_f32,
                LDGOI},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 2, 3, 9, 32, 32, STATES | BIAS, dnnl_f32,
                dnnl_f32, ANY},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, L2R, 1, 4, 1, 64, 64, BIAS, dnnl_f32, dnnl_f32,
                ANY},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 3, 10, 32, 64, BIAS | PROJECTION, dnnl_f32,
                dnnl_f32, ANY},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 1, 3, 4, 8, 20, STATES | BIAS | PROJECTION,
                dnnl_bf16, dnnl_bf16, LDGOI},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, L2R, 1, 3, 11, 32, 32, STATES | BIAS, dnnl_bf16,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, R2L, 2, 3, 9, 32, 64,
                STATES | BIAS | PEEPHOLE | PROJECTION, dnnl_f16, dnnl_f16, LDIGO},
        {dnnl_lbr_gru, dnnl_alg_kind_undef, CONCAT, 1, 2, 17, 20, 64, BIAS, dnnl_f16, dnnl_f32,
                LDGOI},
        {dnnl_vanilla_augru, dnnl_alg_kind_undef, L2R, 1, 2, 3, 6, 96, STATES, dnnl_bf16, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_rnn, dnnl_eltwise_tanh, SUM, 1, 2, 8, 32, 32, STATES | BIAS, dnnl_bf16,
                dnnl_f32, ANY},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 2, 5, 11, 64, 64, STATES | BIAS | PEEPHOLE,
                dnnl_f16, dnnl_f16, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, R2L, 1, 5, 9, 32, 96, BIAS | HOLES, dnnl_bf16,
                dnnl_f32, LDGOI},
        {dnnl_lbr_augru, dnnl_alg_kind_undef, L2R, 1, 4, 6, 64, 64, STATES | BIAS, dnnl_bf16,
                dnnl_bf16, LDIGO},
        {dnnl_vanilla_rnn, dnnl_eltwise_logistic, SUM, 1, 4, 3, 8, 272, STATES, dnnl_f32, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, SUM, 2, 3, 4, 10, 18,
                STATES | BIAS | PEEPHOLE | PROJECTION | GAPS, dnnl_f32, dnnl_f32, LDIGO},
        {dnnl_vanilla_augru, dnnl_alg_kind_undef, L2R, 1, 3, 4, 6, 10,
                STATES | BIAS | GAPS | OVERWRITE, dnnl_f32, dnnl_f32, LDGOI},
        {dnnl_lbr_augru, dnnl_alg_kind_undef, L2R, 1, 2, 3, 6, 18, STATES | BIAS | OVERWRITE,
                dnnl_f16, dnnl_f32, LDIGO},
        {dnnl_lbr_gru, dnnl_alg_kind_undef, R2L, 2, 3, 4, 10, 10, STATES | BIAS, dnnl_f32, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_rnn, dnnl_eltwise_relu, R2L, 1, 3, 4, 8, 20, STATES | BIAS | GAPS, dnnl_bf16,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_rnn, dnnl_eltwise_logistic, L2R, 1, 3, 4, 8, 20, STATES | BIAS, dnnl_f16,
                dnnl_f16, LDGOI},
};

/* ---- descriptors ---- */

static bool is_lstm(const net_t *x) {
    return x->cell == dnnl_vanilla_lstm;
}

static bool is_lbr(const net_t *x) {
    return x->cell == dnnl_lbr_gru || x->cell == dnnl_lbr_augru;
}

static bool has_attention(const net_t *x) {
    return x->cell == dnnl_vanilla_augru || x->cell == dnnl_lbr_augru;
}

static ref_rnn_t sizes_of(const net_t *x) {
    ref_rnn_t r = {.cell = x->cell,
            .activation = x->activation,
            .direction = x->direction,
            .alpha = 0.25,
            .epsilon = 0x1p-24,
            .dt = x->dt,
            .t = x->t,
            .n = x->n,
            .l = x->l,
            .d = x->direction == CONCAT || x->direction == SUM ? 2 : 1,
            .g = x->cell == dnnl_vanilla_rnn ? 1
                 : is_lstm(x)                ? 4
                                             : 3,
            .dhc = x->dhc,
            .has_peephole = x->with & PEEPHOLE,
            .has_projection = x->with & PROJECTION};
    r.b = r.g + is_lbr(x);
    r.dic = r.sic = r.pitch = !r.has_projection ? x->dhc : x->dhc % 64 ? x->dhc - 8 : x->dhc / 2;
    r.slc = x->slc;
    r.dlc = x->direction == CONCAT ? 2 * r.dic : r.dic;
    return r;
}

enum { SRC, H, C, ATTENTION, W, U, PEEP, PROJ, VECTORS, DST, TENSORS };

static md_t make_weights(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    const bool is_any = !strcmp(tag, ANY);
    md_t md = make_md(dt, is_any ? LDIGO : tag, ndims, dims);
    if (is_any) md.format_kind = dnnl_format_kind_any;
    return md;
}

/* Tensors that HOLES leaves dense get gaps in their rows, and all begin inside of their memory. */
static void add_gaps(md_t md[TENSORS]) {
    static const char *const tags[TENSORS] = {[SRC] = "+abc",
            [H] = "+abcd",
            [C] = "+abcd",
            [ATTENTION] = "+abc",
            [W] = "+" LDIGO,
            [U] = "+" LDIGO,
            [PEEP] = "+abcd",
            [PROJ] = "+abcd",
            [VECTORS] = "+abcd",
            [DST] = "+abc"};
    for (int i = 0; i < TENSORS; i++) {
        if (!md[i].ndims) continue;
        md[i] = make_md(md[i].data_type, tags[i], md[i].ndims, md[i].dims);
        md[i].offset0 = i + 1;
    }
}

/* The tensors of a direction of propagation; what the net does not have is zero. */
static void describe(const net_t *x, bool gradients, md_t md[TENSORS]) {
    const ref_rnn_t r = sizes_of(x);
    const bool holes = x->with & HOLES, states = x->with & STATES;
    const dnnl_data_type_t dt = gradients ? dnnl_f32 : x->dt,
                           wei = gradients          ? dnnl_f32
                                 : dt_is_int(x->dt) ? dnnl_s8
                                                    : x->dt,
                           side = gradients ? dnnl_f32 : x->side_dt;
    const char *weights = gradients ? LDIGO : x->weights;
    memset(md, 0, TENSORS * sizeof(md_t));
    md[SRC] = make_md(dt, holes ? "+abc" : "abc", D(r.t, r.n, r.slc));
    md[W] = make_weights(wei, weights, D(r.l, r.d, r.slc, r.g, r.dhc));
    md[U] = make_weights(wei, weights, D(r.l, r.d, r.sic, r.g, r.dhc));
    md[DST] = make_md(dt, holes ? "bac" : "abc", D(r.t, r.n, r.dlc));
    if (states) md[H] = make_md(dt, holes ? "+abcd" : "abcd", D(r.l, r.d, r.n, r.sic));
    if (states && is_lstm(x)) md[C] = make_md(side, "abcd", D(r.l, r.d, r.n, r.dhc));
    if (has_attention(x)) md[ATTENTION] = make_md(dt, "abc", D(r.t, r.n, 1));
    if (r.has_peephole) md[PEEP] = make_md(dnnl_f32, "abcd", D(r.l, r.d, 3, r.dhc));
    if (r.has_projection)
        md[PROJ] =
                make_md(wei, strcmp(weights, LDGOI) ? "abcd" : "abdc", D(r.l, r.d, r.dhc, r.dic));
    if (x->with & F32_STATES) md[H].data_type = dnnl_f32;
    if (x->with & F32_RESULT) md[DST].data_type = dnnl_f32;
    if (x->with & BIAS)
        md[VECTORS] = make_md(side, holes ? "+abcd" : "abcd", D(r.l, r.d, r.b, r.dhc));
    if (x->with & GAPS) add_gaps(md);
}

static const md_t *optional(const md_t *md) {
    return md->ndims ? md : NULL;
}

#define INPUTS(m) &m[SRC], optional(&m[H])
#define OUTPUTS(m) optional(&m[VECTORS]), &m[DST], optional(&m[H])
#define WEIGHTS(m) &m[W], &m[U]
#define LSTM_WEIGHTS(m) WEIGHTS(m), optional(&m[PEEP]), optional(&m[PROJ])

static dnnl_status_t create_forward(dnnl_primitive_desc_t *pd, const net_t *x,
        dnnl_prop_kind_t prop, const md_t *m, const_dnnl_primitive_attr_t attr) {
    const dnnl_rnn_direction_t dir = x->direction;
    const dnnl_engine_t e = harness_engine;
    switch ((int)x->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_forward_primitive_desc_create(pd, e, prop, x->activation, dir,
                INPUTS(m), WEIGHTS(m), OUTPUTS(m), 0, 0.25f, 0, attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_forward_primitive_desc_create(pd, e, prop, dir, INPUTS(m), optional(&m[C]),
                LSTM_WEIGHTS(m), OUTPUTS(m), optional(&m[C]), 0, attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_forward_primitive_desc_create(
                pd, e, prop, dir, INPUTS(m), WEIGHTS(m), OUTPUTS(m), 0, attr);
    case dnnl_lbr_gru:
        return dnnl_lbr_gru_forward_primitive_desc_create(
                pd, e, prop, dir, INPUTS(m), WEIGHTS(m), OUTPUTS(m), 0, attr);
    case dnnl_vanilla_augru:
        return dnnl_augru_forward_primitive_desc_create(
                pd, e, prop, dir, INPUTS(m), &m[ATTENTION], WEIGHTS(m), OUTPUTS(m), 0, attr);
    default:
        return dnnl_lbr_augru_forward_primitive_desc_create(
                pd, e, prop, dir, INPUTS(m), &m[ATTENTION], WEIGHTS(m), OUTPUTS(m), 0, attr);
    }
}

static dnnl_status_t create_backward(dnnl_primitive_desc_t *pd, const net_t *x, const md_t *m,
        const md_t *g, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    const dnnl_rnn_direction_t dir = x->direction;
    const dnnl_engine_t e = harness_engine;
    const dnnl_prop_kind_t prop = dnnl_backward;
    const unsigned flags = x->with & OVERWRITE ? dnnl_rnn_flags_diff_weights_overwrite : 0;
    switch ((int)x->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_backward_primitive_desc_create(pd, e, prop, x->activation, dir,
                INPUTS(m), WEIGHTS(m), OUTPUTS(m), INPUTS(g), WEIGHTS(g), OUTPUTS(g), flags, 0.25f,
                0, hint, attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_backward_primitive_desc_create(pd, e, prop, dir, INPUTS(m),
                optional(&m[C]), LSTM_WEIGHTS(m), OUTPUTS(m), optional(&m[C]), INPUTS(g),
                optional(&g[C]), LSTM_WEIGHTS(g), OUTPUTS(g), optional(&g[C]), flags, hint, attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_backward_primitive_desc_create(pd, e, prop, dir, INPUTS(m), WEIGHTS(m),
                OUTPUTS(m), INPUTS(g), WEIGHTS(g), OUTPUTS(g), flags, hint, attr);
    case dnnl_lbr_gru:
        return dnnl_lbr_gru_backward_primitive_desc_create(pd, e, prop, dir, INPUTS(m), WEIGHTS(m),
                OUTPUTS(m), INPUTS(g), WEIGHTS(g), OUTPUTS(g), flags, hint, attr);
    case dnnl_vanilla_augru:
        return dnnl_augru_backward_primitive_desc_create(pd, e, prop, dir, INPUTS(m), &m[ATTENTION],
                WEIGHTS(m), OUTPUTS(m), INPUTS(g), &g[ATTENTION], WEIGHTS(g), OUTPUTS(g), flags,
                hint, attr);
    default:
        return dnnl_lbr_augru_backward_primitive_desc_create(pd, e, prop, dir, INPUTS(m),
                &m[ATTENTION], WEIGHTS(m), OUTPUTS(m), INPUTS(g), &g[ATTENTION], WEIGHTS(g),
                OUTPUTS(g), flags, hint, attr);
    }
}

/* ---- values ---- */

/* Where an argument is in the reference: rows of `pitch` values, of which the argument has those
 * of its last dimension. `apart` is the distance of layers and directions, if they are no rows like
 * others. */
typedef struct {
    num_t *at;
    int64_t pitch, apart;
    double scale, shift; /* of integers: q = scale * x + shift; 0: a real number */
} place_t;

static num_t *element(const place_t *p, const md_t *md, const dnnl_dim_t *pos) {
    const int last = md->ndims - 1;
    int64_t row = 0, part = 0;
    for (int d = 0; d < last; d++) {
        if (d == 2 && p->apart) {
            part = row;
            row = 0;
        }
        row = row * md->dims[d] + pos[d];
    }
    return p->at + part * p->apart + row * p->pitch + pos[last];
}

/* The values of an argument become those of the reference. */
static void give(const case_t *c, int arg, place_t to) {
    const int slot = pd_find_arg(c->pd, arg);
    if (slot < 0 || md_is_zero(&c->md[slot])) return;
    const md_t *md = &c->md[slot];
    const void *data = c->before[slot] ? c->before[slot] : c->data[slot];
    dnnl_dims_t pos = {0};
    do {
        const double x = ref_load(md->data_type, data, md_offset(md, pos));
        const bool quantised = to.scale != 0 && dt_is_int(md->data_type);
        *element(&to, md, pos) = (num_t){quantised ? (x - to.shift) / to.scale : x, 0};
    } while (ref_next(md->dims, md->ndims, pos));
}

static place_t expected;
static const md_t *expected_md;

static ref_value_t value_at(const ref_t *ref, const dnnl_dim_t *pos) {
    (void)ref;
    num_t x = *element(&expected, expected_md, pos);
    if (expected.scale != 0 && dt_is_int(expected_md->data_type)) {
        x.v = x.v * expected.scale + expected.shift;
        x.error = x.error * expected.scale + 0x1p-20;
    } else if (expected.scale != 0) {
        /* q / scale - shift / scale, with both factors rounded to floats. */
        x.error += (fabs(x.v) + 2 * fabs(expected.shift / expected.scale)) * 0x1p-24;
    }
    return x;
}

static void check(const case_t *c, int arg, place_t from) {
    const int slot = pd_find_arg(c->pd, arg);
    verdict_t v = {0};
    if (slot < 0 || md_is_zero(&c->md[slot]) || is_dry) return;
    expected = from;
    expected_md = &c->md[slot];
    case_compare_with(c, arg, value_at, &v);
    assert_true(v.compared > 0);
    if (v.wrong) fail_msg("argument %d: %s", arg, v.first);
    harness_count.elements += v.compared;
}

/* ---- a net ---- */

/* The state of every layer and direction before step 0, or after the last. */
static place_t h_at(const ref_rnn_t *r, int64_t step) {
    return (place_t){r->h + step * r->n * r->pitch, r->pitch, (r->t + 1) * r->n * r->pitch,
            r->scale, r->shift};
}

static place_t c_at(const ref_rnn_t *r, int64_t step) {
    return (place_t){r->c + step * r->n * r->dhc, r->dhc, (r->t + 1) * r->n * r->dhc, 0, 0};
}

static void give_inputs(const case_t *c, ref_rnn_t *r) {
    const int64_t w = r->dhc;
    give(c, DNNL_ARG_SRC_LAYER, (place_t){r->x, r->slc, 0, r->scale, r->shift});
    give(c, DNNL_ARG_SRC_ITER, h_at(r, 0));
    give(c, DNNL_ARG_SRC_ITER_C, c_at(r, 0));
    give(c, DNNL_ARG_AUGRU_ATTENTION, (place_t){r->attention, 1, 0, 0, 0});
    give(c, DNNL_ARG_WEIGHTS_LAYER, (place_t){.at = r->w, .pitch = w});
    give(c, DNNL_ARG_WEIGHTS_ITER, (place_t){.at = r->u, .pitch = w});
    give(c, DNNL_ARG_WEIGHTS_PEEPHOLE, (place_t){.at = r->peephole, .pitch = w});
    give(c, DNNL_ARG_WEIGHTS_PROJECTION, (place_t){.at = r->projection, .pitch = r->dic});
    give(c, DNNL_ARG_BIAS, (place_t){.at = r->bias, .pitch = w});
}

static void check_forward(const case_t *c, const ref_rnn_t *r) {
    check(c, DNNL_ARG_DST_LAYER, (place_t){r->y, r->dlc, 0, r->scale, ref_rnn_result_shift(r)});
    check(c, DNNL_ARG_DST_ITER, h_at(r, r->t));
    check(c, DNNL_ARG_DST_ITER_C, c_at(r, r->t));
}

/* The same values, which may have another layout. */
static void copy_values(void *to, const md_t *to_md, const void *from, const md_t *from_md) {
    const size_t bytes = dt_size(to_md->data_type);
    dnnl_dims_t pos = {0};
    do {
        memcpy((char *)to + (size_t)md_offset(to_md, pos) * bytes,
                (const char *)from + (size_t)md_offset(from_md, pos) * bytes, bytes);
    } while (ref_next(to_md->dims, to_md->ndims, pos));
}

/* What the forward primitive has read and written, the backward one reads. */
static void hand_over(case_t *backward, const case_t *forward) {
    for (int i = 0; i < backward->pd->nargs; i++) {
        const int from = pd_find_arg(forward->pd, backward->pd->args[i].arg);
        if (backward->pd->args[i].flags & PD_OUT || from < 0 || md_is_zero(&backward->md[i]))
            continue;
        assert_int_equal(backward->size[i], forward->size[from]);
        copy_values(backward->data[i], &backward->md[i], forward->data[from], &forward->md[from]);
    }
}

static const struct {
    int arg;
    size_t field;
    bool of_projection;
} weights[] = {{DNNL_ARG_DIFF_WEIGHTS_LAYER, offsetof(ref_rnn_t, dw), false},
        {DNNL_ARG_DIFF_WEIGHTS_ITER, offsetof(ref_rnn_t, du), false},
        {DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, offsetof(ref_rnn_t, dpeephole), false},
        {DNNL_ARG_DIFF_WEIGHTS_PROJECTION, offsetof(ref_rnn_t, dprojection), true},
        {DNNL_ARG_DIFF_BIAS, offsetof(ref_rnn_t, dbias), false}};

static place_t weights_at(const ref_rnn_t *r, int i) {
    num_t *at;
    memcpy(&at, (const char *)r + weights[i].field, sizeof(at));
    return (place_t){.at = at, .pitch = weights[i].of_projection ? r->dic : r->dhc};
}

static void check_backward(const net_t *x, const case_t *c, ref_rnn_t *r) {
    const place_t dh = {.at = r->dh, .pitch = r->pitch}, dc = {.at = r->dc, .pitch = r->dhc};
    give(c, DNNL_ARG_DIFF_DST_LAYER, (place_t){.at = r->dy, .pitch = r->dlc});
    give(c, DNNL_ARG_DIFF_DST_ITER, dh);
    give(c, DNNL_ARG_DIFF_DST_ITER_C, dc);
    for (int i = 0; i < 5 && !(x->with & OVERWRITE); i++) give(c, weights[i].arg, weights_at(r, i));
    ref_rnn_backward(r);
    check(c, DNNL_ARG_DIFF_SRC_LAYER, (place_t){.at = r->dx, .pitch = r->slc});
    check(c, DNNL_ARG_DIFF_SRC_ITER, dh);
    check(c, DNNL_ARG_DIFF_SRC_ITER_C, dc);
    check(c, DNNL_ARG_DIFF_AUGRU_ATTENTION, (place_t){.at = r->dattention, .pitch = 1});
    for (int i = 0; i < 5; i++) check(c, weights[i].arg, weights_at(r, i));
}

/* Cases in which a step has the forced variant. */
static int uses;

static void count_uses(const case_t *c) {
    bool found = false;
    for (int i = 0; i < c->pd->plan.nsteps; i++)
        found = found || c->pd->plan.steps[i].variant == harness_hints.forced_variant;
    uses += found;
}

static double magnitude = 0.75; /* of all values */

static void fill(case_t *c) {
    c->low = -magnitude;
    c->high = magnitude;
    case_fill(c, NULL);
}

static void train(const net_t *x) {
    md_t m[TENSORS], g[TENSORS];
    case_t forward, backward;
    dnnl_primitive_desc_t pd = NULL;
    describe(x, false, m);
    describe(x, true, g);
    dnnl_status_t status = create_forward(&pd, x, dnnl_forward_training, m, hinted(NULL));
    if (!case_open(&forward, pd, status)) return;
    fill(&forward);
    case_run(&forward);
    ref_rnn_t r = sizes_of(x);
    r.backward = true;
    ref_rnn_open(&r);
    give_inputs(&forward, &r);
    ref_rnn_forward(&r);
    check_forward(&forward, &r);
    pd = NULL;
    status = create_backward(&pd, x, m, g, forward.handle, hinted(NULL));
    if (case_open(&backward, pd, status)) {
        fill(&backward);
        hand_over(&backward, &forward);
        backward.is_trained = true;
        case_run(&backward);
        check_backward(x, &backward, &r);
        case_close(&backward);
    }
    harness_count.run++;
    count_uses(&forward);
    ref_rnn_close(&r);
    case_close(&forward);
}

static void train_all(void) {
    for (size_t i = 0; i < sizeof(trained) / sizeof(trained[0]); i++)
        if (sampled((int)i)) train(&trained[i]);
}

/* Matrix units have variants of their own for integers. */
static bool computes_floats(int variant) {
    return !variant_has_matrix_units(&variants[variant]) || !variants[variant].geometry.ints;
}

/* Tiger Lake's registers hold several time steps of vanilla RNN only: it has no integers. */
static bool computes_integers(int variant) {
    const caps_t *caps = &harness_engine->core->caps;
    if (variant == KERNEL_rnn_steps_sg16 && has_small_registers(caps) && caps->max_registers <= 128)
        return false;
    return !variant_has_matrix_units(&variants[variant]) || variants[variant].geometry.ints;
}

static void test_forward(void **unused) {
    (void)unused;
    for_each_variant_that(computes_floats, "rnn_cell", train_all);
}

static void test_backward(void **unused) {
    (void)unused;
    for_each_variant("rnn_cell_backward", train_all);
}

/* ---- int8 ---- */

static const net_t quantised[] = {
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 3, 2, 16, 16, STATES | BIAS, dnnl_u8,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 2, 3, 5, 9, 9, BIAS, dnnl_u8, dnnl_f32,
                LDGOI},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 2, 16, 64, 64, STATES | BIAS, dnnl_u8,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, R2L, 1, 4, 3, 12, 17, STATES | BIAS, dnnl_u8,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, R2L, 1, 3, 3, 7, 20, STATES, dnnl_u8, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, SUM, 2, 3, 3, 14, 14, STATES | BIAS, dnnl_u8,
                dnnl_f32, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, SUM, 1, 3, 4, 9, 16, BIAS, dnnl_u8, dnnl_f32,
                LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 3, 4, 20, 40, STATES | BIAS | PROJECTION,
                dnnl_u8, dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, SUM, 2, 4, 3, 10, 18, BIAS | PROJECTION, dnnl_u8,
                dnnl_f32, LDGOI},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 1, 2, 17, 30, 72,
                STATES | BIAS | PROJECTION, dnnl_u8, dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, SUM, 1, 3, 3, 10, 18, STATES | BIAS | PROJECTION,
                dnnl_s8, dnnl_f32, LDIGO},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, R2L, 2, 4, 10, 80, 80, STATES | BIAS, dnnl_s8,
                dnnl_f32, LDGOI},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, CONCAT, 1, 3, 4, 20, 20,
                STATES | BIAS | F32_STATES, dnnl_u8, dnnl_f32, LDIGO},
        {dnnl_vanilla_gru, dnnl_alg_kind_undef, L2R, 1, 3, 4, 20, 17,
                STATES | BIAS | F32_STATES | F32_RESULT, dnnl_u8, dnnl_f32, LDGOI},
        {dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 3, 3, 9, 33, STATES | BIAS | GAPS, dnnl_u8,
                dnnl_f32, LDIGO},
};

/* One scale for all weights, or one for each column. */
typedef struct {
    bool each;
    int64_t columns;
    float *scale;
} scales_t;

static scales_t draw_scales(bool each, int64_t columns) {
    const scales_t s = {each, columns, calloc((size_t)columns, sizeof(float))};
    for (int64_t i = 0; i < columns; i++) s.scale[i] = (float)harness_uniform(150, 400);
    return s;
}

/* The reference gets real weights. */
static void dequantise(const ref_rnn_t *r, num_t *w, int64_t inputs, const scales_t *s) {
    for (int64_t i = 0; i < r->l * r->d * inputs * s->columns; i++)
        w[i].v /= s->scale[s->each ? i % s->columns : 0];
}

/* Real states before the first step are rounded to 8 bits like all others. */
static void quantise_states(ref_rnn_t *r) {
    for (int64_t part = 0; part < r->l * r->d; part++) {
        num_t *h = r->h + part * (r->t + 1) * r->n * r->pitch;
        for (int64_t i = 0; i < r->n * r->pitch; i++) {
            const double q = nearbyint(h[i].v * r->scale + r->shift);
            h[i].v = (fmin(fmax(q, 0), 255) - r->shift) / r->scale;
        }
    }
}

static void give_quantised(const net_t *x, const case_t *c, ref_rnn_t *r, const scales_t *gates,
        const scales_t *projected) {
    give_inputs(c, r);
    if (x->with & F32_STATES) quantise_states(r);
    dequantise(r, r->w, r->slc, gates);
    dequantise(r, r->u, r->sic, gates);
    if (r->has_projection) dequantise(r, r->projection, r->dhc, projected);
}

static dnnl_primitive_attr_t quantising(
        const ref_rnn_t *r, const scales_t *gates, const scales_t *projected) {
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(
            dnnl_primitive_attr_set_rnn_data_qparams(attr, (float)r->scale, (float)r->shift),
            dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_rnn_weights_qparams(attr,
                             gates->each ? gates->columns : 1, gates->each ? 24 : 0, gates->scale),
            dnnl_success);
    if (r->has_projection)
        assert_int_equal(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr,
                                 projected->each ? projected->columns : 1, projected->each ? 8 : 0,
                                 projected->scale),
                dnnl_success);
    return attr;
}

static void infer(const net_t *x, bool each) {
    md_t m[TENSORS];
    case_t c;
    dnnl_primitive_desc_t pd = NULL;
    ref_rnn_t r = sizes_of(x);
    const scales_t gates = draw_scales(each, r.g * r.dhc), projected = draw_scales(each, r.dic);
    r.scale = 90;
    r.shift = x->dt == dnnl_u8 ? 100 : 0;
    describe(x, false, m);
    dnnl_primitive_attr_t attr = quantising(&r, &gates, &projected);
    const dnnl_status_t status = create_forward(&pd, x, dnnl_forward_inference, m, hinted(attr));
    if (case_open(&c, pd, status)) {
        fill(&c);
        case_run(&c);
        ref_rnn_open(&r);
        give_quantised(x, &c, &r, &gates, &projected);
        ref_rnn_forward(&r);
        check_forward(&c, &r);
        harness_count.run++;
        count_uses(&c);
        ref_rnn_close(&r);
        case_close(&c);
    }
    dnnl_primitive_attr_destroy(attr);
    free(gates.scale);
    free(projected.scale);
}

/* Variants of the pointwise steps get all nets: some take few of them. */
static void infer_each(bool all) {
    for (size_t i = 0; i < sizeof(quantised) / sizeof(quantised[0]); i++) {
        if (!all && !sampled((int)i)) continue;
        infer(&quantised[i], i % 2 != 0);
        infer(&quantised[i], i % 2 == 0);
    }
}

static void infer_all(void) {
    infer_each(true);
}

static void test_int8(void **unused) {
    (void)unused;
    for_each_variant_that(computes_integers, "rnn_cell", infer_all);
}

/* ---- weights ---- */

/* q = round(scale * w), in the layout and type of the network. */
static float weights_scale[3 * 4 * 7];
static int scale_mask;

static ref_value_t quantised_at(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *md = pd_md(ref->pd, DNNL_ARG_DST);
    int64_t i = 0;
    for (int d = 0; d < md->ndims; d++)
        if (scale_mask >> d & 1) i = i * md->dims[d] + pos[d];
    const ref_value_t w = ref_at(ref, DNNL_ARG_SRC, pos);
    const double scale = weights_scale[i];
    return (ref_value_t){w.v * scale, fabs(w.v * scale) * 0x1p-23};
}

static void reorder_weights(bool projects, const char *from, const char *to, int mask) {
    const md_t src = projects ? make_md(dnnl_f32, from, D(2, 1, 5, 7))
                              : make_md(dnnl_f32, from, D(2, 1, 5, 4, 7)),
               dst = projects ? make_md(dnnl_s8, to, D(2, 1, 5, 7))
                              : make_md(dnnl_s8, to, D(2, 1, 5, 4, 7));
    const dnnl_dim_t count = !mask ? 1 : projects ? 7 : 4 * 7;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    scale_mask = mask;
    for (int64_t i = 0; i < count; i++) weights_scale[i] = (float)harness_uniform(20, 200);
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal((projects ? dnnl_primitive_attr_set_rnn_weights_projection_qparams
                               : dnnl_primitive_attr_set_rnn_weights_qparams)(
                             attr, count, mask, weights_scale),
            dnnl_success);
    const dnnl_status_t status = dnnl_reorder_primitive_desc_create(
            &pd, &src, harness_engine, &dst, harness_engine, hinted(attr));
    case_all(pd, status, quantised_at, -1, 1);
    dnnl_primitive_attr_destroy(attr);
}

/* Into all layouts of weights, and with holes; values beyond 127 saturate. */
static void reorder_all(void) {
    static const char *const tags[] = {LDIGO, LDGOI, "+abcde"}, *const projections[] = {
                                                                        "abcd", "abdc", "+abcd"};
    for (int i = 0; i < 9; i++) {
        reorder_weights(false, tags[i / 3], tags[i % 3], i % 2 ? 24 : 0);
        reorder_weights(true, projections[i / 3], projections[i % 3], i % 2 ? 8 : 0);
    }
}

static void test_weights(void **unused) {
    (void)unused;
    for_each_variant_that(takes_bytes, "elementwise", reorder_all);
}

/* ---- time ---- */

static dnnl_status_t replay_twice(const_dnnl_primitive_t primitive, dnnl_stream_t unused, int n,
        const dnnl_exec_arg_t *args) {
    (void)unused;
    return dry_record(primitive, n, args, 2);
}

/* A thousand time steps are one plan, which runs as it is and recorded, several times. */
static void test_long(void **unused) {
    static const net_t nets[] = {{dnnl_vanilla_lstm, dnnl_alg_kind_undef, L2R, 1, 1000, 2, 5, 8,
                                         STATES | BIAS | OVERWRITE, dnnl_f32, dnnl_f32, LDIGO},
            {dnnl_vanilla_gru, dnnl_alg_kind_undef, R2L, 1, 1000, 1, 5, 16, BIAS | OVERWRITE,
                    dnnl_f32, dnnl_f32, ANY}};
    const case_submit_fn submit = case_submit;
    (void)unused;
    if (is_dry || harness_too_large(1 << 20)) skip();
    magnitude = 0.125; /* the bounds of the errors do not grow from step to step */
    for (int i = 0; i < 2; i++) {
        train(&nets[i]);
        case_submit = replay_twice;
        train(&nets[i]);
        case_submit = submit;
    }
    magnitude = 0.75;
}

/* ---- products ---- */

/* Networks have neither doubles nor floats that may be multiplied as tf32. */
static bool multiplies(int variant) {
    return !variants[variant].needs_fp64 && !variants[variant].geometry.tf32;
}

/* Tiles of matrix units refuse small products, and a sample may have no other. */
static void multiply_all(void) {
    uses = 0;
    train_all();
    infer_each(false);
    const target_t target = variants[harness_hints.forced_variant].target;
    if (is_dry || harness_leaves_out() || (target != TARGET_CPU && target != TARGET_PORTABLE))
        print_message("  %d cases have a product by this variant\n", uses);
    else assert_true(uses > 0);
}

/* Each variant of matmul, for the products that it can run. */
static void test_products(void **unused) {
    (void)unused;
    for_each_variant_that(multiplies, "matmul", multiply_all);
}

TEST_MAIN(cmocka_unit_test(test_forward), cmocka_unit_test(test_backward),
        cmocka_unit_test(test_int8), cmocka_unit_test(test_weights), cmocka_unit_test(test_long),
        cmocka_unit_test(test_products))
