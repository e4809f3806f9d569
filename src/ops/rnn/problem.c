/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of a recurrent network, and where its arrays are. */
#include <string.h>

#include "core/util.h"
#include "ops/rnn/rnn.h"
#include "plan/type_rules.h"

/* ---- sizes ---- */

static bool has(const pd_t *pd, int arg) {
    return !md_is_zero(pd_md(pd, arg));
}

static int cell_of(const op_params_t *params) {
    switch (params->cell_kind) {
    case dnnl_vanilla_lstm: return RNN_CELL_LSTM;
    case dnnl_vanilla_gru:
    case dnnl_vanilla_augru: return RNN_CELL_GRU;
    case dnnl_lbr_gru:
    case dnnl_lbr_augru: return RNN_CELL_LBR_GRU;
    }
    return params->activation_kind == dnnl_eltwise_relu   ? RNN_CELL_RELU
           : params->activation_kind == dnnl_eltwise_tanh ? RNN_CELL_TANH
                                                          : RNN_CELL_LOGISTIC;
}

static void set_kind(rnn_t *r, const pd_t *pd) {
    r->cell = cell_of(&pd->params);
    r->is_lstm = r->cell == RNN_CELL_LSTM;
    r->is_lbr = r->cell == RNN_CELL_LBR_GRU;
    r->is_gru = r->cell == RNN_CELL_GRU;
    r->is_backward = pd->params.prop_kind == dnnl_backward;
    r->is_training = r->is_backward || pd->params.prop_kind == dnnl_forward_training;
    r->has_peephole = has(pd, DNNL_ARG_WEIGHTS_PEEPHOLE);
    r->has_projection = has(pd, DNNL_ARG_WEIGHTS_PROJECTION);
    r->has_attention = has(pd, DNNL_ARG_AUGRU_ATTENTION);
    r->has_bias = has(pd, DNNL_ARG_BIAS);
    r->has_state = has(pd, DNNL_ARG_SRC_ITER);
}

static void set_sizes(rnn_t *r, const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC_LAYER), *u = pd_md(pd, DNNL_ARG_WEIGHTS_ITER),
               *w = pd_md(pd, DNNL_ARG_WEIGHTS_LAYER);
    r->layers = w->dims[0];
    r->directions = w->dims[1];
    r->steps = src->dims[0];
    r->batch = src->dims[1];
    r->slc = src->dims[2];
    r->sic = u->dims[2];
    r->gates = u->dims[3];
    r->dhc = u->dims[4];
    r->dic = r->has_projection ? pd_md(pd, DNNL_ARG_WEIGHTS_PROJECTION)->dims[3] : r->dhc;
    r->biases = r->gates + r->is_lbr;
    r->pitch = max_i64(r->sic, r->dic);
    r->dt = src->data_type;
    r->weights_dt = w->data_type;
    r->bias_dt = r->has_bias ? pd_md(pd, DNNL_ARG_BIAS)->data_type : dnnl_f32;
    r->is_int8 = dt_in(src, BYTES);
    r->sums_dt = r->is_int8 ? dnnl_s32 : dnnl_f32;
}

void rnn_init(rnn_t *r, pd_t *pd, const caps_t *caps) {
    memset(r, 0, sizeof(*r));
    r->mm.planner = planner_of(pd, caps);
    r->mm.ndims = 2;
    epilogue_init(&r->mm.epilogue);
    for (int i = 0; i < PRODUCTS; i++) r->chosen[i] = -1;
    set_kind(r, pd);
    set_sizes(r, pd);
}

/* ---- time ---- */

bool rnn_is_reversed(const rnn_t *r, int64_t d) {
    return d == 1 || r->mm.planner.pd->params.direction == dnnl_unidirectional_right2left;
}

int64_t rnn_time(const rnn_t *r, int64_t d, int64_t i) {
    return rnn_is_reversed(r, d) ? r->steps - 1 - i : i;
}

int64_t rnn_before(const rnn_t *r, int64_t d, int64_t t) {
    return rnn_is_reversed(r, d) ? t + 1 : t;
}

int64_t rnn_after(const rnn_t *r, int64_t d, int64_t t) {
    return rnn_is_reversed(r, d) ? t : t + 1;
}

/* ---- arrays ---- */

enum { ALIGNMENT = 64 }; /* bytes: a cache line, and what block loads of matrix units want */

/* An array with a part for each layer and direction; one for all of them if they share it. */
static rnn_array_t place(rnn_t *r, int slot, int64_t elements, dnnl_data_type_t dt, bool shared) {
    const uint64_t part =
            ((uint64_t)elements * dt_size(dt) + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    const uint64_t bytes = shared ? part : part * (uint64_t)(r->layers * r->directions);
    rnn_array_t array = {slot, r->workspace, shared ? 0 : part, dt};
    if (slot < 0) array.offset = planner_reserve(&r->mm.planner, bytes);
    else r->workspace += bytes;
    return array;
}

void rnn_place(rnn_t *r, int slot) {
    const int64_t rows = r->steps * r->batch;
    const bool shared = slot < 0; /* nobody reads them when the layer is done */
    r->workspace = 0;
    r->gate = place(r, slot, rows * r->gates * r->dhc, r->sums_dt, shared);
    r->states = place(r, slot, (r->steps + 1) * r->batch * r->pitch, r->dt, false);
    if (r->is_lstm) r->cells = place(r, slot, (r->steps + 1) * r->batch * r->dhc, dnnl_f32, shared);
    if (r->is_lbr && slot >= 0) r->product = place(r, slot, rows * r->dhc, dnnl_f32, false);
    if (r->has_projection) r->squeezed = place(r, slot, rows * r->dhc, r->dt, shared);
}

rnn_array_t rnn_reserve(rnn_t *r, int64_t elements, dnnl_data_type_t dt) {
    const uint64_t bytes = (uint64_t)elements * dt_size(dt);
    return (rnn_array_t){-1, planner_reserve(&r->mm.planner, bytes), 0, dt};
}

/* Bytes of layer l and direction d from the start of the buffer. */
static uint64_t part_of(const rnn_t *r, const rnn_array_t *array, int64_t l, int64_t d) {
    return array->offset + array->part * (uint64_t)(l * r->directions + d);
}

static matrix_view_t rows_of(const rnn_t *r, const rnn_array_t *array, uint64_t part, int64_t step,
        int64_t steps, int64_t pitch) {
    const uint64_t first = (uint64_t)(step * r->batch * pitch) * dt_size(array->dt);
    return (matrix_view_t){.slot = array->slot,
            .offset = part + first,
            .dt = array->dt,
            .outer = steps,
            .rows = r->batch,
            .columns = pitch,
            .matrix = r->batch * pitch,
            .row = pitch,
            .column = 1};
}

matrix_view_t rnn_rows(const rnn_t *r, const rnn_array_t *array, int64_t l, int64_t d, int64_t t,
        int64_t steps, int64_t columns) {
    return rows_of(r, array, part_of(r, array, l, d), t, steps, columns);
}

matrix_view_t rnn_states(
        const rnn_t *r, int64_t l, int64_t d, int64_t step, int64_t steps, int64_t columns) {
    matrix_view_t v = rows_of(r, &r->states, part_of(r, &r->states, l, d), step, steps, r->pitch);
    v.columns = columns;
    return v;
}

matrix_view_t rnn_cells(const rnn_t *r, int64_t l, int64_t d, int64_t step) {
    return rows_of(r, &r->cells, part_of(r, &r->cells, l, d), step, 1, r->dhc);
}
