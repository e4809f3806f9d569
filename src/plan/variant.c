/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a kernel row, and the log of why others were not taken. */
#include "plan/variant.h"

#include <stdio.h>
#include <string.h>

#include "core/verbose.h"
#include "plan/attributes.h"
#include "plan/op.h"

int select_forced_variant = -1;

/* NULL, or what the device lacks for the row. */
static const char *device_lacks(const variant_t *row, const caps_t *caps) {
    if (row->cls == TARGET_CPU && !caps->is_cpu) return "the device is not a CPU";
    const bool subgroups = row->cls == TARGET_SG16 || row->cls == TARGET_XMX16;
    if (subgroups && caps->is_cpu) return "the device is a CPU";
    if (subgroups && !(caps->subgroup_sizes & (1u << 16)))
        return "the device has no sub-groups of 16";
    if (row->cls == TARGET_XMX16 && caps->matrix_subgroup != 16)
        return "the device has no matrix units of 16 lanes";
    if (row->cls == TARGET_XMX16 && !caps->has_2d_block_load)
        return "the device loads no rectangles";
    if (row->cls == TARGET_XMX8 && (caps->is_cpu || caps->matrix_subgroup != 8))
        return "the device has no matrix units of 8 lanes";
    if (row->needs_fp64 && !caps->has_fp64) return "the device has no double precision";
    if (row->needs_fp16 && !caps->has_fp16) return "the device has no half precision arithmetic";
    return NULL;
}

bool variant_runs_on(const variant_t *row, const caps_t *caps) {
    return !device_lacks(row, caps);
}

dnnl_status_t select_variant(
        pd_t *pd, const caps_t *caps, const char *family, variant_fits_fn fits) {
    const char *kind = pd->op ? pd->op->name : family;
    bool forced =
            select_forced_variant >= 0 && !strcmp(variants[select_forced_variant].family, family);
    int to_skip = pd->impl_index;
    for (int row = 0; row < variant_count; row++) {
        const variant_t *r = &variants[row];
        if (strcmp(r->family, family) || (forced && row != select_forced_variant)) continue;
        const char *why_not = device_lacks(r, caps);
        if (!why_not && fits) why_not = fits(pd, caps, row);
        if (why_not) {
            verbose_refuse(dnnl_unimplemented, kind, "%s: %s", r->id, why_not);
        } else if (to_skip-- == 0) {
            pd->row = row;
            return dnnl_success;
        }
    }
    return verbose_refuse(dnnl_unimplemented, kind, "no %skernel of family %s takes the problem",
            pd->impl_index ? "further " : "", family);
}

const char *target_name(const variant_t *row) {
    static const char *const names[] = {"any", "cpu", "sg16", "xmx", "xmx8"};
    return names[row->cls];
}

void name_variant(pd_t *pd) {
    const variant_t *row = &variants[pd->row];
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:%s%s", target_name(row), row->entry,
            row->needs_fp64 ? "_f64" : "");
}

dnnl_status_t nothing_to_do(pd_t *pd) {
    if (pd->impl_index) return dnnl_unimplemented;
    plan_reset(&pd->plan);
    pd->row = -1;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:any:%s", pd->op->name);
    return attr_add_scratchpad(pd, 0);
}
