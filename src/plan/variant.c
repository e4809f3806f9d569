/* SPDX-License-Identifier: Apache-2.0 */
/* What variants need, and their names. */
#include "plan/variant.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "core/verbose.h"
#include "plan/attributes.h"
#include "plan/device.h"
#include "plan/op.h"

static const char *lacks_subgroups(const caps_t *caps) {
    if (caps->is_cpu) return "the device is a CPU";
    return caps->subgroup_sizes & (1u << 16) ? NULL : "the device has no sub-groups of 16";
}

/* Work-groups of a sub-group or more, with what its lanes exchange in local memory. Where there are
 * sub-groups, the variants for them do the same in registers: they come first in their families. */
static const char *lacks_groups(const caps_t *caps) {
    enum { LEAST_ITEMS = 64, LEAST_BYTES = 32 << 10 };
    if (caps->is_cpu) return "the device is a CPU";
    if (caps->max_group_size < LEAST_ITEMS) return "the device has small work-groups";
    return caps->local_mem_size < LEAST_BYTES ? "the device has little local memory" : NULL;
}

static const char *lacks_target(target_t target, const caps_t *caps) {
    switch (target) {
    case TARGET_CPU: return caps->is_cpu ? NULL : "the device is not a CPU";
    case TARGET_GROUP: return lacks_groups(caps);
    case TARGET_SG16: return lacks_subgroups(caps);
    case TARGET_XMX16:
        REFUSE_IF(lacks_subgroups(caps));
        if (caps->matrix_subgroup != 16) return "the device has no matrix units of 16 lanes";
        return caps->has_2d_block_load ? NULL : "the device loads no rectangles";
    case TARGET_XMX8:
        return caps->is_cpu || caps->matrix_subgroup != 8
                       ? "the device has no matrix units of 8 lanes"
                       : NULL;
    default: return NULL;
    }
}

const char *variant_lacks(const variant_t *variant, const caps_t *caps) {
    REFUSE_IF(lacks_target(variant->target, caps));
    const int dots = variant->geometry.dots, registers = variant->geometry.min_registers;
    if (dots == 4 && !caps->has_dot_bytes) return "the CPU has no dot products of bytes";
    if (dots == 2 && !caps->has_dot_bf16) return "the CPU has no dot products of bf16";
    /* Where registers have 64 bytes, Intel's compiler takes 32 lanes for most of these kernels. */
    if (registers && caps->max_registers &&
            ((int)caps->max_registers < registers || !has_small_registers(caps)))
        return "the device has few registers for so many lanes";
    if (variant->geometry.large_file && caps->max_registers && caps->max_registers < 256)
        return "the device has no large register file";
    if (variant->needs_fp64 && !caps->has_fp64) return "the device has no double precision";
    if (variant->needs_fp16 && !caps->has_fp16)
        return "the device has no half precision arithmetic";
    return NULL;
}

bool variant_runs_on(const variant_t *variant, const caps_t *caps) {
    return !variant_lacks(variant, caps);
}

const char *variant_is_too_wide(int variant, const caps_t *caps) {
    return caps->simd_width < (uint32_t)variants[variant].geometry.min_simd
                   ? "the device's vectors are narrower than the tile is made for"
                   : NULL;
}

const char *variant_is_too_small(int variant, int64_t rows, int tile, int larger) {
    const int max_rows = variants[variant].geometry.max_rows;
    if (!max_rows) return NULL;
    if (rows > max_rows) return "the tile is made for fewer rows";
    return div_up(rows, tile) * tile < div_up(rows, larger) * larger
                   ? NULL
                   : "a larger tile leaves no more rows unused";
}

bool variant_is_forced(const pd_t *pd, int variant) {
    return pd->request.hints.forced_variant == variant;
}

bool variant_is_wanted(const pd_t *pd, int variant) {
    const int forced = pd->request.hints.forced_variant;
    return forced < 0 || forced == variant ||
           strcmp(variants[forced].family, variants[variant].family) != 0;
}

const char *target_name(const variant_t *variant) {
    static const char *const names[] = {"any", "cpu", "group", "sg16", "xmx", "xmx8"};
    return names[variant->target];
}

void name_variant(pd_t *pd) {
    const variant_t *variant = &variants[pd->variant];
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:%s%s", target_name(variant),
            variant->entry, variant->needs_fp64 ? "_f64" : "");
}

dnnl_status_t nothing_to_do(pd_t *pd) {
    if (pd->impl_index) return dnnl_unimplemented;
    plan_reset(&pd->plan);
    pd->variant = -1;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:any:%s", pd->op->name);
    return attr_add_scratchpad(pd, 0);
}
