/* SPDX-License-Identifier: Apache-2.0 */
/* The projection of an LSTM's states: one product, which quantises again if it is in integers. */
#include "core/status.h"
#include "ops/rnn/rnn.h"
#include "steps/values.h"

static const attr_rnn_scales_t *scales_of(const rnn_t *r) {
    return &r->mm.planner.pd->attr.rnn_projection;
}

/* A value for each column of the result. */
static matrix_view_t columns_of(const rnn_t *r, const rnn_array_t *array) {
    return (matrix_view_t){.slot = -1,
            .offset = array->offset,
            .dt = dnnl_f32,
            .outer = 1,
            .rows = 1,
            .columns = r->dic,
            .row = r->dic,
            .column = 1};
}

void rnn_place_projection(rnn_t *r) {
    const attr_rnn_scales_t *scales = scales_of(r);
    if (!r->is_int8 || !r->has_projection) return;
    r->projection_shift = rnn_reserve(r, r->dic, dnnl_f32);
    if (!scales->mask) return;
    r->projection_scales = rnn_reserve(r, r->dic, dnnl_f32);
    write_values(&r->mm.planner, scales->scales, r->dic, dnnl_f32, r->projection_scales.offset);
}

const char *rnn_compensate_projection(rnn_t *r, const matrix_view_t *weights) {
    const matrix_view_t to = columns_of(r, &r->projection_shift);
    epilogue_t epilogue;
    if (!r->is_int8 || !r->has_projection) return NULL;
    REFUSE_IF(rnn_sum_columns(r, weights, &to));
    if (r->is_fused) return NULL;
    epilogue_init(&epilogue);
    epilogue_add_eltwise(
            &epilogue, dnnl_eltwise_linear, 1, r->mm.planner.pd->attr.rnn_data_shift, 0);
    return rnn_apply(r, &epilogue, &to, &to);
}

static void add_columns(
        const rnn_t *r, epilogue_t *epilogue, int op, const rnn_array_t *array, md_t *md) {
    const matrix_view_t v = columns_of(r, array);
    const operand_t operand = operand_of_view(&v, md);
    const epilogue_source_t source = operand_tensor(&operand);
    epilogue_add_source(epilogue, op, &source);
}

/* From sums of integers to integers: of a real number x, scale of the weight * (data_scale * x +
 * shift) is what was added up, and data_scale * x + shift what is wanted. */
const char *rnn_project(rnn_t *r, const matrix_view_t *from, const matrix_view_t *weights,
        const matrix_view_t *to) {
    const attr_t *attr = &r->mm.planner.pd->attr;
    const attr_rnn_scales_t *scales = scales_of(r);
    epilogue_t epilogue;
    md_t shift, scale;
    epilogue_init(&epilogue);
    if (r->is_int8) {
        const float factor = scales->set && !scales->mask ? 1 / scales->scales[0] : 1;
        add_columns(r, &epilogue, OP_SUB, &r->projection_shift, &shift);
        if (scales->mask) add_columns(r, &epilogue, OP_DIV, &r->projection_scales, &scale);
        epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, factor, attr->rnn_data_shift);
    }
    return rnn_multiply_then(r, PRODUCT_PROJECTION, &epilogue, from, weights, to);
}
