/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a descriptor in the cache, or has its operation make it. */
#include "primitive/descriptor.h"

#include "core/alloc.h"
#include "core/check.h"
#include "core/lru.h"
#include "core/strings_enum.h"
#include "plan/op.h"
#include "primitive/by_shape_desc.h"
#include "ze/runtime.h"

/* ---- making one ---- */

/* Checks that hold for the tensors of every operation. What is in the cache has passed them. */
static dnnl_status_t check_mds(const pd_request_t *request, const char *name) {
    for (int i = 0; i < request->ntensors; i++) {
        const pd_tensor_t *tensor = &request->tensor[i];
        const char *problem = md_problem(tensor->md);
        CHECK_ARG(!problem, name, "tensor %d: %s", i, problem);
        CHECK_ARG(!(tensor->flags & PD_OUT) || !md_repeats(tensor->md), name,
                "tensor %d is written, and a stride of 0 puts several of its elements into one "
                "place",
                i);
    }
    return dnnl_success;
}

/* A scratchpad of the caller's is an argument. */
static dnnl_status_t add_scratchpad(pd_t *pd) {
    if (pd->attr.scratchpad_mode != dnnl_scratchpad_mode_user || pd->scratchpad_size == 0 ||
            pd_find_arg(pd, DNNL_ARG_SCRATCHPAD) >= 0)
        return dnnl_success;
    md_t md;
    TRY(md_init_tag(&md, 1, (dnnl_dim_t[]){(dnnl_dim_t)pd->scratchpad_size}, dnnl_u8, dnnl_a));
    return pd_add_arg(pd, DNNL_ARG_SCRATCHPAD, PD_OUT, &md);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    if (pd->op->by_shape && by_shape_is_needed(&pd->request)) return by_shape_init(pd, caps);
    TRY(pd->op->init(pd, caps));
    return pd->by_shape ? by_shape_drop_plan(pd) : dnnl_success;
}

/* Where a device does not allocate 4 GiB at once unless it is asked to, Intel's compiler addresses
 * a buffer by an offset of 32 bits unless it is told otherwise. A run-time dimension counts as a
 * size above all others. */
static bool needs_large_offsets(const pd_t *pd, const caps_t *caps) {
    bool large = pd->scratchpad_size > UINT32_MAX;
    for (int i = 0; i < pd->nargs; i++)
        for (int k = 0; k < md_num_handles(&pd->args[i].md); k++)
            large = large || md_size(&pd->args[i].md, k) > UINT32_MAX;
    return large && !caps->is_cpu && caps->max_alloc_size <= UINT32_MAX;
}

/* Fills in and seals a descriptor of which only the request and the operation are set. */
static dnnl_status_t complete(pd_t *pd, const caps_t *caps) {
    TRY(init(pd, caps));
    TRY(add_scratchpad(pd));
    if (by_shape_is_needed(&pd->request) && !plan_fits_room(&pd->plan))
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "with run-time dimensions the attributes need too many steps");
    if (!plan_seal(&pd->plan)) return dnnl_out_of_memory;
    pd->plan.large_offsets = needs_large_offsets(pd, caps);
    pd_seal(pd, caps, sizeof(*caps));
    return dnnl_success;
}

typedef struct {
    const op_kind_t *op;
    dnnl_engine_t engine;
} build_ctx_t;

static dnnl_status_t build(void **value, const void *key, void *ctx) {
    const build_ctx_t *b = ctx;
    TRY(check_mds(key, b->op->name));
    pd_t *pd = pd_create_from(key);
    if (!pd) return dnnl_out_of_memory;
    pd->op = b->op;
    const dnnl_status_t status = complete(pd, engine_caps(b->engine));
    if (status == dnnl_success) *value = pd;
    else pd_unref(pd);
    return status;
}

/* ---- the cache ---- */

static bool keys_equal(const void *a, const void *b) {
    return pd_request_equal(a, b);
}
static const void *key_of(const void *pd) {
    return &((const pd_t *)pd)->request;
}
static void ref(void *pd) {
    pd_ref(pd);
}
static void unref(void *pd) {
    pd_unref(pd);
}
static const lru_class_t pd_class = {keys_equal, key_of, ref, unref};

static dnnl_status_t no_memory_for_descriptor(const char *name) {
    return verbose_error(dnnl_out_of_memory, name, "no memory for a descriptor");
}

dnnl_status_t descriptor_find(
        pd_t **pd, const op_kind_t *op, dnnl_engine_t engine, const pd_request_t *request) {
    build_ctx_t ctx = {op, engine};
    void *value = NULL;
    dnnl_status_t status = lru_get(pd_cache(), &pd_class, pd_request_hash(request), request->core,
            request, build, &ctx, &value, NULL);
    *pd = value;
    return status == dnnl_out_of_memory ? no_memory_for_descriptor(op->name) : status;
}

/* ---- handles ---- */

/* The kind's name is looked up for messages only. */
#define NAME(request) enum_name(NAMES_PRIMITIVE_KIND, (int)(request)->params->kind)

/* Refuses tensors of a kind that the operation does not know. op NULL: there is none. */
static dnnl_status_t check_tensors(const pd_request_t *request, const op_kind_t *op) {
    const bool runtime_dims = !op || op->replan || op->by_shape;
    for (int i = 0; i < request->ntensors; i++) {
        const md_t *md = request->tensor[i].md;
        CHECK_ARG(!md_is_host_scalar(md) || (op && op->host_scalars), NAME(request),
                "tensor %d is a host scalar", i);
        if (md_is_sparse(md) && !(op && op->sparse))
            return verbose_refuse(dnnl_unimplemented, NAME(request), "tensor %d is sparse", i);
        if (!runtime_dims && md_has_runtime_dims_or_strides(md))
            return verbose_refuse(dnnl_unimplemented, NAME(request),
                    "tensor %d has run-time dimensions or strides", i);
    }
    return dnnl_success;
}

static void take_engines(dnnl_primitive_desc_t handle) {
    engine_ref(handle->engine);
    if (handle->other) engine_ref(handle->other);
}

dnnl_status_t descriptor_create(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
        dnnl_engine_t other, const pd_request_t *request) {
    TRY(ze_check_process("primitive_desc"));
    const dnnl_prop_kind_t prop = request->params->prop_kind;
    const op_kind_t *op = op_find(request->params->kind, prop);
    TRY(check_tensors(request, op));
    if (!op)
        return verbose_refuse(dnnl_unimplemented, NAME(request), "%s%s has no implementation yet",
                NAME(request),
                direction_of(prop) == DIRECTION_FORWARD ? "" : " in backward propagation");
    dnnl_primitive_desc_t handle = dz_malloc(sizeof(*handle));
    const dnnl_status_t status = handle ? descriptor_find(&handle->pd, op, engine, request)
                                        : no_memory_for_descriptor(op->name);
    if (status != dnnl_success) {
        dz_free(handle);
        return status;
    }
    handle->engine = engine;
    handle->other = other;
    take_engines(handle);
    *out = handle;
    return dnnl_success;
}

dnnl_status_t descriptor_clone(dnnl_primitive_desc_t *out, const_dnnl_primitive_desc_t handle) {
    dnnl_primitive_desc_t clone = dz_malloc(sizeof(*clone));
    if (!clone)
        return verbose_error(dnnl_out_of_memory, "primitive_desc", "no memory for a descriptor");
    *clone = *handle;
    pd_ref(clone->pd);
    take_engines(clone);
    *out = clone;
    return dnnl_success;
}

void descriptor_free(dnnl_primitive_desc_t handle) {
    if (!handle) return;
    pd_unref(handle->pd);
    engine_unref(handle->engine);
    engine_unref(handle->other);
    dz_free(handle);
}

dnnl_status_t descriptor_next(dnnl_primitive_desc_t handle) {
    TRY(ze_check_process("primitive_desc"));
    const pd_t *pd = handle->pd;
    if (pd->variant < 0)
        return dnnl_last_impl_reached; /* an empty plan has no second implementation */
    pd_request_t request = pd->request;
    request.impl_index++;
    pd_t *next;
    const dnnl_status_t status = descriptor_find(&next, pd->op, handle->engine, &request);
    if (status == dnnl_unimplemented) return dnnl_last_impl_reached;
    if (status != dnnl_success) return status;
    pd_unref(handle->pd);
    handle->pd = next;
    return dnnl_success;
}
