/* SPDX-License-Identifier: Apache-2.0 */
/* Building, sealing, comparing and releasing primitive descriptors. */
#include "core/primitive_desc.h"

#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "oneapi/dnnl/dnnl_version.h"

int pd_find_arg(const pd_t *pd, int arg) {
    for (int i = 0; i < pd->nargs; i++)
        if (pd->args[i].arg == arg) return i;
    return -1;
}

const md_t *pd_md(const pd_t *pd, int arg) {
    static const md_t zero;
    int slot = pd_find_arg(pd, arg);
    return slot < 0 ? &zero : &pd->args[slot].md;
}

dnnl_status_t pd_add_arg(pd_t *pd, int arg, unsigned flags, const md_t *md) {
    if (pd->nargs == pd->cap_args) {
        int cap = pd->cap_args ? 2 * pd->cap_args : 6;
        pd_arg_t *args = dz_realloc(pd->args, sizeof(*args) * (size_t)cap);
        if (!args) return dnnl_out_of_memory;
        pd->args = args;
        pd->cap_args = cap;
    }
    pd_arg_t *a = &pd->args[pd->nargs++];
    memset(a, 0, sizeof(*a));
    a->arg = arg;
    a->flags = flags;
    if (md) a->md = *md;
    return dnnl_success;
}

/* One block for the array and what it points to. */
static bool copy_tensors(pd_request_t *to, const pd_request_t *from) {
    to->tensor = NULL;
    if (from->ntensors == 0) return true;
    const size_t n = (size_t)from->ntensors;
    pd_tensor_t *tensor = dz_malloc(n * (sizeof(pd_tensor_t) + sizeof(md_t)));
    if (!tensor) return false;
    md_t *md = (md_t *)(tensor + n);
    for (size_t i = 0; i < n; i++) {
        md[i] = *from->tensor[i].md;
        tensor[i] = (pd_tensor_t){from->tensor[i].arg, from->tensor[i].flags, &md[i]};
    }
    to->tensor = tensor;
    return true;
}

static bool copy_factors(pd_request_t *to, const pd_request_t *from) {
    to->factors = NULL;
    if (from->nfactors == 0) return true;
    float *factors = dz_malloc(sizeof(float) * (size_t)from->nfactors);
    if (!factors) return false;
    memcpy(factors, from->factors, sizeof(float) * (size_t)from->nfactors);
    to->factors = factors;
    return true;
}

pd_t *pd_create_from(const pd_request_t *request) {
    pd_t *pd = dz_calloc(1, sizeof(*pd));
    if (!pd) return NULL;
    atomic_init(&pd->refs, 1);
    atomic_init(&pd->info, NULL);
    pd->params = *request->params;
    pd->impl_index = request->impl_index;
    pd->variant = -1;
    pd->request = *request;
    pd->request.params = &pd->params;
    pd->request.attr = &pd->attr;
    if (request->hint_fwd) pd_ref((pd_t *)request->hint_fwd);
    /* Each leaves something that pd_unref can free. */
    bool ok = attr_copy(&pd->attr, request->attr) == dnnl_success;
    ok &= copy_tensors(&pd->request, request);
    ok &= copy_factors(&pd->request, request);
    for (int i = 0; ok && i < request->ntensors; i++) {
        const pd_tensor_t *t = &request->tensor[i];
        ok = pd_add_arg(pd, t->arg, t->flags, t->md) == dnnl_success;
    }
    if (ok) return pd;
    pd_unref(pd);
    return NULL;
}

pd_t *pd_create(const op_params_t *params, const attr_t *attr, const void *core) {
    attr_t defaults;
    attr_init(&defaults);
    const pd_request_t request = {.core = core,
            .hints = NO_PLAN_HINTS,
            .params = params,
            .attr = attr ? attr : &defaults};
    return pd_create_from(&request);
}

void pd_ref(pd_t *pd) {
    atomic_fetch_add_explicit(&pd->refs, 1, memory_order_relaxed);
}

void pd_unref(pd_t *pd) {
    if (!pd || atomic_fetch_sub_explicit(&pd->refs, 1, memory_order_acq_rel) != 1) return;
    pd_unref((pd_t *)pd->request.hint_fwd);
    attr_fini(&pd->attr);
    dz_free((void *)pd->request.tensor);
    dz_free((void *)pd->request.factors);
    dz_free(pd->args);
    plan_free(&pd->plan);
    dz_free(atomic_load(&pd->info));
    dz_free(pd);
}

static bool has_window(dnnl_primitive_kind_t kind) {
    return kind == dnnl_convolution || kind == dnnl_deconvolution || kind == dnnl_pooling ||
           kind == dnnl_resampling;
}

static uint64_t request_hash(const pd_request_t *r, uint64_t h) {
    h = hash_u64((uint64_t)r->impl_index << 32 | (uint32_t)r->hints.forced_variant, h);
    h = hash_u64((uint64_t)r->hints.forced_splits, h);
    h = hash_u64((uint64_t)r->hints.max_loop << 1 | r->hints.any_address, h);
    h = hash_bytes(r->params,
            has_window(r->params->kind) ? sizeof(*r->params) : offsetof(op_params_t, strides), h);
    for (int i = 0; i < r->ntensors; i++) {
        h = hash_u64((uint64_t)r->tensor[i].arg, h);
        h = md_hash(r->tensor[i].md, h);
    }
    if (r->nfactors) h = hash_bytes(r->factors, sizeof(float) * (size_t)r->nfactors, h);
    if (r->hint_fwd) h = request_hash(&r->hint_fwd->request, h);
    return attr_hash(r->attr, h);
}

uint64_t pd_request_hash(const pd_request_t *request) {
    return request_hash(request, (uintptr_t)request->core);
}

static bool tensors_equal(const pd_request_t *a, const pd_request_t *b) {
    if (a->ntensors != b->ntensors) return false;
    for (int i = 0; i < a->ntensors; i++)
        if (a->tensor[i].arg != b->tensor[i].arg || a->tensor[i].flags != b->tensor[i].flags ||
                !md_equal(a->tensor[i].md, b->tensor[i].md))
            return false;
    return true;
}

static bool hints_equal(const plan_hints_t *a, const plan_hints_t *b) {
    return a->forced_variant == b->forced_variant && a->forced_splits == b->forced_splits &&
           a->max_loop == b->max_loop && a->loop_piece == b->loop_piece &&
           a->any_address == b->any_address;
}

bool pd_request_equal(const pd_request_t *a, const pd_request_t *b) {
    if (a == b) return true;
    if (a->core != b->core || a->impl_index != b->impl_index ||
            !hints_equal(&a->hints, &b->hints) || a->nfactors != b->nfactors)
        return false;
    if (memcmp(a->params, b->params, sizeof(*a->params)) != 0) return false;
    if (a->nfactors && memcmp(a->factors, b->factors, sizeof(float) * (size_t)a->nfactors) != 0)
        return false;
    if (!tensors_equal(a, b) || !attr_equal(a->attr, b->attr)) return false;
    if (!a->hint_fwd || !b->hint_fwd) return a->hint_fwd == b->hint_fwd;
    return pd_equal(a->hint_fwd, b->hint_fwd);
}

/* The modules that the plan needs. Equal requests may have other ones: equality of descriptors
 * ignores the strides of dimensions of 1, and the choice of a variant may not. */
static uint64_t modules_hash(const plan_t *plan, uint64_t seed) {
    for (int i = 0; i < plan->nsteps; i++) {
        const plan_step_t *step = &plan->steps[i];
        seed = hash_u64((uint64_t)step->variant, seed);
        for (int k = 0; k < step->nspecs; k++) {
            const spec_t *spec = &plan->specs[step->first_spec + k];
            seed = hash_u64((uint64_t)spec->id << 32 | spec->value, seed);
        }
    }
    return seed;
}

void pd_seal(pd_t *pd, const void *device, size_t device_size) {
    pd->hash = pd_request_hash(&pd->request);
    /* No address goes in. Two hashes: 64 bits are few for files that outlive the process. */
    const uint64_t seed =
            hash_bytes(device, device_size, hash_bytes(pd->impl_name, sizeof(pd->impl_name), 1));
    const uint64_t id[PD_CACHE_ID_SIZE / sizeof(uint64_t)] = {
            (uint64_t)pd->params.kind << 48 | (uint64_t)DNNL_ZE_VERSION_MAJOR << 32 |
                    (uint64_t)DNNL_ZE_VERSION_MINOR << 16 | (uint64_t)DNNL_ZE_VERSION_PATCH,
            seed, request_hash(&pd->request, seed),
            modules_hash(&pd->plan, request_hash(&pd->request, ~seed))};
    memcpy(pd->cache_id, id, sizeof(id));
}

bool pd_equal(const pd_t *a, const pd_t *b) {
    return a == b || (a->hash == b->hash && pd_request_equal(&a->request, &b->request));
}
