/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, and what it has in common with deconvolution: layouts of `any`, the choice of a kernel,
 * verbose columns. */
#include "ops/conv/convolution.h"

#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/util.h"
#include "plan/op.h"
#include "plan/variant.h"

void conv_of(conv_t *cv, const pd_t *pd, const caps_t *caps, plan_t *plan) {
    memset(cv, 0, sizeof(*cv));
    cv->pd = pd;
    cv->caps = caps;
    cv->plan = plan;
    cv->transposed = pd->params.kind == dnnl_deconvolution;
    cv->src_slot = pd_find_arg(pd, DNNL_ARG_SRC);
    cv->wei_slot = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    cv->dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    cv->bias_slot = pd_find_arg(pd, DNNL_ARG_BIAS);
    cv->src = &pd->args[cv->src_slot].md;
    cv->wei = &pd->args[cv->wei_slot].md;
    cv->dst = &pd->args[cv->dst_slot].md;
    cv->ndims = cv->src->ndims;
    const int first = cv->wei->ndims - cv->ndims;
    cv->with_groups = first > 0;
    cv->mb = cv->src->dims[0];
    cv->groups = first ? cv->wei->dims[0] : 1;
    cv->oc = cv->wei->dims[first];
    cv->ic = cv->wei->dims[first + 1];
    for (int i = 0; i < 3; i++) {
        const int d =
                i - (5 - cv->ndims); /* spatial dimension of the tensors; negative: not there */
        const bool has = d >= 0;
        cv->win.in[i] = has ? (int32_t)cv->src->dims[d + 2] : 1;
        cv->win.out[i] = has ? (int32_t)cv->dst->dims[d + 2] : 1;
        cv->win.k[i] = has ? (int32_t)cv->wei->dims[first + d + 2] : 1;
        cv->win.stride[i] = has ? (int32_t)pd->params.strides[d] : 1;
        cv->win.dilation[i] = has ? (int32_t)pd->params.dilates[d] + 1 : 1;
        cv->win.pad[i] = has ? (int32_t)pd->params.padding[0][d] : 0;
    }
    cv->exact = cv->src->data_type == dnnl_s8 || cv->src->data_type == dnnl_u8;
}

static dnnl_status_t resolve(md_t *md, const char *tag) {
    if (!md_is_any(md)) return dnnl_success;
    if (!tag || md_has_zero_dim(md)) return md_set_plain(md);
    md_t resolved;
    const dnnl_status_t status =
            md_init_string_tag(&resolved, md->ndims, md->dims, md->data_type, tag);
    if (status != dnnl_success) return dt_is_nibble(md->data_type) ? md_set_plain(md) : status;
    *md = resolved;
    return dnnl_success;
}

dnnl_status_t conv_resolve_any(pd_t *pd, const caps_t *caps) {
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md;
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    md_t *wei = &pd->args[pd_find_arg(pd, DNNL_ARG_WEIGHTS)].md;
    const int bias = pd_find_arg(pd, DNNL_ARG_BIAS);
    dnnl_status_t status = resolve(src, conv_channels_last[src->ndims - 3]);
    if (status == dnnl_success) status = resolve(dst, conv_channels_last[dst->ndims - 3]);
    conv_t cv;
    conv_of(&cv, pd, caps, NULL);
    const char *packed = conv_cpu_weights(&cv);
    if (!packed) packed = conv_xmx_weights(&cv);
    if (!packed) packed = conv_sg16_weights(&cv);
    if (status == dnnl_success) status = resolve(wei, pd->impl_index ? NULL : packed);
    if (status == dnnl_success && bias >= 0) status = resolve(&pd->args[bias].md, NULL);
    return status;
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    plan_t plan __attribute__((cleanup(plan_free))) = {0};
    conv_t cv;
    plan_reset(&plan);
    conv_of(&cv, pd, caps, &plan);
    return conv_plan(&cv, row);
}

dnnl_status_t conv_init(pd_t *pd, const caps_t *caps) {
    const bool transposed = pd->params.kind == dnnl_deconvolution,
               fused = conv_find_depthwise(&pd->attr) >= 0;
    dnnl_status_t status = conv_check(pd, transposed);
    if (status == dnnl_success && fused) return conv_init_fused(pd, caps);
    if (status == dnnl_success) status = conv_resolve_any(pd, caps);
    if (status == dnnl_success) status = attr_add_args(pd);
    if (status != dnnl_success) return status;

    status = select_variant(pd, caps, "convolution", fits);
    if (status != dnnl_success) return status;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:%s", target_name(&variants[pd->variant]),
            variants[pd->variant].entry);
    conv_t cv;
    plan_reset(&pd->plan);
    conv_of(&cv, pd, caps, &pd->plan);
    conv_plan(&cv, pd->variant);
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) {
        plan_reset(&pd->plan);
        cv.scratch = 0;
    }
    return attr_add_scratchpad(pd, cv.scratch);
}

/* ---- verbose ---- */

int conv_format_problem(const pd_t *pd, char *buf, size_t size) {
    static const char names[] = "dhw";
    conv_t cv;
    conv_of(&cv, pd, NULL, NULL);
    text_t text = text_start(buf, size);
    if (cv.with_groups) text_add(&text, "g%lld", (long long)cv.groups);
    text_add(&text, "mb%lld_ic%lldoc%lld", (long long)cv.mb, (long long)(cv.groups * cv.ic),
            (long long)(cv.groups * cv.oc));
    for (int i = 5 - cv.ndims; i < 3; i++) {
        const char c = names[i];
        /* With a depthwise post-op the line describes the convolution before it. */
        if (conv_find_depthwise(&pd->attr) >= 0) cv.win.out[i] = cv.win.in[i];
        text_add(&text, "_i%c%do%c%dk%c%ds%c%dd%c%dp%c%d", c, cv.win.in[i], c, cv.win.out[i], c,
                cv.win.k[i], c, cv.win.stride[i], c, cv.win.dilation[i] - 1, c, cv.win.pad[i]);
    }
    return text.len;
}

int conv_format_aux(const pd_t *pd, char *buf, size_t size) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    text_t text = text_start(buf, size);
    text_add(&text, "alg:%s",
            enum_name(NAMES_ALG_KIND,
                    alg == dnnl_convolution_auto ? (int)dnnl_convolution_direct : (int)alg));
    return text.len;
}

const op_kind_t op_convolution = {
        .kind = dnnl_convolution,
        .name = "convolution",
        .init = conv_init,
        .format_problem = conv_format_problem,
        .format_aux = conv_format_aux,
};
