/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of tensors that the primitives of family "elementwise" share. */
#include "plan/check.h"

#include "core/verbose.h"
#include "plan/op.h"

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
    switch ((int)md->data_type) {
    case dnnl_f64:
    case dnnl_f32:
    case dnnl_f16:
    case dnnl_bf16:
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_s32:
    case dnnl_s8:
    case dnnl_u8: return dnnl_success;
    case dnnl_f4_e2m1:
    case dnnl_s4:
    case dnnl_u4:
        if (!pd->op->nibbles)
            return verbose_refuse(dnnl_unimplemented, pd->op->name, "%s is of a 4-bit type", name);
        if (md->offset0 % 2)
            return verbose_refuse(
                    dnnl_unimplemented, pd->op->name, "%s begins in the middle of a byte", name);
        return dnnl_success;
    default:
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "the data type of %s is not taken", name);
    }
}

dnnl_status_t ew_resolve(const pd_t *pd, md_t *md, const md_t *like, const char *name) {
    if (md_is_any(md)) {
        dnnl_status_t status = md_set_like(md, like);
        if (status != dnnl_success) return status;
    }
    return ew_check_tensor(pd, md, name);
}
