/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of tensors that the primitives of family "elementwise" share. */
#include "plan/check.h"

#include "core/verbose.h"
#include "plan/op.h"
#include "plan/type_rules.h"

bool pd_has_type(const pd_t *pd, dnnl_data_type_t dt) {
    for (int i = 0; i < pd->nargs; i++)
        if (pd->args[i].md.data_type == dt) return true;
    return false;
}

dnnl_status_t ew_check_tensor(const pd_t *pd, const md_t *md, const char *name) {
    if (md_is_host_scalar(md))
        return verbose_check(dnnl_invalid_arguments, pd->op->name, "%s is a host scalar", name);
    if (!md_is_blocked(md))
        return verbose_refuse(dnnl_unimplemented, pd->op->name, "%s is not a dense array", name);
    if (md->extra.flags)
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "%s has compensation or other extra data", name);
    if (dt_in(md, WHOLE_BYTES)) return dnnl_success;
    if (!dt_in(md, NIBBLES))
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "the data type of %s is not supported", name);
    if (!pd->op->nibbles)
        return verbose_refuse(dnnl_unimplemented, pd->op->name, "%s is of a 4-bit type", name);
    if (md->offset0 % 2)
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "%s begins in the middle of a byte", name);
    return dnnl_success;
}

dnnl_status_t ew_resolve(const pd_t *pd, md_t *md, const md_t *like, const char *name) {
    if (md_is_any(md)) {
        dnnl_status_t status = md_set_like(md, like);
        if (status != dnnl_success) return status;
    }
    return ew_check_tensor(pd, md, name);
}

dnnl_status_t check_gradient_type(const char *kind, dnnl_data_type_t dt) {
    if (dt != dnnl_f32 && dt != dnnl_f16 && dt != dnnl_bf16 && dt != dnnl_f64)
        return verbose_refuse(
                dnnl_unimplemented, kind, "gradients are of type f32, f16, bf16 or f64");
    return dnnl_success;
}

dnnl_status_t check_gradient_types(
        const char *kind, dnnl_data_type_t dt, const md_t *diff_src, const md_t *diff_dst) {
    if (diff_src->data_type != dt || diff_dst->data_type != dt)
        return verbose_refuse(
                dnnl_unimplemented, kind, "the data type of a gradient is not that of the data");
    return check_gradient_type(kind, dt);
}

dnnl_status_t gradients_like_forward(pd_t *pd, int forward_arg) {
    const pd_t *hint = pd->request.hint_fwd;
    md_t *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md;
    md_t *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md;
    const md_t *like = hint ? pd_md(hint, forward_arg) : NULL;
    md_t plain;
    if (md_is_any(diff_src) && !hint) {
        const dnnl_status_t status =
                md_init_strides(&plain, diff_src->ndims, diff_src->dims, diff_src->data_type, NULL);
        if (status != dnnl_success) return status;
        like = &plain;
    }
    const dnnl_status_t status = ew_resolve(pd, diff_src, like, "the gradient of the source");
    if (status != dnnl_success) return status;
    return ew_resolve(pd, diff_dst, diff_src, "the gradient of the destination");
}
