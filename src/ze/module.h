/* SPDX-License-Identifier: Apache-2.0 */
/* Built modules: the SPIR-V of a kernel variant with its specialisation constants, for one device and context. */
#ifndef ZE_MODULE_H
#define ZE_MODULE_H

#include "core/plan.h"
#include "plan/variant.h"
#include "ze/code.h"
#include "ze/engine.h"

typedef struct module {
    struct module *
            next; /* in the core's list; this and what follows up to `variant` is guarded by core->module_lock */
    int refs;
    enum { MODULE_BUILDING, MODULE_READY, MODULE_FAILED } state;
    dnnl_status_t status;

    int variant; /* from here on constant; `handle` once the module is ready */
    ze_module_handle_t handle;
    int nspecs;
    spec_t specs
            []; /* only those that the SPIR-V has, in the plan's order; then SPEC_LARGE_OFFSETS if it is so */
} module_t;

/* Finds or builds a module; one reference goes to the caller. native may be NULL. */
dnnl_status_t module_get(module_t **out, device_core_t *core, const plan_t *plan,
        const plan_step_t *step, const native_t *native);
void module_unref(device_core_t *core, module_t *module);

/* The constants of a step's module: those of the plan that its SPIR-V has. Room for MODULE_MAX_SPECS; answers
 * how many. */
int module_specs(const plan_t *plan, const plan_step_t *step, spec_t *specs);
/* What a module was made of: equal in every run, different for different SPIR-V, entry point or constants. */
uint64_t module_key(const module_t *module);
uint64_t module_step_key(const plan_t *plan, const plan_step_t *step);

/* A checksum that is the same everywhere (FNV-1a). */
#define CHECKSUM_SEED UINT64_C(0xcbf29ce484222325)
uint64_t checksum(const void *data, size_t size, uint64_t seed);

#endif
