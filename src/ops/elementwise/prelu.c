/* SPDX-License-Identifier: Apache-2.0 */
/* PReLU: negative values are multiplied by weights that broadcast; an epilogue. */
#include "core/check.h"
#include "core/strings.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/prelu.h"
#include "plan/check.h"
#include "plan/op.h"

static void make_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_tensor(epilogue, pd, OP_PRELU, pd_find_arg(pd, DNNL_ARG_WEIGHTS));
}

dnnl_status_t prelu_check_weights(const md_t *src, const md_t *weights) {
    CHECK_ARG(!md_is_any(src), "prelu", "the source has no layout");
    CHECK_ARG(weights->ndims == src->ndims, "prelu",
            "source and weights differ in their number of dimensions");
    for (int d = 0; d < src->ndims; d++)
        CHECK_ARG(weights->dims[d] == 1 || weights->dims[d] == src->dims[d], "prelu",
                "dimension %d of the weights is neither 1 nor the source's", d);
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *weights = &pd->args[pd_find_arg(pd, DNNL_ARG_WEIGHTS)].md;
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    TRY(prelu_check_weights(src, weights));
    CHECK_ARG(md_same_dims(src, dst), "prelu", "source and destination differ in their dimensions");
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, weights, src, "the tensor of weights"));
    TRY(ew_resolve(pd, dst, src, "the destination"));
    TRY(attr_check(pd, 0, 0, NULL));
    return ew_init(pd, caps);
}

int prelu_format_problem(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *weights = pd_md(pd, DNNL_ARG_WEIGHTS);
    text_t text = text_start(buf, size);
    text_add_dims(&text, src->dims, src->ndims);
    text_add(&text, ":");
    text_add_dims(&text, weights->dims, weights->ndims);
    return text.len;
}

const op_kind_t op_prelu = {.kind = dnnl_prelu,
        .name = "prelu",
        .nibbles = true,
        .init = init,
        .make_epilogue = make_epilogue,
        .format_problem = prelu_format_problem};
