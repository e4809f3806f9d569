/* SPDX-License-Identifier: Apache-2.0 */
/* Sum: dst = scale0 * src0 + scale1 * src1 + ... */
#include "core/status.h"
#include "core/verbose.h"
#include "steps/copies.h"
#include "plan/check.h"
#include "plan/op.h"

/* Sources of one epilogue. A step takes PO_MAX_SRCS of them; more than four steps go on in a new
 * epilogue. */
enum { EPILOGUE_SOURCES = 4 * PO_MAX_SRCS };

static int source_count(const pd_t *pd) {
    return pd->request.nfactors;
}

static int source_slot(const pd_t *pd, int i) {
    return pd_find_arg(pd, DNNL_ARG_MULTIPLE_SRC + i);
}

static const char *plan(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    const int n = source_count(pd);
    const float *scales = pd->request.factors;
    const int dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    const operand_t dst = {&pd->args[dst_slot].md, dst_slot, 0};
    md_t scratch_md;
    operand_t between = {&scratch_md, -1, 0};
    bool f64 = ew_exact_integers(pd, p->caps);
    for (int i = 0; i < n; i++) f64 = f64 || pd->args[source_slot(pd, i)].md.data_type == dnnl_f64;
    if (n - 1 > PO_MAX_SRCS) {
        epilogue_t none;
        epilogue_init(&none);
        if (ew_scratch_md(&scratch_md, &none, dst.md) != dnnl_success)
            return "the tensor is too large";
        if (f64 && md_init_strides(&scratch_md, dst.md->ndims, dst.md->dims, dnnl_f64, NULL) !=
                           dnnl_success)
            return "the tensor is too large";
        between = operand_in_scratch(p, &scratch_md);
    }
    operand_t src = {&pd->args[source_slot(pd, 0)].md, source_slot(pd, 0), 0};
    for (int next = 1; next == 1 || next < n;) {
        epilogue_t epilogue;
        epilogue_init(&epilogue);
        epilogue.f64 = f64;
        if (next == 1 && scales[0] != 1)
            epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, scales[0], 0);
        const int end = n - next > EPILOGUE_SOURCES ? next + EPILOGUE_SOURCES : n;
        for (; next < end; next++)
            epilogue_add_tensor(&epilogue, pd, OP_SUM, source_slot(pd, next))->a = scales[next];
        REFUSE_IF(ew_plan(p, variant, &epilogue, 0, &src, end == n ? &dst : &between, &between));
        src = between;
        if (end == n) break;
    }
    return NULL;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    const md_t *like = pd_md(pd, DNNL_ARG_MULTIPLE_SRC);
    for (int i = source_count(pd) - 1; i >= 0; i--) {
        const md_t *src = pd_md(pd, DNNL_ARG_MULTIPLE_SRC + i);
        TRY(ew_check_tensor(pd, src, "a source"));
        if (!md_is_plain(src)) like = src; /* the first blocked one */
    }
    TRY(ew_resolve(pd, dst, like, "the destination"));
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    return copies_init(pd, caps, plan);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, DNNL_ARG_DST), buf, size);
}

const op_kind_t op_sum = {.kind = dnnl_sum,
        .name = "sum",
        .nibbles = true,
        .init = init,
        .format_problem = format_problem};
