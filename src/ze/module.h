/* SPDX-License-Identifier: Apache-2.0 */
/* Built modules: the SPIR-V of a variant with its specialisation constants, for one device and
 * context. */
#ifndef ZE_MODULE_H
#define ZE_MODULE_H

#include "core/plan.h"
#include "plan/slim_params.h"
#include "plan/variant.h"
#include "ze/code.h"
#include "ze/engine.h"

typedef struct module {
    /* core->module_lock guards the members before `variant`. */
    struct module *next; /* in the list of the core */
    int refs;
    enum { MODULE_BUILDING, MODULE_READY, MODULE_FAILED } state;
    dnnl_status_t status;

    int variant; /* constant from here on; `handle` is valid once the module is ready */
    ze_module_handle_t handle;   /* of another runtime: its pointer */
    char kernel[SLIM_NAME_ROOM]; /* its name; valid once the module is ready */
    int nspecs;
    /* Only those that the SPIR-V has, in the order of the plan, and SPEC_LARGE_OFFSETS at the
         * end if it applies. */
    spec_t specs[];
} module_t;

/* Finds the module of a step, and returns it with a reference. Takes native code if there is any,
 * and does not wait. `is_ours`: the module is new and there is no code for it: the caller has to
 * pass it to modules_build() or module_finish(), since other threads may wait for it. native may be
 * NULL. */
dnnl_status_t module_find(module_t **out, bool *is_ours, device_core_t *core, const plan_t *plan,
        const plan_step_t *step, const native_t *native);
/* Compiles modules that are ours, side by side if there are free cores. */
void modules_build(module_t *const *modules, int n, device_core_t *core);
void module_build(module_t *module, device_core_t *core); /* one of them */
/* Says that the module is built, or has failed. */
void module_finish(module_t *module, device_core_t *core, dnnl_status_t status);
/* Waits until the module is built by whichever thread has it, and answers how that ended. Only for
 * callers that have built their own: two threads that first wait for each other's modules would
 * wait for ever. */
dnnl_status_t module_wait(module_t *module, device_core_t *core);
void module_unref(device_core_t *core, module_t *module);

/* Writes the constants of the plan that the SPIR-V of the step has, and returns their number, which
 * is at most MODULE_MAX_SPECS. */
int module_specs(const plan_t *plan, const plan_step_t *step, spec_t *specs);
/* A hash of the SPIR-V, the entry point and the constants of a module. It is the same in every
 * run. */
uint64_t module_key(const module_t *module);
uint64_t module_step_key(const plan_t *plan, const plan_step_t *step);

/* A checksum that is the same on every machine (FNV-1a). */
#define CHECKSUM_SEED UINT64_C(0xcbf29ce484222325)
uint64_t checksum(const void *data, size_t size, uint64_t seed);

#endif
