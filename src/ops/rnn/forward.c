/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of recurrent networks. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/rnn/rnn.h"
#include "steps/values.h"

/* A layer in one direction of time. */
typedef struct {
    rnn_t *r;
    int64_t l, d;
    matrix_view_t weights; /* of the state */
    matrix_view_t projection;
    rnn_factors_t factors;   /* the weights of the state, for steps that multiply */
    rnn_factors_t projected; /* those of the projection */
} layer_t;

/* ---- int8 ---- */

static void add_linear(epilogue_t *epilogue, float factor, float summand) {
    epilogue_add_eltwise(epilogue, dnnl_eltwise_linear, 1, factor, summand);
}

/* A state as it comes: int8 quantises real numbers. */
static const char *quantise(rnn_t *r, const matrix_view_t *from, const matrix_view_t *to) {
    const attr_t *attr = &r->mm.planner.pd->attr;
    epilogue_t epilogue;
    if (!r->is_int8 || from->dt != dnnl_f32) return rnn_copy(r, from, to, false);
    epilogue_init(&epilogue);
    add_linear(&epilogue, attr->rnn_data_scale, attr->rnn_data_shift);
    return rnn_apply(r, &epilogue, from, to);
}

/* to = a, or a + b. int8 adds numbers with their shift and saturates the sum, then makes it a real
 * number if that is wanted. */
static const char *put_out(
        rnn_t *r, const matrix_view_t *a, const matrix_view_t *b, const matrix_view_t *to) {
    const attr_t *attr = &r->mm.planner.pd->attr;
    const float scale = attr->rnn_data_scale, shift = attr->rnn_data_shift;
    md_t md;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    if (b) {
        const operand_t second = operand_of_view(b, &md);
        const epilogue_source_t source = operand_tensor(&second);
        epilogue_add_source(&epilogue, OP_ADD, &source);
    }
    if (r->is_int8 && to->dt == dnnl_f32) {
        const bool is_signed = r->dt == dnnl_s8;
        if (b)
            epilogue_add_eltwise(
                    &epilogue, dnnl_eltwise_clip, 1, is_signed ? -128 : 0, is_signed ? 127 : 255);
        add_linear(&epilogue, 1 / scale, -(b ? 2 : 1) * shift / scale);
    }
    return rnn_apply(r, &epilogue, a, to);
}

/* The sums of the weights over the inputs, of input and state. */
static const char *compensate(const layer_t *x, const matrix_view_t *of_input) {
    rnn_t *r = x->r;
    const int64_t columns = r->gates * r->dhc;
    matrix_view_t to = {.slot = -1,
            .offset = r->compensation.offset,
            .dt = dnnl_f32,
            .outer = 1,
            .rows = 1,
            .columns = columns,
            .row = columns,
            .column = 1};
    matrix_view_t other = to;
    if (!r->is_int8) return NULL;
    other.offset = rnn_reserve(r, columns, dnnl_f32).offset;
    REFUSE_IF(rnn_sum_columns(r, of_input, &to));
    REFUSE_IF(rnn_sum_columns(r, &x->weights, &other));
    return rnn_copy(r, &other, &to, true);
}

/* ---- states ---- */

static const char *first_states(const layer_t *x) {
    rnn_t *r = x->r;
    const int64_t first = rnn_before(r, x->d, rnn_time(r, x->d, 0));
    const matrix_view_t h = rnn_states(r, x->l, x->d, first, 1, r->sic);
    const attr_t *attr = &r->mm.planner.pd->attr;
    if (r->has_state) {
        const matrix_view_t from = rnn_iter(r, DNNL_ARG_SRC_ITER, x->l, x->d);
        REFUSE_IF(quantise(r, &from, &h));
    } else if (r->is_int8) {
        write_value(&r->mm.planner, attr->rnn_data_shift, r->batch * r->pitch, r->dt, h.offset);
    }
    if (!r->is_lstm || !r->has_state) return NULL;
    const matrix_view_t from = rnn_iter(r, DNNL_ARG_SRC_ITER_C, x->l, x->d),
                        c = rnn_cells(r, x->l, x->d, first);
    return rnn_copy(r, &from, &c, false);
}

static bool is_wanted(const rnn_t *r, int arg) {
    return !md_is_zero(pd_md(r->mm.planner.pd, arg));
}

static const char *last_states(const layer_t *x) {
    rnn_t *r = x->r;
    const int64_t last = rnn_after(r, x->d, rnn_time(r, x->d, r->steps - 1));
    if (is_wanted(r, DNNL_ARG_DST_ITER)) {
        const matrix_view_t h = rnn_states(r, x->l, x->d, last, 1, r->dic),
                            to = rnn_iter(r, DNNL_ARG_DST_ITER, x->l, x->d);
        REFUSE_IF(put_out(r, &h, NULL, &to));
    }
    if (!is_wanted(r, DNNL_ARG_DST_ITER_C)) return NULL;
    const matrix_view_t c = rnn_cells(r, x->l, x->d, last),
                        to = rnn_iter(r, DNNL_ARG_DST_ITER_C, x->l, x->d);
    return rnn_copy(r, &c, &to, false);
}

/* ---- a time step ---- */

static bool has_state_at(const rnn_t *r, int64_t i) {
    return i > 0 || r->has_state;
}

static void bind_array(plan_t *plan, const rnn_array_t *array) {
    if (array->dt) plan_scratch(plan, array->offset);
    else plan_arg(plan, -1, 0);
}

/* A view where there is one. */
static void bind_if(plan_t *plan, bool there, const matrix_view_t *v) {
    bind_view(plan, there ? v : NULL);
}

static void bind_vectors(rnn_t *r, bool there, int arg, const layer_t *x) {
    plan_t *plan = r->mm.planner.plan;
    if (!there) {
        bind_view(plan, NULL);
        return;
    }
    const matrix_view_t v = rnn_vectors(r, arg, x->l, x->d);
    bind_view(plan, &v);
}

static void set_params(const layer_t *x, int64_t i, rnn_cell_t *p) {
    rnn_t *r = x->r;
    const attr_t *attr = &r->mm.planner.pd->attr;
    memset(p, 0, sizeof(*p));
    /* int8 has a state that stands for 0. */
    p->now = has_state_at(r, i) || r->is_int8 ? RNN_HAS_H : 0;
    if (has_state_at(r, i)) p->now |= RNN_HAS_C;
    if (r->has_bias) p->bias = rnn_vectors(r, DNNL_ARG_BIAS, 0, 0).row;
    if (r->has_peephole) p->peephole = rnn_vectors(r, DNNL_ARG_WEIGHTS_PEEPHOLE, 0, 0).row;
    if (r->has_attention) p->attention = rnn_layer(r, DNNL_ARG_AUGRU_ATTENTION, 0, 1).row;
    p->data_scale = attr->rnn_data_scale;
    p->data_shift = attr->rnn_data_shift;
    p->weights_scale = attr->rnn_weights.set ? attr->rnn_weights.scales[0] : 1;
}

/* The source of the product before part 0 or 1 of a step; false: there is none. */
static bool source_of(const layer_t *x, int64_t i, int part, matrix_view_t *v) {
    const rnn_t *r = x->r;
    if (!has_state_at(r, i) && !r->is_int8) return false;
    if (part == RNN_SECOND) *v = rnn_rows(r, &r->reset_state, 0, 0, 0, 1, r->dhc);
    else *v = rnn_states(r, x->l, x->d, rnn_before(r, x->d, rnn_time(r, x->d, i)), 1, r->sic);
    return true;
}

/* Bytes from time step 1 to 2. */
static void find_walk(const layer_t *x, rnn_walk_t *w) {
    const rnn_t *r = x->r;
    int64_t at[2][5] = {{0}};
    for (int i = 0; i < 2; i++) {
        const int64_t t = rnn_time(r, x->d, i + 1), step = rnn_after(r, x->d, t);
        at[i][0] = (int64_t)rnn_rows(r, &r->gate, x->l, x->d, t, 1, r->gates * r->dhc).offset;
        at[i][1] = (int64_t)rnn_states(r, x->l, x->d, step, 1, r->sic).offset;
        at[i][2] = r->is_lstm ? (int64_t)rnn_cells(r, x->l, x->d, step).offset : 0;
        if (r->has_attention)
            at[i][3] = (int64_t)rnn_layer(r, DNNL_ARG_AUGRU_ATTENTION, t, 1).offset;
        if (r->product.dt)
            at[i][4] = (int64_t)rnn_rows(r, &r->product, x->l, x->d, t, 1, r->dhc).offset;
    }
    w->gates = at[1][0] - at[0][0];
    w->state = at[1][1] - at[0][1];
    w->cell = at[1][2] - at[0][2];
    w->attention = at[1][3] - at[0][3];
    w->extra = at[1][4] - at[0][4];
}

static void plan_cell(const layer_t *x, int64_t i, rnn_part_t part) {
    rnn_t *r = x->r;
    plan_t *plan = r->mm.planner.plan;
    const int64_t t = rnn_time(r, x->d, i), before = rnn_before(r, x->d, t),
                  after = rnn_after(r, x->d, t);
    const matrix_view_t gates = rnn_rows(r, &r->gate, x->l, x->d, t, 1, r->gates * r->dhc),
                        h_prev = rnn_states(r, x->l, x->d, before, 1, r->sic),
                        product = rnn_rows(r, &r->product, x->l, x->d, t, 1, r->dhc),
                        cells[] = {
                                rnn_cells(r, x->l, x->d, before), rnn_cells(r, x->l, x->d, after)};
    const matrix_view_t h = r->has_projection ? rnn_rows(r, &r->squeezed, x->l, x->d, t, 1, r->dhc)
                                              : rnn_states(r, x->l, x->d, after, 1, r->dic);
    rnn_cell_t p;
    matrix_view_t source;
    const matrix_view_t *a = source_of(x, i, part, &source) ? &source : NULL;
    set_params(x, i, &p);
    p.h = h.row;
    rnn_begin_cell(r, part, &p);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r->dt);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)r->bias_dt);
    plan_spec(plan, SPEC_RNN_ATTENTION_DT, (uint32_t)(r->has_attention ? r->dt : dnnl_f32));
    bind_view(plan, &gates);
    if (r->is_fused) rnn_bind_product(r, a, &x->factors, 0);
    else plan_scratch(plan, r->sums.offset);
    bind_vectors(r, r->has_bias, DNNL_ARG_BIAS, x);
    bind_array(plan, &r->scales);
    bind_array(plan, &r->compensation);
    bind_view(plan, &h_prev);
    bind_view(plan, &h);
    bind_if(plan, r->is_lstm, &cells[0]);
    bind_if(plan, r->is_lstm, &cells[1]);
    bind_vectors(r, r->has_peephole, DNNL_ARG_WEIGHTS_PEEPHOLE, x);
    const matrix_view_t attention =
            r->has_attention ? rnn_layer(r, DNNL_ARG_AUGRU_ATTENTION, t, 1) : h;
    bind_if(plan, r->has_attention, &attention);
    if (r->is_gru) bind_array(plan, &r->reset_state);
    else bind_if(plan, r->product.dt, &product);
    plan_const(plan, &p, sizeof(p));
    if (r->is_fused) rnn_bind_factor(r, part, a, &x->factors);
}

/* The new state from what the cell has computed. */
static void plan_projection(const layer_t *x, const matrix_view_t *from, const matrix_view_t *to) {
    rnn_t *r = x->r;
    plan_t *plan = r->mm.planner.plan;
    const attr_t *attr = &r->mm.planner.pd->attr;
    rnn_cell_t p = {.h = to->row,
            .data_scale = attr->rnn_data_scale,
            .data_shift = attr->rnn_data_shift,
            .weights_scale = attr->rnn_projection.set ? attr->rnn_projection.scales[0] : 1};
    rnn_begin_cell(r, RNN_PROJECTION, &p);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r->dt);
    plan_spec(plan, SPEC_SRC1_DT, dnnl_f32);
    plan_spec(plan, SPEC_RNN_ATTENTION_DT, dnnl_f32);
    bind_view(plan, NULL);
    rnn_bind_product(r, from, &x->projected, 0);
    bind_view(plan, NULL);
    bind_array(plan, &r->projection_scales);
    bind_array(plan, &r->projection_shift);
    bind_view(plan, NULL);
    bind_view(plan, to);
    for (int i = 0; i < 5; i++) bind_view(plan, NULL);
    plan_const(plan, &p, sizeof(p));
    rnn_bind_factor(r, RNN_PROJECTION, from, &x->projected);
}

/* All time steps from number 1 on. */
static void plan_steps(const layer_t *x) {
    rnn_t *r = x->r;
    rnn_walk_t w = {.steps = rnn_walk_steps(r), .parts = rnn_walk_parts(r)};
    if (r->steps > 2) find_walk(x, &w);
    r->walks = true;
    plan_cell(x, 1, RNN_FIRST);
    plan_const(r->mm.planner.plan, &w, sizeof(w));
    r->walks = false;
}

/* Products of `count` gates from gate `first` on, unless the pointwise step multiplies itself. */
static const char *multiply_state(
        const layer_t *x, rnn_product_t what, int64_t i, int part, int64_t first, int64_t count) {
    rnn_t *r = x->r;
    const rnn_array_t *sums = &r->sums;
    matrix_view_t source;
    if (r->is_fused || !source_of(x, i, part, &source)) return NULL;
    const matrix_view_t all = rnn_rows(r, sums, 0, 0, 0, 1, r->gates * r->dhc),
                        to = view_columns(&all, first * r->dhc, count * r->dhc),
                        weights = view_columns(&x->weights, first * r->dhc, count * r->dhc);
    return rnn_multiply(r, what, &source, &weights, &to, NULL);
}

static const char *plan_gru_step(const layer_t *x, int64_t i) {
    REFUSE_IF(multiply_state(x, PRODUCT_STATE, i, 0, 0, 2));
    plan_cell(x, i, RNN_FIRST);
    REFUSE_IF(multiply_state(x, PRODUCT_CANDIDATE, i, 1, 2, 1));
    plan_cell(x, i, RNN_SECOND);
    return NULL;
}

static const char *plan_step_of(const layer_t *x, int64_t i) {
    rnn_t *r = x->r;
    const int64_t t = rnn_time(r, x->d, i);
    if (r->is_gru) return plan_gru_step(x, i);
    REFUSE_IF(multiply_state(x, PRODUCT_STATE, i, 0, 0, r->gates));
    plan_cell(x, i, RNN_FIRST);
    if (!r->has_projection) return NULL;
    const matrix_view_t from = rnn_rows(r, &r->squeezed, x->l, x->d, t, 1, r->dhc),
                        to = rnn_states(r, x->l, x->d, rnn_after(r, x->d, t), 1, r->dic);
    if (!r->is_fused) return rnn_project(r, &from, &x->projection, &to);
    plan_projection(x, &from, &to);
    return NULL;
}

/* ---- a layer ---- */

/* The products of the input at all time steps. */
static const char *multiply_input(const layer_t *x, const matrix_view_t *weights) {
    rnn_t *r = x->r;
    matrix_view_t to = rnn_rows(r, &r->gate, x->l, x->d, 0, r->steps, r->gates * r->dhc), input;
    if (x->l > 0) input = rnn_states(r, x->l - 1, x->d, rnn_after(r, x->d, 0), r->steps, r->slc);
    else input = rnn_layer(r, DNNL_ARG_SRC_LAYER, 0, r->steps);
    REFUSE_IF(rnn_flatten_input(r, &input));
    view_flatten(&to);
    return rnn_multiply(r, PRODUCT_INPUT, &input, weights, &to, NULL);
}

static const char *plan_layer(rnn_t *r, int64_t l, int64_t d) {
    layer_t x = {.r = r, .l = l, .d = d};
    matrix_view_t of_input;
    const uint64_t before = r->mm.planner.scratch;
    REFUSE_IF(rnn_read_weights(r, DNNL_ARG_WEIGHTS_LAYER, l, d, &of_input));
    REFUSE_IF(rnn_read_weights(r, DNNL_ARG_WEIGHTS_ITER, l, d, &x.weights));
    if (r->has_projection)
        REFUSE_IF(rnn_read_weights(r, DNNL_ARG_WEIGHTS_PROJECTION, l, d, &x.projection));
    REFUSE_IF(compensate(&x, &of_input));
    REFUSE_IF(rnn_compensate_projection(r, &x.projection));
    REFUSE_IF(first_states(&x));
    REFUSE_IF(multiply_input(&x, &of_input));
    if (r->is_fused) REFUSE_IF(rnn_factors(r, &x.weights, r->gates, &x.factors));
    if (r->is_fused && r->has_projection) REFUSE_IF(rnn_factors(r, &x.projection, 1, &x.projected));
    if (!r->is_fused) REFUSE_IF(rnn_fast_weights(r, &x.weights));
    const int64_t single = r->walker >= 0 ? 1 : r->steps;
    for (int64_t i = 0; i < single; i++) REFUSE_IF(plan_step_of(&x, i));
    if (r->walker >= 0) plan_steps(&x);
    REFUSE_IF(last_states(&x));
    rnn_release(r, before);
    return NULL;
}

/* ---- the result ---- */

/* The last layer's states at all time steps. */
static matrix_view_t result_of(const rnn_t *r, int64_t d) {
    return rnn_states(r, r->layers - 1, d, rnn_after(r, d, 0), r->steps, r->dic);
}

static const char *plan_result(rnn_t *r) {
    const matrix_view_t dst = rnn_layer(r, DNNL_ARG_DST_LAYER, 0, r->steps), a = result_of(r, 0);
    if (r->directions == 1) return put_out(r, &a, NULL, &dst);
    const matrix_view_t b = result_of(r, 1);
    if (r->mm.planner.pd->params.direction == dnnl_bidirectional_sum)
        return put_out(r, &a, &b, &dst);
    const matrix_view_t left = view_columns(&dst, 0, r->dic),
                        right = view_columns(&dst, r->dic, r->dic);
    REFUSE_IF(put_out(r, &a, NULL, &left));
    return put_out(r, &b, NULL, &right);
}

/* What a step or a layer needs beside the workspace. */
static void place_scratch(rnn_t *r) {
    const attr_rnn_scales_t *scales = &r->mm.planner.pd->attr.rnn_weights;
    const int64_t columns = r->gates * r->dhc;
    if (!r->is_fused) r->sums = rnn_reserve(r, r->batch * columns, r->sums_dt);
    if (r->is_gru) r->reset_state = rnn_reserve(r, r->batch * r->dhc, r->dt);
    rnn_place_projection(r);
    if (!r->is_int8) return;
    r->compensation = rnn_reserve(r, columns, dnnl_f32);
    if (!scales->mask) return;
    r->scales = rnn_reserve(r, columns, dnnl_f32);
    write_values(&r->mm.planner, scales->scales, columns, dnnl_f32, r->scales.offset);
}

const char *rnn_plan_forward(planner_t *p, int variant) {
    rnn_t *r = (rnn_t *)p;
    r->most = 0;
    REFUSE_IF(rnn_set_variant(r, variant, DNNL_ARG_WEIGHTS_ITER));
    rnn_place(r, pd_find_arg(p->pd, DNNL_ARG_WORKSPACE));
    place_scratch(r);
    for (int64_t d = 0; d < r->directions; d++)
        for (int64_t l = 0; l < r->layers; l++) REFUSE_IF(plan_layer(r, l, d));
    REFUSE_IF(plan_result(r));
    p->scratch = max_i64(p->scratch, r->most);
    return NULL;
}
