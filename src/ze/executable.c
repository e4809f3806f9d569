/* SPDX-License-Identifier: Apache-2.0 */
/* Creates kernels for the steps of a plan, and sets the arguments that never change. */
#include "ze/executable.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/verbose.h"
#include "plan/variant.h"

static bool set_at_execution(const executable_t *x, const binding_t *binding) {
    switch ((bind_kind_t)binding->kind) {
    case BIND_ARG:
    case BIND_SCRATCH: return true;
    case BIND_SCALAR_F32:
    case BIND_SCALAR_S32:
    case BIND_SCALAR_LOW:
    case BIND_SCALAR_HIGH: return binding->slot >= 0;
    case BIND_CONST: return x->runtime_dims;
    case BIND_LOCAL:
    case BIND_NULL: break;
    }
    return false;
}

const void *executable_const(executable_t *x, const exec_step_t *step, uint32_t number,
        const plan_t *plan, void *room, size_t *size) {
    const binding_t *binding = &plan->bindings[number];
    const void *value = plan->consts + binding->offset;
    *size = binding->size;
    if (!step->is_slim) return value;
    if (!room) room = x->consts + x->const_at[number];
    *size = slim_value(step->module->kernel, number - plan->steps[step->index].first_binding, value,
            binding->size, room);
    return room;
}

/* number: of the binding in the plan. */
static dnnl_status_t set_fixed(executable_t *x, const exec_step_t *step, uint32_t argument,
        const plan_t *plan, uint32_t number) {
    const binding_t *binding = &plan->bindings[number];
    const device_core_t *core = x->core;
    ze_kernel_handle_t kernel = step->kernel;
    const float one = 1.0f;
    const int32_t zero = 0;
    const void *value = NULL;
    size_t size = sizeof(void *);
    switch ((bind_kind_t)binding->kind) {
    case BIND_CONST: value = executable_const(x, step, number, plan, NULL, &size); break;
    case BIND_LOCAL: size = binding->size; break;
    case BIND_SCALAR_F32:
        value = &one;
        size = sizeof one;
        break;
    case BIND_SCALAR_S32:
    case BIND_SCALAR_LOW:
    case BIND_SCALAR_HIGH:
        value = &zero;
        size = sizeof zero;
        break;
    default: break;
    }
    if (core->backend) return core->backend->set_argument(kernel, argument, size, value);
    return ZE_CALL(KernelSetArgumentValue, kernel, argument, size, value);
}

static const native_t *find_native(const native_entry_t *natives, int nnatives, uint64_t key) {
    for (int i = 0; i < nnatives; i++)
        if (natives[i].key == key) return &natives[i].code;
    return NULL;
}

/* The size of its groups is an argument of its launch. */
static dnnl_status_t make_kernel_by_backend(const backend_t *backend, exec_step_t *step) {
    void *kernel = NULL;
    const dnnl_status_t status =
            backend->kernel_create(step->module->handle, step->module->kernel, &kernel);
    step->kernel = kernel;
    return status;
}

static dnnl_status_t make_kernel(executable_t *x, const plan_t *plan, exec_step_t *step) {
    const plan_step_t *plan_step = &plan->steps[step->index];
    dnnl_status_t status = module_wait(step->module, x->core);
    if (status != dnnl_success) return status;
    if (x->core->backend) return make_kernel_by_backend(x->core->backend, step);
    const ze_kernel_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = step->module->kernel};
    status = ZE_CALL(KernelCreate, step->module->handle, &desc, &step->kernel);
    if (status != dnnl_success) return status;
    const uint32_t *size = plan_step->group_size;
    return ZE_CALL(KernelSetGroupSize, step->kernel, size[0], size[1], size[2]);
}

/* One call that passes all arguments is cheaper than a call for each changing argument, unless most
 * arguments do not change. Those that the kernel does not have any more count as well: for a relu
 * with 4 arguments, of which 2 change, one call takes longer. It cannot pass local memory, which
 * has no value to point to. */
static bool suits_one_call(const plan_t *plan, const plan_step_t *step, int nlive) {
    if (step->nbindings > EXECUTABLE_ONE_CALL || step->nbindings > 3 * nlive) return false;
    for (int i = 0; i < step->nbindings; i++)
        if (plan->bindings[step->first_binding + i].kind == BIND_LOCAL) return false;
    return true;
}

/* Finds the modules of all steps, and builds those that nobody has built. */
static dnnl_status_t find_modules(executable_t *x, const native_entry_t *natives, int nnatives) {
    const plan_t *plan = &x->pd->plan;
    module_t **ours = dz_calloc((size_t)plan->nsteps + 1, sizeof *ours);
    if (!ours) return verbose_error(dnnl_out_of_memory, "primitive", "no memory for a primitive");
    int n = 0;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < plan->nsteps && status == dnnl_success; i++) {
        const plan_step_t *step = &plan->steps[i];
        const native_t *native =
                natives ? find_native(natives, nnatives, module_step_key(plan, step)) : NULL;
        bool is_ours = false;
        status = module_find(&x->steps[i].module, &is_ours, x->core, plan, step, native);
        if (is_ours) ours[n++] = x->steps[i].module;
    }
    if (status == dnnl_success) modules_build(ours, n, x->core);
    else
        for (int i = 0; i < n; i++) module_finish(ours[i], x->core, status);
    dz_free(ours);
    return status;
}

static dnnl_status_t make_step(executable_t *x, int index) {
    const plan_t *plan = &x->pd->plan;
    const plan_step_t *plan_step = &plan->steps[index];
    exec_step_t *step = &x->steps[index];
    step->index = index;
    dnnl_status_t status = make_kernel(x, plan, step);
    step->dropped = slim_dropped(step->module->kernel);
    step->is_slim = strcmp(step->module->kernel, variants[plan_step->variant].entry) != 0;
    step->first_live = index ? step[-1].first_live + step[-1].nlive : 0;
    uint16_t narguments = 0;
    for (uint16_t i = 0; i < plan_step->nbindings && status == dnnl_success; i++) {
        const uint32_t b = plan_step->first_binding + i;
        if (executable_is_dropped(step, i)) continue;
        const uint16_t argument = narguments++;
        if (set_at_execution(x, &plan->bindings[b]))
            x->live[step->first_live + step->nlive++] =
                    (live_binding_t){.binding = b, .argument = argument};
        else status = set_fixed(x, step, argument, plan, b);
    }
    step->in_one_call =
            x->core->launch_with_arguments && suits_one_call(plan, plan_step, step->nlive);
    return status;
}

/* An empty scratchpad of the caller's has no slot, so that an execution need not pass it. With
 * run-time values it may be empty in the descriptor alone. */
static bool drops_scratchpad(const pd_t *pd) {
    const int last = pd->nargs ? pd->args[pd->nargs - 1].arg : 0;
    if (last != DNNL_ARG_SCRATCHPAD || pd->scratchpad_size || pd->by_shape) return false;
    for (int i = 0; i < pd->nargs; i++)
        if (md_has_runtime_dims_or_strides(&pd->args[i].md)) return false;
    return true;
}

/* The library's own scratchpads begin with a line. */
static void note_alignment(executable_t *x) {
    const plan_t *plan = &x->pd->plan;
    for (int i = 0; i < plan->nbindings; i++) {
        const binding_t *b = &plan->bindings[i];
        if ((b->kind != BIND_ARG && b->kind != BIND_SCRATCH) || !b->size) continue;
        const int slot = b->kind == BIND_ARG ? b->slot : x->scratch_slot;
        if (slot < 0) continue;
        assert(b->size == MEMORY_LINE || b->size == MEMORY_VECTOR);
        const fit_t least = b->size == MEMORY_LINE ? FIT_LINES : FIT_VECTORS;
        if (least < x->slots[slot].least) x->slots[slot].least = least;
        x->expects_alignment = true;
    }
}

static void init_slots(executable_t *x) {
    const pd_t *pd = x->pd;
    for (int i = 0; i < x->nslots; i++) {
        const pd_arg_t *arg = &pd->args[i];
        const uint64_t hash = md_hash(&arg->md, 0);
        const uint64_t fit = memory_fit(hash, arg->flags & PD_HOST ? NULL : x->core->context);
        x->slots[i] = (slot_t){arg->arg, arg->flags, hash, fit, FIT_ELEMENTS};
        if (md_has_runtime_dims_or_strides(&arg->md)) x->runtime_dims = true;
        if (md_is_grouped(&arg->md)) x->has_groups = true;
    }
    x->scratch_slot = pd->attr.scratchpad_mode == dnnl_scratchpad_mode_user && !x->drops_scratchpad
                              ? pd_find_arg(pd, DNNL_ARG_SCRATCHPAD)
                              : -1;
    note_alignment(x);
}

static bool is_plain(const executable_t *x, const plan_t *plan) {
    if (x->nsteps != 1 || x->runtime_dims || x->pd->by_shape || x->pd->scratchpad_size ||
            x->has_groups)
        return false;
    const uint32_t *count = plan->steps[x->steps->index].group_count;
    for (int i = 0; i < x->steps->nlive; i++) {
        const binding_t *binding = &plan->bindings[x->live[i].binding];
        if (binding->kind != BIND_ARG || binding->slot < 0) return false;
    }
    return count[0] && count[1] && count[2];
}

static void *where_fixed(executable_t *x, const plan_t *plan, uint32_t number) {
    static float one = 1.0f;
    static uint64_t zero;
    const binding_t *binding = &plan->bindings[number];
    if (binding->kind == BIND_CONST && x->steps->is_slim) return x->consts + x->const_at[number];
    if (binding->kind == BIND_CONST) return plan->consts + binding->offset;
    return binding->kind == BIND_SCALAR_F32 ? (void *)&one : (void *)&zero;
}

static dnnl_status_t init_plain(executable_t *x) {
    const plan_t *plan = &x->pd->plan;
    const exec_step_t *step = x->steps;
    if (x->core->backend || !is_plain(x, plan)) return dnnl_success;
    const plan_step_t *planned = &plan->steps[step->index];
    const uint32_t *count = planned->group_count, *size = planned->group_size;
    plain_t *plain = &x->plain;
    plain->bindings = dz_calloc((size_t)step->nlive + 1, sizeof *plain->bindings);
    if (step->in_one_call)
        plain->arguments = dz_calloc(planned->nbindings + 1u, sizeof *plain->arguments);
    if (!plain->bindings || (step->in_one_call && !plain->arguments))
        return verbose_error(dnnl_out_of_memory, "primitive", "no memory for a primitive");
    plain->count = (ze_group_count_t){count[0], count[1], count[2]};
    plain->size = (ze_group_dims_t){size[0], size[1], size[2]};
    for (uint32_t i = 0, n = 0; i < planned->nbindings && plain->arguments; i++)
        if (!executable_is_dropped(step, i))
            plain->arguments[n++] = where_fixed(x, plan, planned->first_binding + i);
    for (int i = 0; i < step->nlive; i++) {
        const live_binding_t *live = &x->live[i];
        const binding_t *binding = &plan->bindings[live->binding];
        plain_binding_t *b = &plain->bindings[plain->n++];
        *b = (plain_binding_t){
                (uint16_t)binding->slot, binding->handle, live->argument, binding->offset, 0};
        if (plain->arguments) plain->arguments[live->argument] = &b->value;
    }
    plain->kernel = step->kernel;
    return dnnl_success;
}

/* Kernels of CPUs receive the constants as the plan has them. */
static bool init_consts(executable_t *x, const plan_t *plan) {
    uint32_t size = 0;
    if (x->core->caps.is_cpu && !x->runtime_dims) return true;
    x->const_at = dz_calloc((size_t)plan->nbindings + 1, sizeof *x->const_at);
    for (int i = 0; i < plan->nbindings && x->const_at; i++) {
        x->const_at[i] = size;
        if (plan->bindings[i].kind == BIND_CONST) size += (plan->bindings[i].size + 7) & ~7u;
    }
    x->consts = dz_calloc(1, size + 1u);
    return x->const_at && x->consts;
}

static dnnl_status_t init(executable_t *x, const native_entry_t *natives, int nnatives) {
    const plan_t *plan = &x->pd->plan;
    x->slots = dz_calloc((size_t)x->nslots + 1, sizeof *x->slots);
    x->live = dz_calloc((size_t)plan->nbindings + 1, sizeof *x->live);
    x->steps = dz_calloc((size_t)plan->nsteps + 1, sizeof *x->steps);
    if (!x->slots || !x->live || !x->steps)
        return verbose_error(dnnl_out_of_memory, "primitive", "no memory for a primitive");
    init_slots(x);
    if (!init_consts(x, plan))
        return verbose_error(dnnl_out_of_memory, "primitive", "no memory for a primitive");
    x->nsteps = plan->nsteps;
    dnnl_status_t status = find_modules(x, natives, nnatives);
    for (int i = 0; i < plan->nsteps && status == dnnl_success; i++) status = make_step(x, i);
    return status == dnnl_success ? init_plain(x) : status;
}

static void kernel_free(const device_core_t *core, ze_kernel_handle_t kernel) {
    if (kernel && core->backend) core->backend->kernel_destroy(kernel);
    else if (kernel) ZE_CALL(KernelDestroy, kernel);
}

static void executable_free(executable_t *x) {
    for (unsigned i = 0; i < x->nshapes && i < EXECUTABLE_MAX_SHAPES; i++)
        executable_unref(x->shape[i].x);
    for (int i = 0; i < x->nsteps; i++) {
        kernel_free(x->core, x->steps[i].kernel);
        module_unref(x->core, x->steps[i].module);
    }
    dz_free(x->plain.arguments);
    dz_free(x->plain.bindings);
    dz_free(x->consts);
    dz_free(x->const_at);
    dz_free(x->live);
    dz_free(x->steps);
    dz_free(x->slots);
    pd_unref(x->pd);
    dz_free(x);
}

dnnl_status_t executable_create(executable_t **out, device_core_t *core, pd_t *pd,
        const native_entry_t *natives, int nnatives) {
    executable_t *x = dz_calloc(1, sizeof *x);
    if (!x) return verbose_error(dnnl_out_of_memory, "primitive", "no memory for a primitive");
    atomic_init(&x->refs, 1);
    pd_ref(pd);
    x->pd = pd;
    x->core = core;
    x->drops_scratchpad = drops_scratchpad(pd);
    x->nslots = pd->nargs - x->drops_scratchpad;
    const dnnl_status_t status = init(x, natives, nnatives);
    if (status == dnnl_success) *out = x;
    else executable_free(x);
    return status;
}

void executable_ref(executable_t *x) {
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
}

static void end_executable(in_flight_t *thing) {
    executable_free((executable_t *)(void *)((char *)thing - offsetof(executable_t, link)));
}

void executable_unref(executable_t *x) {
    if (atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1) return;
    x->link.end = end_executable;
    flights_end(&x->core->flights, &x->link); /* the device may still run its kernels */
}

executable_t *executable_find_shape(executable_t *x, uint64_t key) {
    executable_t *found = NULL;
    short_lock_take(&x->lock);
    for (unsigned i = 0; i < x->nshapes && i < EXECUTABLE_MAX_SHAPES && !found; i++)
        if (x->shape[i].key == key) found = x->shape[i].x;
    if (found) executable_ref(found);
    short_lock_drop(&x->lock);
    return found;
}

/* Two threads may keep the same shape twice, which does no harm. */
void executable_keep_shape(executable_t *x, uint64_t key, executable_t *of_shape) {
    executable_ref(of_shape);
    short_lock_take(&x->lock);
    const unsigned at = x->nshapes++ % EXECUTABLE_MAX_SHAPES;
    executable_t *old = x->shape[at].x;
    x->shape[at].key = key;
    x->shape[at].x = of_shape;
    short_lock_drop(&x->lock);
    if (old) executable_unref(old);
}

int executable_shapes(executable_t *x, executable_t *shapes[EXECUTABLE_MAX_SHAPES]) {
    int n = 0;
    short_lock_take(&x->lock);
    for (; n < EXECUTABLE_MAX_SHAPES && (unsigned)n < x->nshapes; n++)
        executable_ref(shapes[n] = x->shape[n].x);
    short_lock_drop(&x->lock);
    return n;
}

int executable_last_step(const executable_t *x, const plan_t *plan) {
    int last = x->nsteps - 1;
    while (last >= 0 && plan_step_is_empty(&plan->steps[x->steps[last].index])) last--;
    return last;
}

int executable_find_slot(const executable_t *x, int arg) {
    for (int i = 0; i < x->nslots; i++)
        if (x->slots[i].arg == arg) return i;
    return -1;
}
