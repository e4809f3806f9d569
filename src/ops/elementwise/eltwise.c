/* SPDX-License-Identifier: Apache-2.0 */
/* Eltwise: dst = post_ops(f(src)). */
#include "core/status.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/verbose.h"
#include "ops/elementwise/eltwise.h"
#include "ops/elementwise/elementwise.h"
#include "plan/check.h"
#include "plan/op.h"

static void make_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_eltwise(epilogue, pd->params.alg_kind, 1.0f, pd->params.alpha, pd->params.beta);
    epilogue_add_post_ops(epilogue, pd);
}

dnnl_status_t eltwise_check_algorithm(const op_params_t *p) {
    const bool use_dst = p->alg_kind >= dnnl_eltwise_relu_use_dst_for_bwd &&
                         p->alg_kind <= dnnl_eltwise_clip_v2_use_dst_for_bwd;
    if (!use_dst && (p->alg_kind < dnnl_eltwise_relu || p->alg_kind > dnnl_eltwise_hardswish))
        return verbose_check(
                dnnl_invalid_arguments, "eltwise", "the algorithm is not one of eltwise");
    const bool clip = p->alg_kind == dnnl_eltwise_clip || p->alg_kind == dnnl_eltwise_clip_v2 ||
                      p->alg_kind == dnnl_eltwise_clip_v2_use_dst_for_bwd;
    if (clip && !(p->beta >= p->alpha))
        return verbose_check(dnnl_invalid_arguments, "eltwise",
                "the upper bound of the clip is below the lower one");
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(eltwise_check_algorithm(&pd->params));
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md,
         *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, "eltwise", "the source has no layout");
    if (!md_same_dims(src, dst))
        return verbose_check(dnnl_invalid_arguments, "eltwise",
                "source and destination differ in their dimensions");
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, dst, src, "the destination"));
    TRY(attr_check(pd, ATTR_POST_OPS | ATTR_DROPOUT, ALL_POST_OPS, NULL));
    TRY(attr_add_args(pd));
    return ew_init(pd, caps);
}

int eltwise_format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, ew_source(pd)), buf, size);
}

int eltwise_format_aux(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "alg:%s alpha:%g beta:%g", enum_name(NAMES_ALG_KIND, (int)pd->params.alg_kind),
            (double)pd->params.alpha, (double)pd->params.beta);
    return text.len;
}

const op_kind_t op_eltwise = {.kind = dnnl_eltwise,
        .name = "eltwise",
        .nibbles = true,
        .init = init,
        .replan = ew_replan,
        .make_epilogue = make_epilogue,
        .format_problem = eltwise_format_problem,
        .format_aux = eltwise_format_aux};
