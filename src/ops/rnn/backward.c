/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of recurrent networks. A time step computes the gradients of the arguments
 * of the gates' activations, and multiplies them by the transposed weights of the state. The
 * gradients of the weights are products over all time steps. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/rnn/rnn.h"

/* A layer in one direction of time. */
typedef struct {
    rnn_t *r;
    int64_t l, d;
    matrix_view_t weights;    /* of the state, transposed */
    matrix_view_t projection; /* the same */
    rnn_factors_t factors;    /* the one that steps with a product multiply by */
    rnn_factors_t of_weights; /* projection: the other one */
    rnn_array_t gates;        /* gradients of the gates' arguments, at all time steps */
    rnn_array_t of_state;     /* LBR GRU: those of the products of the state. GRU: reset * state */
    rnn_array_t terms;        /* for the sums of peephole or attention */
    rnn_array_t next;         /* gradient of the state, from the products of the step after */
    rnn_array_t carry;        /* the part of it without a product */
    rnn_array_t candidate;    /* GRU: gradient of reset * state */
    rnn_array_t projected;    /* projection: gradient of the result, at all time steps */
    rnn_array_t squeezed;     /* and of what is projected, at one step */
    rnn_array_t dc;           /* gradient of the cell state */
    rnn_array_t input;        /* gradient of the layer's input, at all time steps */
} layer_t;

static const pd_t *pd_of(const layer_t *x) {
    return x->r->mm.planner.pd;
}

static bool is_wanted(const layer_t *x, int arg) {
    return !md_is_zero(pd_md(pd_of(x), arg));
}

static bool overwrites(const layer_t *x) {
    return pd_of(x)->params.flags & dnnl_rnn_flags_diff_weights_overwrite;
}

static int64_t gate_columns(const rnn_t *r) {
    return r->gates * r->dhc;
}

/* Of the arrays of_state and terms. */
static int64_t columns_of_state(const rnn_t *r) {
    return r->is_lbr ? gate_columns(r) : r->dhc;
}

static int64_t term_columns(const rnn_t *r) {
    return r->has_peephole ? 3 * r->dhc : r->dhc;
}

/* Rows of an array that has no parts, of one time step or several. */
static matrix_view_t rows(
        const layer_t *x, const rnn_array_t *a, int64_t t, int64_t steps, int64_t columns) {
    return rnn_rows(x->r, a, 0, 0, t, steps, columns);
}

/* ---- arrays ---- */

static void place_arrays(layer_t *x) {
    rnn_t *r = x->r;
    const int64_t all = r->steps * r->batch, columns = gate_columns(r);
    x->gates = rnn_reserve(r, all * columns, r->weights_dt);
    x->next = rnn_reserve(r, r->batch * r->sic, dnnl_f32);
    if (r->is_lbr) x->of_state = rnn_reserve(r, all * columns, r->weights_dt);
    if (r->is_gru) x->of_state = rnn_reserve(r, all * r->dhc, r->dt);
    if (r->is_gru) x->candidate = rnn_reserve(r, r->batch * r->dhc, dnnl_f32);
    if (r->is_gru || r->is_lbr) x->carry = rnn_reserve(r, r->batch * r->dhc, dnnl_f32);
    if (r->has_peephole) x->terms = rnn_reserve(r, all * 3 * r->dhc, dnnl_f32);
    if (r->has_attention) x->terms = rnn_reserve(r, all * r->dhc, dnnl_f32);
    if (r->is_lstm) x->dc = rnn_reserve(r, r->batch * r->dhc, dnnl_f32);
    if (r->layers > 1) x->input = rnn_reserve(r, all * r->slc, dnnl_f32);
    if (!r->has_projection) return;
    x->projected = rnn_reserve(r, all * r->dic, r->weights_dt);
    x->squeezed = rnn_reserve(r, r->batch * r->dhc, dnnl_f32);
}

/* The weights transposed, as gates (or channels) x inputs. */
static const char *read_transposed(const layer_t *x, int arg, matrix_view_t *v) {
    matrix_view_t weights;
    if (rnn_weights_transposed(x->r, arg, x->l, x->d, v)) return NULL;
    REFUSE_IF(rnn_read_weights(x->r, arg, x->l, x->d, &weights));
    *v = view_transposed(&weights);
    return NULL;
}

/* ---- a time step ---- */

/* Time step t is number i, counted as forward propagation does. */
static bool is_last(const rnn_t *r, int64_t i) {
    return i == r->steps - 1;
}

static bool has_state_at(const rnn_t *r, int64_t i) {
    return i > 0 || r->has_state;
}

/* The gradient of the layer's result at time step t that comes from above. */
static matrix_view_t gradient_above(const layer_t *x, int64_t t) {
    const rnn_t *r = x->r;
    if (x->l < r->layers - 1) return rows(x, &x->input, t, 1, r->dic);
    const matrix_view_t all = rnn_layer(r, DNNL_ARG_DIFF_DST_LAYER, t, 1);
    const bool right = x->d == 1 && pd_of(x)->params.direction == dnnl_bidirectional_concat;
    return view_columns(&all, right ? r->dic : 0, r->dic);
}

/* The same from the time step after it; false: there is none. */
static bool gradient_after(const layer_t *x, int64_t i, matrix_view_t *v) {
    const rnn_t *r = x->r;
    if (!is_last(r, i)) {
        *v = rows(x, &x->next, 0, 1, r->sic);
        return true;
    }
    if (!is_wanted(x, DNNL_ARG_DIFF_DST_ITER)) return false;
    *v = rnn_iter(r, DNNL_ARG_DIFF_DST_ITER, x->l, x->d);
    return true;
}

static bool cell_gradient_after(const layer_t *x, int64_t i, matrix_view_t *v) {
    const rnn_t *r = x->r;
    if (!r->is_lstm) return false;
    if (!is_last(r, i)) {
        *v = rows(x, &x->dc, 0, 1, r->dhc);
        return true;
    }
    if (!is_wanted(x, DNNL_ARG_DIFF_DST_ITER_C)) return false;
    *v = rnn_iter(r, DNNL_ARG_DIFF_DST_ITER_C, x->l, x->d);
    return true;
}

/* The gradients whose product with the weights of the state is that of the state before time step
 * t, and the product's sums: those of GRU's candidate are separate. */
static matrix_view_t gates_at(const layer_t *x, int64_t t) {
    const rnn_t *r = x->r;
    const matrix_view_t all = rows(x, r->is_lbr ? &x->of_state : &x->gates, t, 1, gate_columns(r));
    return view_columns(&all, 0, (r->is_gru ? 2 : r->gates) * r->dhc);
}

static matrix_view_t candidate_at(const layer_t *x, int64_t t) {
    const rnn_t *r = x->r;
    const matrix_view_t all = rows(x, &x->gates, t, 1, gate_columns(r));
    return view_columns(&all, 2 * r->dhc, r->dhc);
}

/* to = gates * the weights from row `first` on, + added */
static const char *multiply_gates(const layer_t *x, rnn_product_t what, const matrix_view_t *gates,
        int64_t first, const matrix_view_t *to, const matrix_view_t *added) {
    matrix_view_t weights = x->weights;
    weights.rows = gates->columns;
    weights.offset += dt_offset(weights.dt, first * weights.row);
    return rnn_multiply(x->r, what, gates, &weights, to, added);
}

/* The gradient of the result of an LSTM with projection, in one step with its product. */
static void plan_projected(const layer_t *x, int64_t i, int64_t t) {
    enum { BEFORE_ABOVE = 7, BETWEEN = 3, AFTER_RESULT = 2 }; /* arguments of the kernel */
    rnn_t *r = x->r;
    plan_t *plan = r->mm.planner.plan;
    const matrix_view_t above = gradient_above(x, t), sum = rows(x, &x->projected, t, 1, r->dic);
    matrix_view_t after, source;
    rnn_cell_t p = {.now = RNN_HAS_ABOVE, .above = above.row};
    const bool has_after = is_last(r, i) && gradient_after(x, i, &after);
    const matrix_view_t *a = is_last(r, i) ? NULL : &source;
    if (a) source = gates_at(x, rnn_time(r, x->d, i + 1));
    if (has_after) {
        p.now |= RNN_HAS_DH;
        p.next = after.row;
    }
    rnn_begin_cell(r, RNN_PROJECTION, &p);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r->weights_dt);
    plan_spec(plan, SPEC_RNN_ATTENTION_DT, dnnl_f32);
    for (int n = 0; n < BEFORE_ABOVE; n++) bind_view(plan, NULL);
    bind_view(plan, &above);
    bind_view(plan, has_after ? &after : NULL);
    for (int n = 0; n < BETWEEN; n++) bind_view(plan, NULL);
    bind_view(plan, &sum);
    for (int n = 0; n < AFTER_RESULT; n++) bind_view(plan, NULL);
    rnn_bind_product(r, a, &x->of_weights, 0);
    plan_const(plan, &p, sizeof(p));
    rnn_bind_factor(r, RNN_PROJECTION, a, &x->of_weights);
}

/* With a projection, the gradient of the result becomes one of what was projected. */
static const char *unproject(const layer_t *x, int64_t i, int64_t t) {
    rnn_t *r = x->r;
    const matrix_view_t above = gradient_above(x, t), sum = rows(x, &x->projected, t, 1, r->dic),
                        to = rows(x, &x->squeezed, 0, 1, r->dhc);
    matrix_view_t after;
    if (r->is_fused) {
        plan_projected(x, i, t);
        return NULL;
    }
    if (!is_last(r, i)) {
        const matrix_view_t gates = gates_at(x, rnn_time(r, x->d, i + 1));
        REFUSE_IF(multiply_gates(x, PRODUCT_STATE, &gates, 0, &sum, &above));
    } else if (gradient_after(x, i, &after)) {
        REFUSE_IF(rnn_add(r, &above, &after, &sum));
    } else {
        REFUSE_IF(rnn_copy(r, &above, &sum, false));
    }
    return rnn_multiply(r, PRODUCT_PROJECTION, &sum, &x->projection, &to, NULL);
}

/* The source of the product in a step with one; false: there is none. *k0: its row of the
 * weights. */
static bool source_of(const layer_t *x, int64_t i, int part, matrix_view_t *v, int64_t *k0) {
    const rnn_t *r = x->r;
    const int64_t t = rnn_time(r, x->d, i);
    *k0 = part == 1 ? 2 * r->dhc : 0;
    if (!r->is_fused) return false;
    if (r->has_projection) *v = rows(x, &x->projected, t, 1, r->dic);
    else if (part == 1) *v = candidate_at(x, t);
    else if (!is_last(r, i)) *v = gates_at(x, rnn_time(r, x->d, i + 1));
    return r->has_projection || (part == 1 ? has_state_at(r, i) : !is_last(r, i));
}

typedef struct {
    matrix_view_t gates, h_prev, c, c_prev, state, above, after, dc_in;
    bool has_above, has_after, has_dc;
} step_t;

static void find_step(const layer_t *x, int64_t i, int part, step_t *s) {
    const rnn_t *r = x->r;
    const int64_t t = rnn_time(r, x->d, i), before = rnn_before(r, x->d, t);
    s->gates = rnn_rows(r, &r->gate, x->l, x->d, t, 1, gate_columns(r));
    s->h_prev = rnn_states(r, x->l, x->d, before, 1, r->sic);
    s->c_prev = rnn_cells(r, x->l, x->d, before);
    s->c = rnn_cells(r, x->l, x->d, rnn_after(r, x->d, t));
    s->state = rnn_rows(r, &r->product, x->l, x->d, t, 1, r->dhc);
    s->above = r->has_projection ? rows(x, &x->squeezed, 0, 1, r->dhc) : gradient_above(x, t);
    s->has_above = !r->has_projection || !r->is_fused;
    s->has_dc = cell_gradient_after(x, i, &s->dc_in);
    s->has_after = !r->has_projection && gradient_after(x, i, &s->after);
    if (part == 1) {
        s->after = rows(x, &x->candidate, 0, 1, r->dhc);
        s->has_after = has_state_at(r, i);
    }
    if (r->is_fused && (part == 1 || !is_last(r, i))) s->has_after = false;
}

static void set_params(const layer_t *x, int64_t i, const step_t *s, rnn_cell_t *p) {
    const rnn_t *r = x->r;
    memset(p, 0, sizeof(*p));
    if (has_state_at(r, i)) p->now |= RNN_HAS_H | RNN_HAS_C;
    if (s->has_above) p->now |= RNN_HAS_ABOVE;
    if (s->has_after) p->now |= RNN_HAS_DH;
    if (x->carry.dt && !is_last(r, i)) p->now |= RNN_HAS_CARRY;
    if (s->has_dc) p->now |= RNN_HAS_DC;
    p->above = s->above.row;
    if (s->has_after) p->next = s->after.row;
    if (s->has_dc) p->dc_in = s->dc_in.row;
    if (r->has_peephole) p->peephole = rnn_vectors(r, DNNL_ARG_WEIGHTS_PEEPHOLE, 0, 0).row;
    if (r->has_attention) p->attention = rnn_layer(r, DNNL_ARG_AUGRU_ATTENTION, 0, 1).row;
}

static void bind_array(const layer_t *x, const rnn_array_t *array, int64_t t, int64_t columns) {
    plan_t *plan = x->r->mm.planner.plan;
    if (!array->dt) {
        bind_view(plan, NULL);
        return;
    }
    const matrix_view_t v = rows(x, array, t, 1, columns);
    bind_view(plan, &v);
}

static void bind_cell(const layer_t *x, int64_t t, const step_t *s) {
    rnn_t *r = x->r;
    plan_t *plan = r->mm.planner.plan;
    matrix_view_t peephole = {0}, attention = {0};
    if (r->has_peephole) peephole = rnn_vectors(r, DNNL_ARG_WEIGHTS_PEEPHOLE, x->l, x->d);
    if (r->has_attention) attention = rnn_layer(r, DNNL_ARG_AUGRU_ATTENTION, t, 1);
    bind_view(plan, &s->gates);
    bind_view(plan, &s->h_prev);
    bind_view(plan, r->is_lstm ? &s->c : NULL);
    bind_view(plan, r->is_lstm ? &s->c_prev : NULL);
    bind_view(plan, r->has_peephole ? &peephole : NULL);
    bind_view(plan, r->has_attention ? &attention : NULL);
    bind_view(plan, r->is_lbr ? &s->state : NULL);
    bind_view(plan, s->has_above ? &s->above : NULL);
    bind_view(plan, s->has_after ? &s->after : NULL);
    bind_array(x, &x->carry, 0, r->dhc);
    bind_view(plan, s->has_dc ? &s->dc_in : NULL);
    bind_array(x, &x->dc, 0, r->dhc);
    bind_array(x, &x->gates, t, gate_columns(r));
    bind_array(x, &x->of_state, t, columns_of_state(r));
    bind_array(x, &x->terms, t, term_columns(r));
}

static void plan_cell(const layer_t *x, int64_t i, rnn_part_t part) {
    rnn_t *r = x->r;
    plan_t *plan = r->mm.planner.plan;
    const int64_t t = rnn_time(r, x->d, i);
    step_t s;
    rnn_cell_t p;
    matrix_view_t source;
    int64_t k0;
    const matrix_view_t *a = source_of(x, i, part, &source, &k0) ? &source : NULL;
    find_step(x, i, part, &s);
    set_params(x, i, &s, &p);
    rnn_begin_cell(r, part, &p);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r->weights_dt);
    plan_spec(plan, SPEC_RNN_ATTENTION_DT, (uint32_t)(r->has_attention ? r->dt : dnnl_f32));
    bind_cell(x, t, &s);
    if (r->is_fused) rnn_bind_product(r, a, &x->factors, k0);
    plan_const(plan, &p, sizeof(p));
    if (r->is_fused) rnn_bind_factor(r, part, a, &x->factors);
}

/* Where the arrays of time step number i are. */
static void find_places(const layer_t *x, int64_t i, rnn_walk_t *w) {
    const rnn_t *r = x->r;
    const int64_t t = rnn_time(r, x->d, i);
    step_t s;
    find_step(x, i, 0, &s);
    w->gates = (int64_t)s.gates.offset;
    w->state = (int64_t)s.h_prev.offset;
    w->cell = (int64_t)s.c.offset;
    w->extra = (int64_t)s.state.offset;
    w->above = (int64_t)s.above.offset;
    w->gradients = (int64_t)rows(x, &x->gates, t, 1, gate_columns(r)).offset;
    w->of_state = (int64_t)rows(x, &x->of_state, t, 1, columns_of_state(r)).offset;
    w->terms = (int64_t)rows(x, &x->terms, t, 1, term_columns(r)).offset;
    if (r->has_attention)
        w->attention = (int64_t)rnn_layer(r, DNNL_ARG_AUGRU_ATTENTION, t, 1).offset;
}

/* Time steps from the last but one on in one launch. */
static void plan_steps(const layer_t *x) {
    rnn_t *r = x->r;
    const int64_t first = r->steps - 2;
    rnn_walk_t w = {0}, next = {0};
    find_places(x, first, &w);
    if (first > 0) find_places(x, first - 1, &next);
    w = (rnn_walk_t){.steps = rnn_walk_steps(r),
            .parts = rnn_walk_parts(r),
            .gates = next.gates - w.gates,
            .state = next.state - w.state,
            .cell = next.cell - w.cell,
            .attention = next.attention - w.attention,
            .extra = next.extra - w.extra,
            .above = next.above - w.above,
            .gradients = next.gradients - w.gradients,
            .of_state = next.of_state - w.of_state,
            .terms = next.terms - w.terms};
    r->walks = true;
    plan_cell(x, first, RNN_FIRST);
    plan_const(r->mm.planner.plan, &w, sizeof(w));
    r->walks = false;
}

/* The gradient of the state before the step, where no step after it multiplies itself. */
static const char *multiply_state(const layer_t *x, int64_t i) {
    const rnn_t *r = x->r;
    const matrix_view_t gates = gates_at(x, rnn_time(r, x->d, i)),
                        to = rows(x, &x->next, 0, 1, r->sic);
    const bool is_later = i > 0 && (r->is_fused || r->has_projection);
    if (!has_state_at(r, i) || is_later) return NULL;
    return multiply_gates(x, PRODUCT_STATE, &gates, 0, &to, NULL);
}

static const char *plan_step_of(const layer_t *x, int64_t i) {
    rnn_t *r = x->r;
    const int64_t t = rnn_time(r, x->d, i);
    const matrix_view_t candidate = candidate_at(x, t), to = rows(x, &x->candidate, 0, 1, r->dhc);
    if (r->has_projection) REFUSE_IF(unproject(x, i, t));
    plan_cell(x, i, RNN_FIRST);
    if (!r->is_gru) return multiply_state(x, i);
    if (has_state_at(r, i) && !r->is_fused)
        REFUSE_IF(multiply_gates(x, PRODUCT_CANDIDATE, &candidate, 2 * r->dhc, &to, NULL));
    plan_cell(x, i, RNN_SECOND);
    return multiply_state(x, i);
}

static const char *plan_all_steps(const layer_t *x) {
    rnn_t *r = x->r;
    int64_t i = r->steps - 1;
    if (r->walker >= 0) {
        REFUSE_IF(plan_step_of(x, i));
        plan_steps(x);
        i -= 1 + rnn_walk_steps(r);
        if (i < 0) return multiply_state(x, 0);
    }
    for (; i >= 0; i--) REFUSE_IF(plan_step_of(x, i));
    return NULL;
}

/* ---- what all time steps add up to ---- */

/* weights' gradient += the transposed `inputs` * `gates`, in the order in which the gradient is
 * contiguous. */
static const char *add_product(const layer_t *x, const matrix_view_t *inputs,
        const matrix_view_t *gates, const matrix_view_t *to) {
    const matrix_view_t transposed = view_transposed(inputs), gates_t = view_transposed(gates),
                        to_t = view_transposed(to);
    if (!inputs->rows) return overwrites(x) ? rnn_zero(x->r, to) : NULL;
    if (to->column == 1 || to->row != 1)
        return rnn_multiply(x->r, PRODUCT_OTHER, &transposed, gates, to, overwrites(x) ? NULL : to);
    return rnn_multiply(x->r, PRODUCT_OTHER, &gates_t, inputs, &to_t, overwrites(x) ? NULL : &to_t);
}

/* All rows of an array, but for `skipped` time steps at the beginning of forward propagation. */
static matrix_view_t all_rows(
        const layer_t *x, const rnn_array_t *a, int64_t columns, int64_t skipped) {
    const int64_t first = rnn_is_reversed(x->r, x->d) ? 0 : skipped;
    matrix_view_t v = rows(x, a, first, x->r->steps - skipped, columns);
    view_flatten(&v);
    return v;
}

static matrix_view_t all_states(const layer_t *x, int64_t skipped) {
    const rnn_t *r = x->r;
    const int64_t t = rnn_is_reversed(r, x->d) ? 0 : skipped;
    matrix_view_t v = rnn_states(r, x->l, x->d, rnn_before(r, x->d, t), r->steps - skipped, r->sic);
    view_flatten(&v);
    return v;
}

static const char *weights_of_input(const layer_t *x) {
    rnn_t *r = x->r;
    const matrix_view_t gates = all_rows(x, &x->gates, gate_columns(r), 0);
    matrix_view_t to, input;
    rnn_weights(r, DNNL_ARG_DIFF_WEIGHTS_LAYER, x->l, x->d, &to);
    if (x->l > 0) input = rnn_states(r, x->l - 1, x->d, rnn_after(r, x->d, 0), r->steps, r->slc);
    else input = rnn_layer(r, DNNL_ARG_SRC_LAYER, 0, r->steps);
    REFUSE_IF(rnn_flatten_input(r, &input));
    return add_product(x, &input, &gates, &to);
}

static const char *weights_of_state(const layer_t *x) {
    rnn_t *r = x->r;
    const int64_t skipped = r->has_state ? 0 : 1;
    const rnn_array_t *array = r->is_lbr ? &x->of_state : &x->gates;
    const matrix_view_t states = all_states(x, skipped),
                        gates = all_rows(x, array, gate_columns(r), skipped);
    matrix_view_t to;
    rnn_weights(r, DNNL_ARG_DIFF_WEIGHTS_ITER, x->l, x->d, &to);
    if (!r->is_gru) return add_product(x, &states, &gates, &to);
    const matrix_view_t reset = all_rows(x, &x->of_state, r->dhc, skipped);
    const matrix_view_t two = view_columns(&gates, 0, 2 * r->dhc),
                        candidate = view_columns(&gates, 2 * r->dhc, r->dhc),
                        to_two = view_columns(&to, 0, 2 * r->dhc),
                        to_candidate = view_columns(&to, 2 * r->dhc, r->dhc);
    REFUSE_IF(add_product(x, &states, &two, &to_two));
    return add_product(x, &reset, &candidate, &to_candidate);
}

static const char *weights_of_projection(const layer_t *x) {
    rnn_t *r = x->r;
    matrix_view_t to, from = rnn_rows(r, &r->squeezed, x->l, x->d, 0, r->steps, r->dhc);
    const matrix_view_t gradient = all_rows(x, &x->projected, r->dic, 0);
    if (!r->has_projection) return NULL;
    rnn_weights(r, DNNL_ARG_DIFF_WEIGHTS_PROJECTION, x->l, x->d, &to);
    view_flatten(&from);
    return add_product(x, &from, &gradient, &to);
}

/* `count` vectors of a gradient, from number `first` on, += the sums of the columns of `from`. */
static const char *add_sums(
        const layer_t *x, int arg, const matrix_view_t *from, int64_t first, int64_t count) {
    rnn_t *r = x->r;
    const int64_t columns = count * r->dhc;
    const uint64_t before = r->mm.planner.scratch;
    const rnn_array_t array = rnn_reserve(r, columns, dnnl_f32);
    matrix_view_t sums = {.slot = -1,
            .offset = array.offset,
            .dt = dnnl_f32,
            .outer = 1,
            .rows = 1,
            .columns = columns,
            .matrix = columns,
            .row = columns,
            .column = 1};
    matrix_view_t to = rnn_vectors(r, arg, x->l, x->d);
    REFUSE_IF(rnn_sum_columns(r, from, &sums));
    sums.rows = to.rows = count;
    sums.columns = sums.row = r->dhc;
    to.offset += dt_offset(to.dt, first * to.row);
    REFUSE_IF(rnn_copy(r, &sums, &to, !overwrites(x)));
    rnn_release(r, before);
    return NULL;
}

static const char *vectors(const layer_t *x) {
    const rnn_t *r = x->r;
    const matrix_view_t gates = all_rows(x, &x->gates, gate_columns(r), 0),
                        terms = all_rows(x, &x->terms, 3 * r->dhc, 0);
    if (r->has_bias) REFUSE_IF(add_sums(x, DNNL_ARG_DIFF_BIAS, &gates, 0, r->gates));
    if (r->has_bias && r->is_lbr) {
        const matrix_view_t all = all_rows(x, &x->of_state, gate_columns(r), 0),
                            candidate = view_columns(&all, 2 * r->dhc, r->dhc);
        REFUSE_IF(add_sums(x, DNNL_ARG_DIFF_BIAS, &candidate, 3, 1));
    }
    if (!r->has_peephole) return NULL;
    return add_sums(x, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, &terms, 0, 3);
}

/* The gradient of attention is a sum over the channels. */
static const char *attention(const layer_t *x) {
    rnn_t *r = x->r;
    if (!r->has_attention) return NULL;
    const matrix_view_t terms = all_rows(x, &x->terms, r->dhc, 0);
    matrix_view_t to = rnn_layer(r, DNNL_ARG_DIFF_AUGRU_ATTENTION, 0, r->steps);
    if (view_flatten(&to)) return rnn_sum_columns(r, &terms, &to);
    for (int64_t t = 0; t < r->steps; t++) {
        const matrix_view_t from = rows(x, &x->terms, t, 1, r->dhc),
                            part = rnn_layer(r, DNNL_ARG_DIFF_AUGRU_ATTENTION, t, 1);
        REFUSE_IF(rnn_sum_columns(r, &from, &part));
    }
    return NULL;
}

/* ---- the gradients of input and state ---- */

static const char *input_of_layer(const layer_t *x) {
    rnn_t *r = x->r;
    const matrix_view_t gates = all_rows(x, &x->gates, gate_columns(r), 0);
    matrix_view_t weights, to = rows(x, &x->input, 0, r->steps, r->slc);
    REFUSE_IF(read_transposed(x, DNNL_ARG_WEIGHTS_LAYER, &weights));
    if (x->l > 0) {
        view_flatten(&to);
        return rnn_multiply(r, PRODUCT_INPUT, &gates, &weights, &to, NULL);
    }
    const bool adds = x->d > 0;
    const matrix_view_t result = rnn_layer(r, DNNL_ARG_DIFF_SRC_LAYER, 0, r->steps);
    to = result;
    if (view_flatten(&to))
        return rnn_multiply(r, PRODUCT_INPUT, &gates, &weights, &to, adds ? &to : NULL);
    const rnn_array_t all = rnn_reserve(r, r->steps * r->batch * r->slc, dnnl_f32);
    const matrix_view_t from = rows(x, &all, 0, r->steps, r->slc);
    to = from;
    view_flatten(&to);
    REFUSE_IF(rnn_multiply(r, PRODUCT_INPUT, &gates, &weights, &to, NULL));
    return rnn_copy(r, &from, &result, adds);
}

static const char *first_states(const layer_t *x) {
    rnn_t *r = x->r;
    const matrix_view_t next = rows(x, &x->next, 0, 1, r->sic);
    if (!is_wanted(x, DNNL_ARG_DIFF_SRC_ITER)) return NULL;
    const matrix_view_t to = rnn_iter(r, DNNL_ARG_DIFF_SRC_ITER, x->l, x->d);
    if (x->carry.dt) {
        const matrix_view_t carry = rows(x, &x->carry, 0, 1, r->dhc);
        REFUSE_IF(rnn_add(r, &next, &carry, &to));
    } else {
        REFUSE_IF(rnn_copy(r, &next, &to, false));
    }
    if (!is_wanted(x, DNNL_ARG_DIFF_SRC_ITER_C)) return NULL;
    const matrix_view_t dc = rows(x, &x->dc, 0, 1, r->dhc),
                        to_c = rnn_iter(r, DNNL_ARG_DIFF_SRC_ITER_C, x->l, x->d);
    return rnn_copy(r, &dc, &to_c, false);
}

/* ---- a layer ---- */

static const char *plan_layer(layer_t *x) {
    rnn_t *r = x->r;
    const uint64_t before = r->mm.planner.scratch;
    REFUSE_IF(read_transposed(x, DNNL_ARG_WEIGHTS_ITER, &x->weights));
    if (r->has_projection)
        REFUSE_IF(read_transposed(x, DNNL_ARG_WEIGHTS_PROJECTION, &x->projection));
    if (r->is_fused)
        REFUSE_IF(rnn_factors(r, r->has_projection ? &x->projection : &x->weights, 1, &x->factors));
    if (r->is_fused && r->has_projection && r->steps > 1)
        REFUSE_IF(rnn_factors(r, &x->weights, 1, &x->of_weights));
    if (!r->is_fused) REFUSE_IF(rnn_fast_weights(r, &x->weights));
    REFUSE_IF(plan_all_steps(x));
    REFUSE_IF(first_states(x));
    REFUSE_IF(weights_of_input(x));
    REFUSE_IF(weights_of_state(x));
    REFUSE_IF(weights_of_projection(x));
    REFUSE_IF(vectors(x));
    REFUSE_IF(attention(x));
    REFUSE_IF(input_of_layer(x));
    rnn_release(r, before);
    return NULL;
}

/* Gradients of weights are written where they are. */
static const char *check_gradients(const rnn_t *r) {
    static const int args[] = {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
            DNNL_ARG_DIFF_WEIGHTS_PROJECTION};
    for (int i = 0; i < ARRAY_LEN(args); i++) {
        matrix_view_t v;
        const int slot = pd_find_arg(r->mm.planner.pd, args[i]);
        if (slot >= 0 && !md_is_zero(&r->mm.planner.pd->args[slot].md) &&
                !rnn_weights(r, args[i], 0, 0, &v))
            return "the gates of a gradient of weights do not follow one another";
    }
    return NULL;
}

const char *rnn_plan_backward(planner_t *p, int variant) {
    rnn_t *r = (rnn_t *)p;
    layer_t x = {.r = r};
    r->most = 0;
    const int fused = r->has_projection ? DNNL_ARG_WEIGHTS_PROJECTION : DNNL_ARG_WEIGHTS_ITER;
    REFUSE_IF(rnn_set_variant(r, variant, fused));
    REFUSE_IF(check_gradients(r));
    rnn_place(r, pd_find_arg(p->pd, DNNL_ARG_WORKSPACE));
    place_arrays(&x);
    for (x.d = 0; x.d < r->directions; x.d++)
        for (x.l = r->layers - 1; x.l >= 0; x.l--) REFUSE_IF(plan_layer(&x));
    p->scratch = max_i64(p->scratch, r->most);
    return NULL;
}
