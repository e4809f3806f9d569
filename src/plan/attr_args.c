/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as arguments of the primitive. */
#include "plan/attr_args.h"

#include <string.h>

#include "core/direction.h"
#include "core/status.h"
#include "core/verbose.h"
#include "plan/attr_rules.h"
#include "plan/op.h"

/* dims of `like` where the mask has a bit, else 1; row-major. */
static dnnl_status_t masked_md(md_t *md, const md_t *like, int mask, dnnl_data_type_t dt) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++) dims[d] = mask & 1 << d ? like->dims[d] : 1;
    return md_init_strides(md, like->ndims, dims, dt, NULL);
}

/* How many values there are: in each dimension of the mask one for each position, or for each
 * group. */
static dnnl_dim_t value_count(const quant_t *q, const md_t *like) {
    dnnl_dim_t count = 1;
    for (int d = 0; d < like->ndims; d++) {
        if (!(q->mask & 1 << d)) continue;
        if (like->dims[d] == DNNL_RUNTIME_DIM_VAL) return DNNL_RUNTIME_DIM_VAL;
        const int in_group = d - (like->ndims - q->group_ndims);
        const dnnl_dim_t group = q->group_ndims && in_group >= 0 ? q->group_dims[in_group] : 1;
        count *= like->dims[d] / (group > 0 ? group : 1);
    }
    return count;
}

/* Values lie one after the other. */
static dnnl_status_t add_quant_args(pd_t *pd, const quant_map_t *map, int base) {
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        const bool computed = base == DNNL_ARG_ATTR_SCALES && attr_is_dynamic(pd, q->arg);
        const unsigned flags = computed ? PD_OUT : PD_IN | (q->on_host ? PD_HOST : 0);
        md_t md;
        if (q->on_host) {
            TRY(md_init_host_scalar(&md, q->dt));
        } else {
            const dnnl_dim_t count = value_count(q, pd_md(pd, q->arg));
            TRY(md_init_strides(&md, 1, &count, q->dt, NULL));
        }
        TRY(pd_add_arg(pd, base | q->arg, flags, &md));
    }
    return dnnl_success;
}

/* `any` is the destination's layout, or plain where only one dimension is not 1 or the
 * destination is no one array. */
static dnnl_status_t resolve_operand(const pd_t *pd, md_t *md) {
    const md_t *dst = pd_md(pd, pd_result(pd));
    int long_dims = 0;
    for (int d = 0; d < md->ndims; d++) long_dims += md->dims[d] != 1;
    const bool plain = long_dims == 1 || md_is_sparse(dst) || md_has_runtime_dims_or_strides(dst);
    return plain ? md_set_plain(md) : md_set_like(md, dst);
}

static dnnl_status_t add_operand(pd_t *pd, int index, int arg, const md_t *md) {
    md_t resolved = *md;
    if (md_is_any(md)) TRY(resolve_operand(pd, &resolved));
    return pd_add_arg(pd, DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg, PD_IN, &resolved);
}

static dnnl_status_t add_value(pd_t *pd, int arg, dnnl_data_type_t dt, bool on_host) {
    static const dnnl_dim_t one = 1;
    md_t md;
    TRY(on_host ? md_init_host_scalar(&md, dt) : md_init_strides(&md, 1, &one, dt, NULL));
    return pd_add_arg(pd, arg, PD_IN | (on_host ? PD_HOST : 0), &md);
}

static dnnl_status_t add_dropout_mask(pd_t *pd) {
    const md_t *dst = pd_md(pd, pd_result(pd));
    md_t mask = pd->attr.dropout.mask_md;
    if (md_is_zero(&mask)) return dnnl_success;
    if (md_is_any(&mask)) TRY(md_set_like(&mask, dst));
    if (!md_same_layout(&mask, dst))
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the layout of the mask of dropout is not the destination's");
    for (int d = 0; d < dst->ndims; d++)
        if (dst->padded_dims[d] != dst->dims[d])
            return verbose_refuse(
                    dnnl_unimplemented, pd->op->name, "the mask of dropout would have padding");
    return pd_add_arg(pd, DNNL_ARG_ATTR_DROPOUT_MASK, PD_OUT, &mask);
}

static dnnl_status_t add_dropout_args(pd_t *pd) {
    const bool on_host = pd->attr.dropout.use_host_scalars;
    if (!pd->op->own_dropout_mask) TRY(add_dropout_mask(pd));
    TRY(add_value(pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32, on_host));
    TRY(add_value(pd, DNNL_ARG_ATTR_DROPOUT_SEED, pd->attr.dropout.seed_dt, on_host));
    return pd->attr.dropout.use_offset
                   ? add_value(pd, DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64, on_host)
                   : dnnl_success;
}

static dnnl_status_t add_post_op_args(pd_t *pd, int index) {
    const post_op_t *po = &pd->attr.post_ops.entry[index];
    if (po->kind == dnnl_binary) {
        TRY(add_operand(pd, index, DNNL_ARG_SRC_1, &po->binary.src1));
        if (po->binary.alg == dnnl_binary_select)
            TRY(add_operand(pd, index, DNNL_ARG_SRC_2, &po->binary.src2));
    } else if (po->kind == dnnl_prelu) {
        md_t md;
        TRY(masked_md(&md, pd_md(pd, pd_result(pd)), po->prelu.mask, dnnl_f32));
        TRY(add_operand(pd, index, DNNL_ARG_WEIGHTS, &md));
    }
    return dnnl_success;
}

dnnl_status_t attr_add_args(pd_t *pd) {
    TRY(add_quant_args(pd, &pd->attr.scales, DNNL_ARG_ATTR_SCALES));
    TRY(add_quant_args(pd, &pd->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS));
    TRY(add_quant_args(pd, &pd->attr.precomputed_reductions, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS));
    if (pd->attr.dropout.set) TRY(add_dropout_args(pd));
    if (attr_rounding_mode(&pd->attr, pd_result(pd)) == dnnl_rounding_mode_stochastic)
        TRY(add_value(pd, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, false));
    for (int i = 0; i < pd->attr.post_ops.len; i++) TRY(add_post_op_args(pd, i));
    return dnnl_success;
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
