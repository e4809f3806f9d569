/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, and what it shares with deconvolution: check, layouts of `any`, plan, verbose
 * columns. */
#include "ops/conv/convolution.h"

#include <stdio.h>

#include "core/status.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/util.h"
#include "ops/conv/check.h"
#include "ops/conv/depthwise_fused.h"
#include "ops/conv/planners.h"
#include "plan/op.h"
#include "plan/variant.h"

/* ---- layouts of `any` ---- */

/* The layout of the tag; row-major without one, and for 4-bit types that cannot have this
 * layout. */
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

/* The tag of weights that the best variant reads in place; NULL: row-major, which further
 * implementations read, too. */
static const char *weights_tag(pd_t *pd, const caps_t *caps) {
    static const char *(*const tag_of[])(const conv_t *) = {conv_cpu_depthwise_weights,
            conv_cpu_tile_weights, conv_xmx_weights, conv_sg16_weights, conv_local_weights};
    planner_t p = planner_of(pd, caps);
    const conv_t cv = conv_of(&p);
    const char *tag = NULL;
    if (pd->impl_index) return NULL;
    for (int i = 0; i < ARRAY_LEN(tag_of) && !tag; i++) tag = tag_of[i](&cv);
    return tag;
}

static md_t *md_of(pd_t *pd, int arg) {
    return &pd->args[pd_find_arg(pd, arg)].md;
}

/* Gives tensors that are `any` the layouts that the kernels are fastest with. */
static dnnl_status_t resolve_any(pd_t *pd, const caps_t *caps) {
    md_t *src = md_of(pd, DNNL_ARG_SRC), *dst = md_of(pd, DNNL_ARG_DST);
    TRY(resolve(src, image_channels_last(src->ndims)));
    TRY(resolve(dst, image_channels_last(dst->ndims)));
    TRY(resolve(md_of(pd, DNNL_ARG_WEIGHTS), weights_tag(pd, caps)));
    return pd_find_arg(pd, DNNL_ARG_BIAS) < 0 ? dnnl_success
                                              : resolve(md_of(pd, DNNL_ARG_BIAS), NULL);
}

/* ---- the primitive ---- */

dnnl_status_t conv_init(pd_t *pd, const caps_t *caps) {
    TRY(conv_check(pd));
    if (conv_find_depthwise(&pd->attr) >= 0) return conv_init_fused(pd, caps);
    TRY(resolve_any(pd, caps));
    TRY(attr_add_args(pd));
    planner_t p = planner_of(pd, caps);
    TRY(plan_with_variants(&p, pd, "convolution"));
    const variant_t *variant = &variants[pd->variant];
    snprintf(
            pd->impl_name, sizeof(pd->impl_name), "ze:%s:%s", target_name(variant), variant->entry);
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) planner_restart(&p);
    return planner_finish(&p, pd);
}

/* ---- verbose ---- */

int conv_format_problem(const pd_t *pd, char *buf, size_t size) {
    static const char names[] = "dhw";
    planner_t p = {.pd = pd};
    conv_t cv = conv_of(&p);
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
