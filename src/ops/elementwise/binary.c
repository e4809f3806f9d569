/* SPDX-License-Identifier: Apache-2.0 */
/* Binary: dst = post_ops(scale0 * src0 op scale1 * src1), and the selection of one of both by a
 * third tensor. */
#include "core/status.h"
#include "core/strings.h"
#include "core/verbose.h"
#include "ops/elementwise/elementwise.h"
#include "plan/check.h"
#include "plan/op.h"

static void make_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_scale(epilogue, pd, OP_MUL, DNNL_ARG_SRC_0);
    int op = OP_BINARY_FIRST + (int)(pd->params.alg_kind - dnnl_binary_add);
    epilogue_op_t *added = epilogue_add_tensor(epilogue, pd, op, pd_find_arg(pd, DNNL_ARG_SRC_1));
    added->scale = epilogue_quant_source(pd, ATTR_SCALES, DNNL_ARG_SRC_1);
    if (op == OP_SELECT)
        added->cond = (epilogue_source_t){.kind = SOURCE_TENSOR,
                .slot = pd_find_arg(pd, DNNL_ARG_SRC_2),
                .like_slot = -1,
                .dt = dnnl_s8};
    epilogue_add_post_ops(epilogue, pd);
}

/* Sources broadcast where they are 1, but not both. */
static dnnl_status_t check_dims(
        const md_t *src0, const md_t *src1, const md_t *src2, const md_t *dst) {
    if (src0->ndims != dst->ndims || src1->ndims != dst->ndims ||
            (src2 && src2->ndims != dst->ndims))
        return verbose_check(dnnl_invalid_arguments, "binary",
                "the tensors differ in their number of dimensions");
    for (int d = 0; d < dst->ndims; d++) {
        dnnl_dim_t n = dst->dims[d];
        bool same0 = src0->dims[d] == n, same1 = src1->dims[d] == n;
        if ((!same0 && src0->dims[d] != 1) || (!same1 && src1->dims[d] != 1) || (!same0 && !same1))
            return verbose_check(dnnl_invalid_arguments, "binary",
                    "dimension %d of the sources does not broadcast to the destination's", d);
        if (src2 && src2->dims[d] != n && src2->dims[d] != 1)
            return verbose_check(dnnl_invalid_arguments, "binary",
                    "dimension %d of the condition does not broadcast to the destination's", d);
    }
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    static const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC_0, 0}, {ATTR_SCALES, DNNL_ARG_SRC_1, 0}, {0, 0, 0}};
    dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg < dnnl_binary_add || alg > dnnl_binary_select)
        return verbose_check(
                dnnl_invalid_arguments, "binary", "the algorithm is not one of this primitive");
    md_t *src0 = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC_0)].md,
         *src1 = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC_1)].md;
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md, *src2 = NULL;
    if (alg == dnnl_binary_select) {
        src2 = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC_2)].md;
        if (src2->data_type != dnnl_s8)
            return verbose_check(
                    dnnl_invalid_arguments, "binary", "the condition is not of type s8");
    }
    if (md_is_any(src0))
        return verbose_check(dnnl_invalid_arguments, "binary", "source 0 has no layout");
    TRY(check_dims(src0, src1, src2, dst));
    TRY(ew_check_tensor(pd, src0, "source 0"));
    TRY(ew_resolve(pd, src1, src0, "source 1"));
    if (src2) TRY(ew_resolve(pd, src2, src0, "the condition"));
    TRY(ew_resolve(pd, dst, src0, "the destination"));
    TRY(attr_check(pd, ATTR_SCALES | ATTR_POST_OPS, ALL_POST_OPS, rules));
    TRY(attr_add_args(pd));
    return ew_init(pd, caps);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    const int args[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2};
    for (int i = 0; i < 3 && pd_find_arg(pd, args[i]) >= 0; i++) {
        const md_t *md = pd_md(pd, args[i]);
        if (i) text_add(&text, ":");
        text_add_dims(&text, md->dims, md->ndims);
    }
    return text.len;
}

const op_kind_t op_binary = {.kind = dnnl_binary,
        .name = "binary",
        .nibbles = true,
        .init = init,
        .make_epilogue = make_epilogue,
        .by_shape = true,
        .format_problem = format_problem,
        .format_aux = format_alg};
