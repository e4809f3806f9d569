/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as arguments and as chains of operations. */
#include "plan/attributes.h"

#include <assert.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/lib/spec.h"
#include "plan/op.h"

/* ---- checks ---- */

static const struct {
    unsigned group;
    const char *name;
} group_names[] = {
        {ATTR_SCALES, "scales"},
        {ATTR_ZERO_POINTS, "zero points"},
        {ATTR_POST_OPS, "post-ops"},
        {ATTR_PRECOMPUTED, "precomputed reductions"},
        {ATTR_ROUNDING, "rounding modes"},
        {ATTR_DROPOUT, "dropout"},
        {ATTR_RNN, "rnn parameters"},
        {ATTR_GROUPS, "groups of scales or zero points"},
        {ATTR_QMODE, "dynamic quantisation"},
};

static dnnl_status_t check_quant(
        const pd_t *pd, const quant_map_t *map, unsigned attr, const attr_quant_rule_t *rules) {
    const char *what = attr == ATTR_SCALES ? "scales" : "zero points";
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        const attr_quant_rule_t *rule = rules;
        while (rule && rule->attr && (rule->attr != attr || rule->arg != q->arg)) rule++;
        if (!rule || !rule->attr)
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "%s of argument %d are not taken", what, q->arg);
        int ndims = pd_md(pd, q->arg)->ndims;
        if (q->mask & ~((1 << ndims) - 1))
            return verbose_check(dnnl_invalid_arguments, pd->op->name,
                    "the mask %d of the %s of argument %d names dimensions that the tensor does "
                    "not have",
                    q->mask, what, q->arg);
        if (q->mask & ~(int)rule->mask)
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "the mask %d of the %s of argument %d is not taken", q->mask, what, q->arg);
        static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_f8_e4m3,
                dnnl_e8m0, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4, dnnl_data_type_undef};
        int t = 0;
        while (types[t] && types[t] != q->dt) t++;
        if (!types[t])
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "the data type of the %s of argument %d is not taken", what, q->arg);
    }
    return dnnl_success;
}

/* A tensor of a post-op: broadcast to the destination. */
static dnnl_status_t check_operand(const pd_t *pd, const md_t *md, int index) {
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    if (md->ndims != dst->ndims)
        return verbose_check(dnnl_invalid_arguments, pd->op->name,
                "the tensor of post-op %d has %d dimensions, the destination %d", index, md->ndims,
                dst->ndims);
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] != 1 && dst->dims[d] != DNNL_RUNTIME_DIM_VAL && md->dims[d] != dst->dims[d])
            return verbose_check(dnnl_invalid_arguments, pd->op->name,
                    "dimension %d of the tensor of post-op %d is neither 1 nor the destination's",
                    d, index);
    if (!md_is_blocked(md) && !md_is_any(md))
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the tensor of post-op %d is not a dense array", index);
    switch (md->data_type) {
    case dnnl_f32:
    case dnnl_f16:
    case dnnl_bf16:
    case dnnl_s32:
    case dnnl_s8:
    case dnnl_u8:
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_f64: return dnnl_success;
    default:
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the data type of the tensor of post-op %d is not taken", index);
    }
}

static dnnl_status_t check_post_op(const pd_t *pd, const post_op_t *po, int i, unsigned takes) {
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    unsigned kind = po->kind == dnnl_eltwise  ? TAKES_ELTWISE
                    : po->kind == dnnl_sum    ? TAKES_SUM
                    : po->kind == dnnl_binary ? TAKES_BINARY
                    : po->kind == dnnl_prelu  ? TAKES_PRELU
                                              : 0;
    if (!(kind & takes))
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "post-op %d is of a kind that is not taken", i);
    if (kind == TAKES_SUM && po->sum.dt != dnnl_data_type_undef &&
            dt_bits(po->sum.dt) != dt_bits(dst->data_type))
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the data type of the sum post-op has another size than the destination's");
    if (kind == TAKES_PRELU && po->prelu.mask & ~((1 << dst->ndims) - 1))
        return verbose_check(dnnl_invalid_arguments, pd->op->name,
                "the mask of post-op %d names dimensions that the destination does not have", i);
    if (kind == TAKES_BINARY && !(takes & TAKES_OPERANDS)) {
        dnnl_status_t status = check_operand(pd, &po->binary.src1, i);
        if (status == dnnl_success && po->binary.alg == dnnl_binary_select)
            status = check_operand(pd, &po->binary.src2, i);
        return status;
    }
    return dnnl_success;
}

/* The mask lies like the destination, which may have no layout yet: that is looked at in add_dropout_args().
 */
static dnnl_status_t check_dropout(const pd_t *pd) {
    const md_t *mask = &pd->attr.dropout.mask_md, *dst = pd_md(pd, DNNL_ARG_DST);
    if (!pd->attr.dropout.set || md_is_zero(mask)) return dnnl_success;
    if (!md_same_dims(mask, dst))
        return verbose_check(dnnl_invalid_arguments, pd->op->name,
                "the mask of dropout and the destination differ in their dimensions");
    if (mask->data_type != dnnl_u8)
        return verbose_check(
                dnnl_invalid_arguments, pd->op->name, "the mask of dropout is not of type u8");
    return dnnl_success;
}

const float_format_t *attr_float_format(dnnl_data_type_t dt) {
    static const float_format_t formats[] = {
            {dnnl_f16, 65504.0f, 0x1p-14f, 13},
            {dnnl_bf16, 0x1.fep127f, 0, 16},
            {dnnl_f8_e5m2, 57344.0f, 0x1p-14f, 21},
            {dnnl_f8_e4m3, 448.0f, 0x1p-6f, 20},
            {dnnl_f4_e2m1, 6.0f, 1.0f, 22},
    };
    for (int i = 0; i < ARRAY_LEN(formats); i++)
        if (formats[i].dt == dt) return &formats[i];
    return NULL;
}

bool attr_is_dynamic(const pd_t *pd, int arg) {
    const quant_t *q = quant_find(&pd->attr.scales, arg);
    return q && (q->qmode == dnnl_quantization_mode_dynamic_mx ||
                        q->qmode == dnnl_quantization_mode_dynamic_fp);
}

static dnnl_status_t check_rounding(const pd_t *pd) {
    if (!(attr_nondefault(&pd->attr) & ATTR_ROUNDING)) return dnnl_success;
    const dnnl_data_type_t dt = pd_md(pd, DNNL_ARG_DST)->data_type;
    for (int i = 0; i < ARRAY_LEN(pd->attr.rounding); i++)
        if (pd->attr.rounding[i].arg && pd->attr.rounding[i].arg != DNNL_ARG_DST)
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "argument %d has no rounding mode", pd->attr.rounding[i].arg);
    if (!attr_float_format(dt) && dt != dnnl_f32)
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "stochastic rounding to the destination's data type is not taken");
    return dnnl_success;
}

dnnl_status_t attr_check(
        const pd_t *pd, unsigned groups, unsigned post_ops, const attr_quant_rule_t *rules) {
    unsigned refused = attr_nondefault(&pd->attr) & ~groups;
    for (size_t i = 0; i < sizeof(group_names) / sizeof(group_names[0]); i++)
        if (refused & group_names[i].group)
            return verbose_refuse(dnnl_unimplemented, pd->op->name, "the attribute %s is not taken",
                    group_names[i].name);
    dnnl_status_t status = check_quant(pd, &pd->attr.scales, ATTR_SCALES, rules);
    if (status == dnnl_success)
        status = check_quant(pd, &pd->attr.zero_points, ATTR_ZERO_POINTS, rules);
    if (status == dnnl_success) status = check_dropout(pd);
    if (status == dnnl_success) status = check_rounding(pd);
    for (int i = 0; status == dnnl_success && i < pd->attr.post_ops.len; i++)
        status = check_post_op(pd, &pd->attr.post_ops.entry[i], i, post_ops);
    return status;
}

/* ---- arguments ---- */

/* dims of `like` where the mask has a bit, else 1; row-major. */
static dnnl_status_t masked_md(md_t *md, const md_t *like, int mask, dnnl_data_type_t dt) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++) dims[d] = mask & 1 << d ? like->dims[d] : 1;
    return md_init_strides(md, like->ndims, dims, dt, NULL);
}

/* Values lie one after the other, in groups where there are any. */
static dnnl_status_t add_quant_args(pd_t *pd, const quant_map_t *map, int base) {
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        md_t md;
        dnnl_status_t status;
        const bool computed = base == DNNL_ARG_ATTR_SCALES && attr_is_dynamic(pd, q->arg);
        if (q->on_host) {
            status = md_init_host_scalar(&md, q->dt);
        } else {
            const md_t *like = pd_md(pd, q->arg);
            dnnl_dim_t count = 1;
            for (int d = 0; d < like->ndims; d++) {
                if (!(q->mask & 1 << d)) continue;
                int in_group = d - (like->ndims - q->group_ndims);
                dnnl_dim_t group = q->group_ndims && in_group >= 0 ? q->group_dims[in_group] : 1;
                if (like->dims[d] == DNNL_RUNTIME_DIM_VAL) {
                    count = DNNL_RUNTIME_DIM_VAL;
                    break;
                }
                count *= like->dims[d] / (group > 0 ? group : 1);
            }
            status = md_init_strides(&md, 1, &count, q->dt, NULL);
        }
        if (status == dnnl_success)
            status = pd_add_arg(
                    pd, base | q->arg, computed ? PD_OUT : PD_IN | (q->on_host ? PD_HOST : 0), &md);
        if (status != dnnl_success) return status;
    }
    return dnnl_success;
}

/* `any` is the destination's layout, or plain where only one dimension is not 1 or the destination is no one
 * array. */
static dnnl_status_t resolve_operand(const pd_t *pd, md_t *md) {
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    int wide = 0;
    for (int d = 0; d < md->ndims; d++) wide += md->dims[d] != 1;
    const bool plain = wide == 1 || md_is_sparse(dst) || md_has_runtime_dims_or_strides(dst);
    return plain ? md_set_plain(md) : md_set_like(md, dst);
}

static dnnl_status_t add_operand(pd_t *pd, int index, int arg, const md_t *md) {
    md_t resolved = *md;
    dnnl_status_t status = md_is_any(md) ? resolve_operand(pd, &resolved) : dnnl_success;
    if (status != dnnl_success) return status;
    return pd_add_arg(pd, DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg, PD_IN, &resolved);
}

static dnnl_status_t add_value(pd_t *pd, int arg, dnnl_data_type_t dt, bool on_host) {
    static const dnnl_dim_t one = 1;
    md_t md;
    dnnl_status_t status =
            on_host ? md_init_host_scalar(&md, dt) : md_init_strides(&md, 1, &one, dt, NULL);
    return status == dnnl_success ? pd_add_arg(pd, arg, PD_IN | (on_host ? PD_HOST : 0), &md)
                                  : status;
}

static dnnl_status_t add_dropout_args(pd_t *pd) {
    const bool on_host = pd->attr.dropout.use_host_scalars;
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    md_t mask = pd->attr.dropout.mask_md;
    if (!md_is_zero(&mask)) {
        dnnl_status_t status = md_is_any(&mask) ? md_set_like(&mask, dst) : dnnl_success;
        if (status != dnnl_success) return status;
        if (!md_same_layout(&mask, dst))
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "the layout of the mask of dropout is not the destination's");
        for (int d = 0; d < dst->ndims; d++)
            if (dst->padded_dims[d] != dst->dims[d])
                return verbose_refuse(
                        dnnl_unimplemented, pd->op->name, "the mask of dropout would have padding");
        status = pd_add_arg(pd, DNNL_ARG_ATTR_DROPOUT_MASK, PD_OUT, &mask);
        if (status != dnnl_success) return status;
    }
    dnnl_status_t status = add_value(pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32, on_host);
    if (status == dnnl_success)
        status = add_value(pd, DNNL_ARG_ATTR_DROPOUT_SEED, pd->attr.dropout.seed_dt, on_host);
    if (status == dnnl_success && pd->attr.dropout.use_offset)
        status = add_value(pd, DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64, on_host);
    return status;
}

dnnl_status_t attr_add_args(pd_t *pd) {
    dnnl_status_t status = add_quant_args(pd, &pd->attr.scales, DNNL_ARG_ATTR_SCALES);
    if (status == dnnl_success)
        status = add_quant_args(pd, &pd->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS);
    if (status == dnnl_success)
        status = add_quant_args(
                pd, &pd->attr.precomputed_reductions, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS);
    if (status == dnnl_success && pd->attr.dropout.set) status = add_dropout_args(pd);
    if (status == dnnl_success &&
            attr_rounding_mode(&pd->attr, DNNL_ARG_DST) == dnnl_rounding_mode_stochastic)
        status = add_value(pd, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, false);
    for (int i = 0; status == dnnl_success && i < pd->attr.post_ops.len; i++) {
        const post_op_t *po = &pd->attr.post_ops.entry[i];
        if (po->kind == dnnl_binary) {
            status = add_operand(pd, i, DNNL_ARG_SRC_1, &po->binary.src1);
            if (status == dnnl_success && po->binary.alg == dnnl_binary_select)
                status = add_operand(pd, i, DNNL_ARG_SRC_2, &po->binary.src2);
        } else if (po->kind == dnnl_prelu) {
            md_t md;
            status = masked_md(&md, pd_md(pd, DNNL_ARG_DST), po->prelu.mask, dnnl_f32);
            if (status == dnnl_success) status = add_operand(pd, i, DNNL_ARG_WEIGHTS, &md);
        }
    }
    return status;
}

dnnl_status_t attr_add_scratchpad(pd_t *pd, size_t size) {
    pd->scratchpad_size = size;
    if (pd->attr.scratchpad_mode != dnnl_scratchpad_mode_user) return dnnl_success;
    md_t md;
    dnnl_dim_t dims[1] = {(dnnl_dim_t)size};
    if (size == 0) memset(&md, 0, sizeof(md));
    else if (md_init_strides(&md, 1, dims, dnnl_u8, NULL) != dnnl_success)
        return dnnl_runtime_error;
    return pd_add_arg(pd, DNNL_ARG_SCRATCHPAD, PD_OUT | (size ? 0 : PD_OPTIONAL), &md);
}

/* ---- chains ---- */

void epilogue_init(epilogue_t *chain) {
    chain->len = 0;
    chain->f64 = false;
}

static epilogue_op_t *epilogue_add(epilogue_t *chain, int op, float a, float b, float c) {
    assert(chain->len < EPILOGUE_MAX);
    epilogue_op_t *link = &chain->op[chain->len++];
    memset(link, 0, sizeof(*link));
    link->op = op;
    link->a = a;
    link->b = b;
    link->c = c;
    return link;
}

void epilogue_add_eltwise(
        epilogue_t *chain, dnnl_alg_kind_t alg, float scale, float alpha, float beta) {
    /* Forward, the algorithms whose backward pass reads the destination are functions like others. */
    static const dnnl_alg_kind_t functions[] = {dnnl_eltwise_relu, dnnl_eltwise_tanh,
            dnnl_eltwise_elu, dnnl_eltwise_sqrt, dnnl_eltwise_logistic, dnnl_eltwise_exp,
            dnnl_eltwise_clip_v2};
    if (alg >= dnnl_eltwise_relu_use_dst_for_bwd)
        alg = functions[alg - dnnl_eltwise_relu_use_dst_for_bwd];
    epilogue_add(chain, OP_ELTWISE_FIRST + (int)(alg - dnnl_eltwise_relu), scale, alpha, beta);
}

static epilogue_source_t tensor_source(const pd_t *pd, int slot) {
    return (epilogue_source_t){.kind = SOURCE_TENSOR,
            .slot = slot,
            .like_slot = -1,
            .dt = pd->args[slot].md.data_type};
}

epilogue_op_t *epilogue_add_tensor(epilogue_t *chain, const pd_t *pd, int op, int slot) {
    epilogue_op_t *link = epilogue_add(chain, op, 0, 0, 0);
    link->src = tensor_source(pd, slot);
    return link;
}

void epilogue_add_source(epilogue_t *chain, int op, const epilogue_source_t *source) {
    epilogue_add(chain, op, 0, 0, 0)->src = *source;
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

static void add_quant(epilogue_t *chain, const pd_t *pd, unsigned attr, int op, int arg) {
    epilogue_source_t source = epilogue_quant_source(pd, attr, arg);
    if (source.kind != SOURCE_NONE) epilogue_add(chain, op, 0, 0, 0)->src = source;
}

void epilogue_add_scale(epilogue_t *chain, const pd_t *pd, int op, int arg) {
    add_quant(chain, pd, ATTR_SCALES, op, arg);
}

void epilogue_add_zero_point(epilogue_t *chain, const pd_t *pd, int op, int arg) {
    add_quant(chain, pd, ATTR_ZERO_POINTS, op, arg);
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
            .like_slot = pd_find_arg(pd, DNNL_ARG_DST)};
}

static void add_dropout(epilogue_t *chain, const pd_t *pd) {
    const bool mask = pd_find_arg(pd, DNNL_ARG_ATTR_DROPOUT_MASK) >= 0;
    const bool offset = pd->attr.dropout.use_offset;
    const uint32_t flags = (mask ? DROP_MASK : 0) | (offset ? DROP_OFFSET : 0) |
                           (pd->attr.dropout.seed_dt == dnnl_s32 ? DROP_SHORT_SEED : 0);
    const uint64_t first = (uint64_t)pd_md(pd, DNNL_ARG_DST)->offset0;
    epilogue_op_t *link = epilogue_add(chain, OP_DROPOUT, float_of_bits((uint32_t)first),
            float_of_bits((uint32_t)(first >> 32)), float_of_bits(flags));
    link->src = place_of(pd, mask ? DNNL_ARG_ATTR_DROPOUT_MASK : DNNL_ARG_DST);
    link->cond = single_value(pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, true);
    link->scale = single_value(pd, DNNL_ARG_ATTR_DROPOUT_SEED, false);
    if (offset) link->offset = single_value(pd, DNNL_ARG_ATTR_DROPOUT_OFFSET, false);
}

void epilogue_add_dst(epilogue_t *chain, const pd_t *pd) {
    if (attr_is_dynamic(pd, DNNL_ARG_DST)) return; /* a step of its own */
    epilogue_add_scale(chain, pd, OP_DIV, DNNL_ARG_DST);
    epilogue_add_zero_point(chain, pd, OP_ADD, DNNL_ARG_DST);
    const float_format_t *format = attr_float_format(pd_md(pd, DNNL_ARG_DST)->data_type);
    if (!format || pd_find_arg(pd, DNNL_ARG_ATTR_ROUNDING_SEED) < 0) return;
    epilogue_op_t *link = epilogue_add(
            chain, OP_ROUND_RANDOMLY, format->most, format->normal, float_of_bits(format->dropped));
    link->src = place_of(pd, DNNL_ARG_DST);
    link->cond = single_value(pd, DNNL_ARG_ATTR_ROUNDING_SEED, false);
}

void epilogue_add_post_ops(epilogue_t *chain, const pd_t *pd) {
    if (pd->attr.dropout.set) add_dropout(chain, pd);
    for (int i = 0; i < pd->attr.post_ops.len; i++) {
        const post_op_t *po = &pd->attr.post_ops.entry[i];
        int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i);
        if (po->kind == dnnl_eltwise) {
            epilogue_add_eltwise(
                    chain, po->eltwise.alg, po->eltwise.scale, po->eltwise.alpha, po->eltwise.beta);
        } else if (po->kind == dnnl_sum) {
            epilogue_op_t *link =
                    epilogue_add(chain, OP_SUM, po->sum.scale, (float)po->sum.zero_point, 0);
            link->src = tensor_source(pd, pd_find_arg(pd, DNNL_ARG_DST));
            if (po->sum.dt != dnnl_data_type_undef) link->src.dt = po->sum.dt;
        } else if (po->kind == dnnl_prelu) {
            epilogue_add_tensor(chain, pd, OP_PRELU, pd_find_arg(pd, base | DNNL_ARG_WEIGHTS));
        } else {
            epilogue_op_t *link = epilogue_add_tensor(chain, pd,
                    OP_BINARY_FIRST + (int)(po->binary.alg - dnnl_binary_add),
                    pd_find_arg(pd, base | DNNL_ARG_SRC_1));
            if (po->binary.alg == dnnl_binary_select)
                link->cond = tensor_source(pd, pd_find_arg(pd, base | DNNL_ARG_SRC_2));
        }
    }
}

static bool eltwise_keeps_zero(const epilogue_op_t *link) {
    switch (link->op) {
    case OP_SOFT_RELU:
    case OP_HARDSIGMOID:
    case OP_LOGISTIC:
    case OP_EXP:
    case OP_LOG: return false;
    case OP_LINEAR: return link->c == 0;
    case OP_CLIP:
    case OP_CLIP_V2: return link->b <= 0 && link->c >= 0;
    case OP_POW: return link->c > 0;
    default: return true;
    }
}

bool epilogue_keeps_zero(const epilogue_t *chain, int first) {
    for (int i = first; i < chain->len; i++) {
        const epilogue_op_t *link = &chain->op[i];
        switch (link->op) {
        case OP_ADD:
        case OP_SUB:
        case OP_MUL:
        case OP_MAX:
        case OP_MIN:
        case OP_PRELU:
            /* Common values need not be zero, and a NaN or infinity among them would spoil a product. */
            if (link->src.kind != SOURCE_TENSOR || link->scale.kind != SOURCE_NONE) return false;
            break;
        case OP_SUM:
            if (link->b != 0) return false;
            break;
        default:
            if (link->op >= OP_BINARY_FIRST || !eltwise_keeps_zero(link)) return false;
        }
    }
    return true;
}

/* ---- steps ---- */

bool axis_stride(const md_t *md, const axis_t *axis, int64_t *stride) {
    *stride = 0;
    if (axis->size == 1 || md->dims[axis->dim] == 1) return true;
    const md_blocking_t *b = &md->format_desc.blocking;
    int64_t level_mult = 1, level_stride = 1;
    for (int i = b->inner_nblks - 1; i >= 0; i--) {
        int64_t blk = b->inner_blks[i];
        if (b->inner_idxs[i] == axis->dim) {
            if (axis->mult < level_mult * blk) {
                *stride = axis->mult / level_mult * level_stride;
                return axis->mult % level_mult == 0 && axis->mult * axis->size <= level_mult * blk;
            }
            level_mult *= blk;
        }
        level_stride *= blk;
    }
    *stride = axis->mult / level_mult * b->strides[axis->dim];
    return axis->mult % level_mult == 0;
}

static bool same_source(const epilogue_source_t *a, const epilogue_source_t *b) {
    return a->kind == b->kind && a->slot == b->slot && a->dt == b->dt && a->offset == b->offset;
}

/* The number of a source in a segment, added if it is new; -1: the segment is full. */
static int place_source(epilogue_segment_t *seg, const epilogue_source_t *s) {
    if (s->kind == SOURCE_NONE) return PO_NO_SRC;
    if (s->kind == SOURCE_HOST || s->kind == SOURCE_HOST_BITS) {
        const bool bits = s->kind == SOURCE_HOST_BITS;
        for (int i = 0; i < seg->nhosts; i++)
            if (seg->host[i].slot == s->slot) return PO_HOST_SRC + i;
        const int first = seg->nhosts;
        if (first + (bits ? 2 : 1) > PO_MAX_HOST) return -1;
        seg->host[seg->nhosts].slot = s->slot;
        seg->host[seg->nhosts++].part = bits ? HOST_LOW : HOST_FLOAT;
        if (bits) {
            seg->host[seg->nhosts].slot = s->slot;
            seg->host[seg->nhosts++].part = HOST_HIGH;
        }
        return PO_HOST_SRC + first;
    }
    for (int i = 0; i < seg->nsrcs; i++)
        if (same_source(&seg->src[i], s)) return i;
    if (seg->nsrcs == PO_MAX_SRCS) return -1;
    seg->src[seg->nsrcs] = *s;
    if (s->dt != dnnl_data_type_undef) seg->dts |= 1u << s->dt;
    return seg->nsrcs++;
}

static void mask_set(epilogue_segment_t *seg, int op) {
    if (op < 32) seg->mask_lo |= 1u << op;
    else seg->mask_hi |= 1u << (op - 32);
}

void epilogue_segment(epilogue_segment_t *seg, const epilogue_t *chain, int first) {
    memset(seg, 0, sizeof(*seg));
    seg->first = first;
    for (int i = first; i < chain->len && seg->count < PO_MAX_ENTRIES; i++) {
        const epilogue_op_t *link = &chain->op[i];
        epilogue_segment_t before = *seg;
        int src = place_source(seg, &link->src), cond = place_source(seg, &link->cond),
            scale = place_source(seg, &link->scale), offset = place_source(seg, &link->offset);
        if (src < 0 || cond < 0 || scale < 0 || offset < 0) {
            *seg = before;
            break;
        }
        mask_set(seg, link->op);
        if (scale != PO_NO_SRC && link->op != OP_DROPOUT) mask_set(seg, OP_BIT_SCALED);
        po_entry_t *entry = &seg->params.entry[seg->count++];
        *entry = (po_entry_t){PO_CODE(link->op, src, cond, scale), link->a, link->b, link->c};
        if (link->op == OP_DROPOUT) {
            uint32_t flags;
            memcpy(&flags, &link->c, sizeof(flags));
            entry->c = float_of_bits(flags | (uint32_t)offset << 8);
        }
    }
    for (int i = 0; i < seg->nsrcs; i++) seg->params.src[i].dt = (int32_t)seg->src[i].dt;
    if (!seg->dts) seg->dts = 1u << dnnl_f32; /* no source: the same module as with f32 ones */
}

const md_t *epilogue_source_md(
        const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *const *mds, md_t *tmp) {
    const epilogue_source_t *s = &seg->src[i];
#define MD_OF(slot) (mds && mds[slot] ? mds[slot] : &pd->args[slot].md)
    if (s->kind == SOURCE_TENSOR) return MD_OF(s->slot);
    const dnnl_data_type_t dt = s->dt == dnnl_data_type_undef ? dnnl_u8 : s->dt;
    const md_t *like = MD_OF(s->like_slot);
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++)
        dims[d] = s->mask & 1 << d ? like->dims[d] / epilogue_source_group(seg, i, pd, d) : 1;
    if (md_init_strides(tmp, like->ndims, dims, dt, NULL) != dnnl_success)
        memset(tmp, 0, sizeof(*tmp));
    return tmp;
}

int64_t epilogue_source_group(const epilogue_segment_t *seg, int i, const pd_t *pd, int dim) {
    const epilogue_source_t *s = &seg->src[i];
    if (s->kind != SOURCE_QUANT) return 1;
    const int g = dim - (pd->args[s->like_slot].md.ndims - 2);
    return g >= 0 && s->group[g] > 1 ? s->group[g] : 1;
}

bool epilogue_source_stride(const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *md,
        const axis_t *axis, int64_t *stride) {
    axis_t groups = *axis;
    const int64_t group = epilogue_source_group(seg, i, pd, axis->dim);
    *stride = 0;
    if (group > 1 && axis->mult * axis->size <= group)
        return group % (axis->mult * axis->size) == 0;
    if (axis->mult % group) return false;
    groups.mult /= group;
    return axis_stride(md, &groups, stride);
}

const char *epilogue_set_strides(epilogue_segment_t *seg, int i, const int64_t *stride, int naxes) {
    po_src_t *src = &seg->params.src[i];
    if (naxes > PAR_MAX_DIMS) return "a source of an attribute has too many dimensions and blocks";
    for (int a = 0; a < naxes; a++) {
        if (stride[a] > INT32_MAX || stride[a] < 0)
            return "a stride of an attribute's source does not fit in 32 bits";
        src->stride[a] = (int32_t)stride[a];
    }
    src->vec_stride = src->stride[naxes - 1];
    return NULL;
}

const char *epilogue_set_large_strides(
        epilogue_segment_t *seg, int i, const int64_t *stride, int naxes) {
    po_src_t *low = &seg->params.src[i], *high = low + PO_MAX_LARGE;
    if (naxes > PAR_MAX_DIMS) return "a source of an attribute has too many dimensions and blocks";
    if (i >= PO_MAX_LARGE || seg->nsrcs > PO_MAX_LARGE)
        return "too many attributes have sources while a stride of one does not fit in 32 bits";
    for (int a = 0; a < naxes; a++) {
        low->stride[a] = (int32_t)(uint32_t)stride[a];
        high->stride[a] = (int32_t)(stride[a] >> 32);
    }
    low->vec_stride = low->stride[naxes - 1];
    high->vec_stride = high->stride[naxes - 1];
    seg->dts |= PO_LARGE;
    return NULL;
}

const char *epilogue_strides(epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds,
        const axis_t *axes, int naxes) {
    for (int i = 0; i < seg->nsrcs; i++) {
        md_t tmp;
        const md_t *md = epilogue_source_md(seg, i, pd, mds, &tmp);
        int64_t stride[PAR_MAX_DIMS];
        if (naxes > PAR_MAX_DIMS) return "the kernel has too many loops";
        for (int a = 0; a < naxes; a++)
            if (!epilogue_source_stride(seg, i, pd, md, &axes[a], &stride[a]))
                return "an attribute's source has blocks that the kernel does not";
        const char *why_not = epilogue_set_strides(seg, i, stride, naxes);
        if (why_not) return why_not;
    }
    return NULL;
}

bool epilogue_is_random(const epilogue_segment_t *seg) {
    return seg->mask_hi & (1u << (OP_DROPOUT - 32) | 1u << (OP_ROUND_RANDOMLY - 32));
}

void epilogue_specs(const epilogue_segment_t *seg, plan_t *plan) {
    plan_spec(plan, SPEC_PO_COUNT, (uint32_t)seg->count);
    plan_spec(plan, SPEC_PO_MASK_LO, seg->mask_lo);
    plan_spec(plan, SPEC_PO_MASK_HI, seg->mask_hi);
    plan_spec(plan, SPEC_PO_DTS, seg->dts);
    plan_spec(plan, SPEC_PO_NSRCS, (uint32_t)seg->nsrcs);
}

void epilogue_args(
        const epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds, plan_t *plan) {
    for (int i = 0; i < PO_MAX_SRCS; i++) {
        const epilogue_source_t *s = &seg->src[i];
        if (i >= seg->nsrcs) plan_arg(plan, -1, 0);
        else if (s->kind == SOURCE_SCRATCH) plan_scratch(plan, s->offset);
        else plan_arg(plan, s->slot, dt_offset(MD_OF(s->slot)->data_type, MD_OF(s->slot)->offset0));
    }
    for (int i = 0; i < PO_MAX_HOST; i++) {
        if (i >= seg->nhosts) plan_scalar_f32(plan, -1);
        else if (seg->host[i].part == HOST_FLOAT) plan_scalar_f32(plan, seg->host[i].slot);
        else plan_scalar_half(plan, seg->host[i].slot, seg->host[i].part == HOST_HIGH);
    }
    plan_const(plan, &seg->params, sizeof(seg->params));
}
