/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of an epilogue. */
#include "plan/epilogue.h"

#include <assert.h>
#include <string.h>

#include "core/direction.h"
#include "plan/attr_rules.h"

void epilogue_init(epilogue_t *epilogue) {
    epilogue->len = 0;
    epilogue->f64 = false;
    epilogue->derivatives = false;
}

static epilogue_op_t *epilogue_add(epilogue_t *epilogue, int op, float a, float b, float c) {
    assert(epilogue->len < EPILOGUE_MAX);
    epilogue_op_t *added = &epilogue->op[epilogue->len++];
    memset(added, 0, sizeof(*added));
    added->op = op;
    added->a = a;
    added->b = b;
    added->c = c;
    return added;
}

void epilogue_add_eltwise(
        epilogue_t *epilogue, dnnl_alg_kind_t alg, float scale, float alpha, float beta) {
    /* Forward, the algorithms whose backward pass reads the destination are functions like
     * others. */
    static const dnnl_alg_kind_t functions[] = {dnnl_eltwise_relu, dnnl_eltwise_tanh,
            dnnl_eltwise_elu, dnnl_eltwise_sqrt, dnnl_eltwise_logistic, dnnl_eltwise_exp,
            dnnl_eltwise_clip_v2};
    if (alg >= dnnl_eltwise_relu_use_dst_for_bwd)
        alg = functions[alg - dnnl_eltwise_relu_use_dst_for_bwd];
    epilogue_add(epilogue, OP_ELTWISE_FIRST + (int)(alg - dnnl_eltwise_relu), scale, alpha, beta);
}

void epilogue_add_derivative(epilogue_t *epilogue, dnnl_alg_kind_t alg, float alpha, float beta) {
    const int code = alg < dnnl_eltwise_relu_use_dst_for_bwd
                             ? OP_ELTWISE_FIRST + (int)(alg - dnnl_eltwise_relu)
                             : OP_RELU_USE_DST + (int)(alg - dnnl_eltwise_relu_use_dst_for_bwd);
    epilogue->derivatives = true;
    epilogue_add(epilogue, code, 1.0f, alpha, beta);
}

static epilogue_source_t tensor_source(const pd_t *pd, int slot) {
    return (epilogue_source_t){.kind = SOURCE_TENSOR,
            .slot = slot,
            .like_slot = -1,
            .dt = pd->args[slot].md.data_type};
}

epilogue_op_t *epilogue_add_tensor(epilogue_t *epilogue, const pd_t *pd, int op, int slot) {
    epilogue_op_t *added = epilogue_add(epilogue, op, 0, 0, 0);
    added->src = tensor_source(pd, slot);
    return added;
}

epilogue_op_t *epilogue_add_source(epilogue_t *epilogue, int op, const epilogue_source_t *source) {
    epilogue_op_t *added = epilogue_add(epilogue, op, 0, 0, 0);
    added->src = *source;
    return added;
}

epilogue_source_t epilogue_quant_source(const pd_t *pd, unsigned attr, int arg) {
    bool scales = attr == ATTR_SCALES;
    const quant_t *q = quant_find(scales ? &pd->attr.scales : &pd->attr.zero_points, arg);
    if (!q) return (epilogue_source_t){.kind = SOURCE_NONE};
    int slot = pd_find_arg(pd, (scales ? DNNL_ARG_ATTR_SCALES : DNNL_ARG_ATTR_ZERO_POINTS) | arg);
    epilogue_source_t source = {.kind = q->on_host ? SOURCE_HOST : SOURCE_QUANT,
            .slot = slot,
            .mask = q->mask,
            .like_slot = pd_find_arg(pd, arg),
            .dt = q->dt};
    for (int g = 0; g < 2 && q->group_ndims; g++) source.group[g] = q->group_dims[g];
    return source;
}

static void add_quant(epilogue_t *epilogue, const pd_t *pd, unsigned attr, int op, int arg) {
    epilogue_source_t source = epilogue_quant_source(pd, attr, arg);
    if (source.kind != SOURCE_NONE) epilogue_add(epilogue, op, 0, 0, 0)->src = source;
}

void epilogue_add_scale(epilogue_t *epilogue, const pd_t *pd, int op, int arg) {
    add_quant(epilogue, pd, ATTR_SCALES, op, arg);
}

void epilogue_add_zero_point(epilogue_t *epilogue, const pd_t *pd, int op, int arg) {
    add_quant(epilogue, pd, ATTR_ZERO_POINTS, op, arg);
}

static float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* Where the elements of an argument are, not their values. */
static epilogue_source_t place_of(const pd_t *pd, int arg) {
    epilogue_source_t source = tensor_source(pd, pd_find_arg(pd, arg));
    source.dt = dnnl_data_type_undef;
    return source;
}

/* One value in memory or on the host, for po_integer() or as a float. */
static epilogue_source_t single_value(const pd_t *pd, int arg, bool is_float) {
    const int slot = pd_find_arg(pd, arg);
    const bool on_host = pd->args[slot].flags & PD_HOST;
    return (epilogue_source_t){.kind = !on_host   ? SOURCE_QUANT
                                       : is_float ? SOURCE_HOST
                                                  : SOURCE_HOST_BITS,
            .slot = slot,
            .like_slot = pd_find_arg(pd, pd_result(pd))};
}

static void add_dropout(epilogue_t *epilogue, const pd_t *pd) {
    const bool mask = pd_find_arg(pd, DNNL_ARG_ATTR_DROPOUT_MASK) >= 0;
    const bool offset = pd->attr.dropout.use_offset;
    const uint32_t flags = (mask ? DROP_MASK : 0) | (offset ? DROP_OFFSET : 0) |
                           (pd->attr.dropout.seed_dt == dnnl_s32 ? DROP_SHORT_SEED : 0);
    const uint64_t first = (uint64_t)pd_md(pd, pd_result(pd))->offset0;
    epilogue_op_t *op = epilogue_add(epilogue, OP_DROPOUT, float_of_bits((uint32_t)first),
            float_of_bits((uint32_t)(first >> 32)), float_of_bits(flags));
    op->src = place_of(pd, mask ? DNNL_ARG_ATTR_DROPOUT_MASK : pd_result(pd));
    op->cond = single_value(pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, true);
    op->scale = single_value(pd, DNNL_ARG_ATTR_DROPOUT_SEED, false);
    if (offset) op->offset = single_value(pd, DNNL_ARG_ATTR_DROPOUT_OFFSET, false);
}

void epilogue_add_dst(epilogue_t *epilogue, const pd_t *pd) {
    if (attr_is_dynamic(pd, pd_result(pd))) return; /* a step of its own */
    epilogue_add_scale(epilogue, pd, OP_DIV, pd_result(pd));
    epilogue_add_zero_point(epilogue, pd, OP_ADD, pd_result(pd));
    const float_format_t *format = attr_float_format(pd_md(pd, pd_result(pd))->data_type);
    if (!format || pd_find_arg(pd, DNNL_ARG_ATTR_ROUNDING_SEED) < 0) return;
    epilogue_op_t *op = epilogue_add(epilogue, OP_ROUND_RANDOMLY, format->most, format->normal,
            float_of_bits(format->dropped));
    op->src = place_of(pd, pd_result(pd));
    op->cond = single_value(pd, DNNL_ARG_ATTR_ROUNDING_SEED, false);
}

void epilogue_add_post_ops(epilogue_t *epilogue, const pd_t *pd) {
    if (pd->attr.dropout.set) add_dropout(epilogue, pd);
    for (int i = 0; i < pd->attr.post_ops.len; i++) {
        const post_op_t *po = &pd->attr.post_ops.entry[i];
        int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i);
        if (po->kind == dnnl_eltwise) {
            epilogue_add_eltwise(epilogue, po->eltwise.alg, po->eltwise.scale, po->eltwise.alpha,
                    po->eltwise.beta);
        } else if (po->kind == dnnl_sum) {
            epilogue_op_t *added =
                    epilogue_add(epilogue, OP_SUM, po->sum.scale, (float)po->sum.zero_point, 0);
            added->src = tensor_source(pd, pd_find_arg(pd, pd_result(pd)));
            if (po->sum.dt != dnnl_data_type_undef) added->src.dt = po->sum.dt;
        } else if (po->kind == dnnl_prelu) {
            epilogue_add_tensor(epilogue, pd, OP_PRELU, pd_find_arg(pd, base | DNNL_ARG_WEIGHTS));
        } else {
            epilogue_op_t *added = epilogue_add_tensor(epilogue, pd,
                    OP_BINARY_FIRST + (int)(po->binary.alg - dnnl_binary_add),
                    pd_find_arg(pd, base | DNNL_ARG_SRC_1));
            if (po->binary.alg == dnnl_binary_select)
                added->cond = tensor_source(pd, pd_find_arg(pd, base | DNNL_ARG_SRC_2));
        }
    }
}

static bool eltwise_keeps_zero(const epilogue_op_t *op) {
    switch (op->op) {
    case OP_SOFT_RELU:
    case OP_HARDSIGMOID:
    case OP_LOGISTIC:
    case OP_EXP:
    case OP_LOG: return false;
    case OP_LINEAR: return op->c == 0;
    case OP_CLIP:
    case OP_CLIP_V2: return op->b <= 0 && op->c >= 0;
    case OP_POW: return op->c > 0;
    default: return true;
    }
}

/* Whether the derivative at zero is finite, so that its product with zero is zero. PReLU's is a
 * weight, which may be infinite. */
static bool derivative_is_finite(const epilogue_op_t *op) {
    switch (op->op) {
    case OP_LOG:
    case OP_SQRT:
    case OP_SQRT_USE_DST:
    case OP_PRELU: return false;
    case OP_POW: return op->c == 0 || op->c >= 1;
    default: return true;
    }
}

/* A derivative and its product with a tensor. */
static bool derivative_keeps_zero(const epilogue_t *epilogue) {
    return epilogue->len == 2 && derivative_is_finite(&epilogue->op[0]) &&
           epilogue->op[1].op == OP_MUL && epilogue->op[1].src.kind == SOURCE_TENSOR;
}

bool epilogue_keeps_zero(const epilogue_t *epilogue, int first) {
    if (epilogue->derivatives) return derivative_keeps_zero(epilogue);
    for (int i = first; i < epilogue->len; i++) {
        const epilogue_op_t *op = &epilogue->op[i];
        switch (op->op) {
        case OP_ADD:
        case OP_SUB:
        case OP_MUL:
        case OP_MAX:
        case OP_MIN:
        case OP_PRELU:
            /* Common values need not be zero, and a NaN or infinity among them would spoil a
             * product. */
            if (op->src.kind != SOURCE_TENSOR || op->scale.kind != SOURCE_NONE) return false;
            break;
        case OP_SUM:
            if (op->b != 0) return false;
            break;
        default:
            if (op->op >= OP_BINARY_FIRST || !eltwise_keeps_zero(op)) return false;
        }
    }
    return true;
}
