/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes are checked against what a primitive supports. */
#include "plan/attr_rules.h"

#include "core/direction.h"
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "plan/op.h"
#include "plan/type_rules.h"

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

/* NULL: no rule allows it. */
static const attr_quant_rule_t *find_rule(const attr_quant_rule_t *rules, unsigned attr, int arg) {
    for (; rules && rules->attr; rules++)
        if (rules->attr == attr && rules->arg == arg) return rules;
    return NULL;
}

static bool is_quant_type(dnnl_data_type_t dt) {
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_f8_e4m3, dnnl_e8m0,
            dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4};
    for (int t = 0; t < ARRAY_LEN(types); t++)
        if (types[t] == dt) return true;
    return false;
}

static dnnl_status_t check_quant(
        const pd_t *pd, const quant_map_t *map, unsigned attr, const attr_quant_rule_t *rules) {
    const char *what = attr == ATTR_SCALES ? "scales" : "zero points";
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        const attr_quant_rule_t *rule = find_rule(rules, attr, q->arg);
        if (!rule)
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "%s of argument %d are not supported", what, q->arg);
        int ndims = pd_md(pd, q->arg)->ndims;
        if (q->mask & ~((1 << ndims) - 1))
            return verbose_check(dnnl_invalid_arguments, pd->op->name,
                    "the mask %d of the %s of argument %d names dimensions that the tensor does "
                    "not have",
                    q->mask, what, q->arg);
        if (q->mask & ~(int)rule->mask)
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "the mask %d of the %s of argument %d is not supported", q->mask, what, q->arg);
        if (!is_quant_type(q->dt))
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "the data type of the %s of argument %d is not supported", what, q->arg);
    }
    return dnnl_success;
}

/* A tensor of a post-op: broadcast to the destination. */
static dnnl_status_t check_operand(const pd_t *pd, const md_t *md, int index) {
    const md_t *dst = pd_md(pd, pd_result(pd));
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
    if (!dt_in(md, WHOLE_BYTES))
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the data type of the tensor of post-op %d is not supported", index);
    return dnnl_success;
}

static unsigned kind_of(const post_op_t *po) {
    switch ((int)po->kind) {
    case dnnl_eltwise: return POST_OP_ELTWISE;
    case dnnl_sum: return POST_OP_SUM;
    case dnnl_binary: return POST_OP_BINARY;
    case dnnl_prelu: return POST_OP_PRELU;
    default: return 0;
    }
}

static dnnl_status_t check_post_op(const pd_t *pd, const post_op_t *po, int i, unsigned post_ops) {
    const md_t *dst = pd_md(pd, pd_result(pd));
    const unsigned kind = kind_of(po);
    if (!(kind & post_ops))
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "post-op %d has a kind that is not supported", i);
    if (kind == POST_OP_SUM && po->sum.dt != dnnl_data_type_undef &&
            dt_bits(po->sum.dt) != dt_bits(dst->data_type))
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the data type of the sum post-op has another size than the destination's");
    if (kind == POST_OP_PRELU && po->prelu.mask & ~((1 << dst->ndims) - 1))
        return verbose_check(dnnl_invalid_arguments, pd->op->name,
                "the mask of post-op %d names dimensions that the destination does not have", i);
    if (kind != POST_OP_BINARY || post_ops & POST_OP_OWN_CHECK) return dnnl_success;
    TRY(check_operand(pd, &po->binary.src1, i));
    return po->binary.alg == dnnl_binary_select ? check_operand(pd, &po->binary.src2, i)
                                                : dnnl_success;
}

/* The mask lies like the destination, which may have no layout yet: that is looked at in
 * add_dropout_args(). */
static dnnl_status_t check_dropout(const pd_t *pd) {
    const md_t *mask = &pd->attr.dropout.mask_md, *dst = pd_md(pd, pd_result(pd));
    if (!pd->attr.dropout.set || md_is_zero(mask) || pd->op->own_dropout_mask) return dnnl_success;
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
    const dnnl_data_type_t dt = pd_md(pd, pd_result(pd))->data_type;
    for (int i = 0; i < ARRAY_LEN(pd->attr.rounding); i++)
        if (pd->attr.rounding[i].arg && pd->attr.rounding[i].arg != pd_result(pd))
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "argument %d has no rounding mode", pd->attr.rounding[i].arg);
    if (!attr_float_format(dt) && dt != dnnl_f32)
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "stochastic rounding to the destination's data type is not supported");
    return dnnl_success;
}

dnnl_status_t attr_check(
        const pd_t *pd, unsigned groups, unsigned post_ops, const attr_quant_rule_t *rules) {
    unsigned refused = attr_nondefault(&pd->attr) & ~groups;
    for (int i = 0; i < ARRAY_LEN(group_names); i++)
        if (refused & group_names[i].group)
            return verbose_refuse(dnnl_unimplemented, pd->op->name,
                    "the attribute %s is not supported", group_names[i].name);
    TRY(check_quant(pd, &pd->attr.scales, ATTR_SCALES, rules));
    TRY(check_quant(pd, &pd->attr.zero_points, ATTR_ZERO_POINTS, rules));
    TRY(check_dropout(pd));
    TRY(check_rounding(pd));
    for (int i = 0; i < pd->attr.post_ops.len; i++)
        TRY(check_post_op(pd, &pd->attr.post_ops.entry[i], i, post_ops));
    return dnnl_success;
}
