/* SPDX-License-Identifier: Apache-2.0 */
/* Building, sealing, comparing and releasing primitive descriptors. */
#include "core/primitive_desc.h"

#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"

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

pd_t *pd_create(const op_params_t *params, const attr_t *attr, const void *core) {
    pd_t *pd = dz_calloc(1, sizeof(*pd));
    if (!pd) return NULL;
    atomic_init(&pd->refs, 1);
    atomic_init(&pd->info, NULL);
    pd->core = core;
    pd->params = *params;
    pd->row = -1;
    if (!attr) {
        attr_init(&pd->attr);
    } else if (attr_copy(&pd->attr, attr) != dnnl_success) {
        dz_free(pd);
        return NULL;
    }
    return pd;
}

void pd_ref(pd_t *pd) {
    atomic_fetch_add_explicit(&pd->refs, 1, memory_order_relaxed);
}

void pd_unref(pd_t *pd) {
    if (!pd || atomic_fetch_sub_explicit(&pd->refs, 1, memory_order_acq_rel) != 1) return;
    pd_unref(pd->hint_fwd);
    attr_fini(&pd->attr);
    dz_free(pd->args);
    dz_free(pd->given);
    dz_free(pd->factors);
    dz_free(atomic_load(&pd->info));
    dz_free(pd);
}

static bool args_equal(const pd_arg_t *a, int na, const pd_arg_t *b, int nb) {
    if (na != nb) return false;
    for (int i = 0; i < na; i++)
        if (a[i].arg != b[i].arg || a[i].flags != b[i].flags || !md_equal(&a[i].md, &b[i].md)) return false;
    return true;
}

uint64_t pd_request_hash(const pd_t *pd) {
    uint64_t h = hash_u64((uintptr_t)pd->core, (uint64_t)pd->impl_index);
    h = hash_bytes(&pd->params, sizeof(pd->params), h);
    for (int i = 0; i < pd->ngiven; i++) {
        h = hash_u64((uint64_t)pd->given[i].arg, h);
        h = md_hash(&pd->given[i].md, h);
    }
    if (pd->nfactors) h = hash_bytes(pd->factors, sizeof(float) * (size_t)pd->nfactors, h);
    if (pd->hint_fwd) h = hash_u64(pd->hint_fwd->hash, h);
    return attr_hash(&pd->attr, h);
}

bool pd_request_equal(const pd_t *a, const pd_t *b) {
    if (a == b) return true;
    if (a->core != b->core || a->impl_index != b->impl_index || a->nfactors != b->nfactors) return false;
    if (memcmp(&a->params, &b->params, sizeof(a->params)) != 0) return false;
    if (a->nfactors && memcmp(a->factors, b->factors, sizeof(float) * (size_t)a->nfactors) != 0) return false;
    if (!args_equal(a->given, a->ngiven, b->given, b->ngiven) || !attr_equal(&a->attr, &b->attr))
        return false;
    if (!a->hint_fwd || !b->hint_fwd) return a->hint_fwd == b->hint_fwd;
    return pd_request_equal(a->hint_fwd, b->hint_fwd);
}

/* A descriptor follows from its request, so the request decides. */
void pd_seal(pd_t *pd) {
    pd->hash = pd_request_hash(pd);
}

bool pd_equal(const pd_t *a, const pd_t *b) {
    return a == b || (a->hash == b->hash && pd_request_equal(a, b));
}
