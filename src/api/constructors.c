/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a constructor to a sealed descriptor and its handle. */
#include "api/constructors.h"

#include "api/by_shape.h"
#include "api/check.h"
#include "core/alloc.h"
#include "core/lru.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "steps/loops.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "ze/runtime.h"

/* Looked up where something is to be said, not before. */
#define KIND(c) dnnl_prim_kind2str((c)->params.kind)

void constructor_init(constructor_t *c, dnnl_primitive_kind_t kind, dnnl_primitive_desc_t *out,
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr) {
    c->out = out;
    c->engine = engine;
    c->other = NULL;
    c->attr = attr;
    c->hint_fwd = NULL;
    c->complaint = NULL;
    memset(&c->params, 0, sizeof(c->params)); /* its padding is hashed and compared */
    c->params.kind = kind;
    c->nfactors = 0;
    c->factors = NULL;
    c->ntensors = 0;
    c->tensor = c->storage;
    if (!out) constructor_complain(c, "the place for the descriptor is NULL");
    if (!engine) constructor_complain(c, "engine is NULL");
}

void constructor_tensor(
        constructor_t *c, int arg, unsigned flags, const md_t *md, const char *complaint) {
    /* Constructors look at what they have named. */
    if (md && !md_counts_ok(md))
        constructor_complain(c, "a tensor with too many dimensions or blocks");
    else if (md) c->tensor[c->ntensors++] = (pd_tensor_t){arg, flags, md};
    else constructor_complain(c, complaint);
}

void constructor_optional(constructor_t *c, int arg, unsigned flags, const md_t *md) {
    if (!md_is_zero(md)) constructor_tensor(c, arg, flags, md, NULL);
}

void constructor_forward(constructor_t *c, dnnl_prop_kind_t prop_kind) {
    c->params.prop_kind = prop_kind;
    if (prop_kind != dnnl_forward_training && prop_kind != dnnl_forward_inference)
        constructor_complain(c, "prop_kind is not a forward one");
}

void constructor_backward(
        constructor_t *c, dnnl_prop_kind_t prop_kind, const_dnnl_primitive_desc_t hint_fwd) {
    c->params.prop_kind = prop_kind;
    c->hint_fwd = hint_fwd;
    if (prop_kind != dnnl_backward && prop_kind != dnnl_backward_data &&
            prop_kind != dnnl_backward_weights)
        constructor_complain(c, "prop_kind is not a backward one");
    if (hint_fwd && hint_fwd->pd->params.kind != c->params.kind)
        constructor_complain(c, "hint_fwd_pd is of another kind");
}

void constructor_dims(constructor_t *c, dnnl_dims_t to, int n, const dnnl_dim_t *from,
        const dnnl_dim_t *fallback, const char *complaint) {
    if (!from) from = fallback;
    if (!from) {
        constructor_complain(c, complaint);
        return;
    }
    for (int d = 0; d < n && d < DNNL_MAX_NDIMS; d++) to[d] = from[d];
}

/* What holds for the tensors of every kind. */
static dnnl_status_t check_tensors(const constructor_t *c) {
    const op_kind_t *op = op_find(c->params.kind);
    const bool runtime_dims = op && (op->replan || op->by_shape);
    for (int i = 0; i < c->ntensors; i++) {
        const md_t *md = c->tensor[i].md;
        CHECK_ARG(!md_is_host_scalar(md) || (op && op->host_scalars), KIND(c),
                "tensor %d is a host scalar", i);
        if (md_is_sparse(md) && !(op && op->sparse))
            return verbose_refuse(dnnl_unimplemented, KIND(c), "tensor %d is sparse", i);
        if (!runtime_dims && md_has_runtime_dims_or_strides(md))
            return verbose_refuse(
                    dnnl_unimplemented, KIND(c), "tensor %d has run-time dimensions or strides", i);
    }
    return dnnl_success;
}

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

typedef struct {
    const op_kind_t *op;
    dnnl_engine_t engine;
} build_ctx_t;

/* A scratchpad of the user's is an argument. */
static dnnl_status_t add_scratchpad(pd_t *pd) {
    if (pd->attr.scratchpad_mode != dnnl_scratchpad_mode_user || pd->scratchpad_size == 0 ||
            pd_find_arg(pd, DNNL_ARG_SCRATCHPAD) >= 0)
        return dnnl_success;
    md_t md;
    TRY(md_init_tag(&md, 1, (dnnl_dim_t[]){(dnnl_dim_t)pd->scratchpad_size}, dnnl_u8, dnnl_a));
    return pd_add_arg(pd, DNNL_ARG_SCRATCHPAD, PD_OUT, &md);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    if (!pd->op->by_shape || !by_shape_open(&pd->request)) return pd->op->init(pd, caps);
    return by_shape_init(pd, caps);
}

/* Intel's compiler counts in 32 bits from the beginning of a buffer, on devices whose allocations are smaller
 * if no more is asked for. Run-time dims may be any. */
static bool needs_large_offsets(const pd_t *pd, const caps_t *caps) {
    bool far = pd->scratchpad_size > UINT32_MAX;
    for (int i = 0; i < pd->nargs; i++)
        for (int k = 0; k < md_num_handles(&pd->args[i].md); k++)
            far = far || md_size(&pd->args[i].md, k) > UINT32_MAX;
    return far && !caps->is_cpu && caps->max_alloc_size <= UINT32_MAX;
}

static dnnl_status_t build(void **value, const void *key, void *ctx) {
    const build_ctx_t *b = ctx;
    const pd_request_t *request = key;
    for (int i = 0; i < request->ntensors;
            i++) { /* here, for what is in the cache has been looked at */
        const char *problem = md_problem(request->tensor[i].md);
        CHECK_ARG(!problem, b->op->name, "tensor %d: %s", i, problem);
        CHECK_ARG(!(request->tensor[i].flags & PD_OUT) || !md_repeats(request->tensor[i].md),
                b->op->name,
                "tensor %d is written, and a stride of 0 puts several of its elements into one "
                "place",
                i);
    }
    pd_t *pd = pd_create_from(key);
    if (!pd) return dnnl_out_of_memory;
    pd->op = b->op;
    const caps_t *caps = engine_caps(b->engine);
    dnnl_status_t status = init(pd, caps);
    if (status == dnnl_success) status = add_scratchpad(pd);
    if (status == dnnl_success && by_shape_open(&pd->request) && !plan_fits_room(&pd->plan))
        status = verbose_refuse(dnnl_unimplemented, b->op->name,
                "with run-time dimensions the attributes need too many steps");
    if (status == dnnl_success && !plan_seal(&pd->plan)) status = dnnl_out_of_memory;
    if (status != dnnl_success) {
        pd_unref(pd);
        return status;
    }
    pd->plan.large_offsets = needs_large_offsets(pd, caps);
    pd_seal(pd, caps, sizeof(*caps));
    *value = pd;
    return dnnl_success;
}

dnnl_status_t pd_find_or_build(
        pd_t **pd, const op_kind_t *op, dnnl_engine_t engine, const pd_request_t *request) {
    build_ctx_t ctx = {op, engine};
    void *value = NULL;
    dnnl_status_t status = lru_get(pd_cache(), &pd_class, pd_request_hash(request), request->core,
            request, build, &ctx, &value, NULL);
    *pd = value;
    return status;
}

extern int64_t matmul_forced_splits;
/* Tests still set some of them for the process. */
static plan_hints_t hints_of(const attr_t *attr) {
    plan_hints_t hints = attr ? attr->hints : NO_PLAN_HINTS;
    if (hints.forced_variant < 0) hints.forced_variant = select_forced_variant;
    if (!hints.forced_splits) hints.forced_splits = matmul_forced_splits;
    if (!hints.max_loop) {
        hints.max_loop = ew_long_loops.most;
        hints.loop_piece = ew_long_loops.piece;
    }
    return hints;
}

dnnl_status_t construct(constructor_t *c) {
    CHECK_ARG(!c->complaint, KIND(c), "%s", c->complaint);
    TRY(check_tensors(c));
    const op_kind_t *op = op_find(c->params.kind);
    const dnnl_prop_kind_t prop = c->params.prop_kind;
    const bool backward =
            prop == dnnl_backward || prop == dnnl_backward_data || prop == dnnl_backward_weights;
    if (!op || (backward && !op->backward))
        return verbose_refuse(dnnl_unimplemented, KIND(c), "%s%s has no implementation yet",
                KIND(c), backward ? " in backward propagation" : "");

    attr_t storage;
    const pd_request_t request = {.core = engine_core(c->engine),
            .hints = hints_of(c->attr),
            .params = &c->params,
            .attr = c->attr ? c->attr : attr_default(&storage),
            .hint_fwd = c->hint_fwd ? c->hint_fwd->pd : NULL,
            .ntensors = c->ntensors,
            .tensor = c->tensor,
            .nfactors = c->nfactors,
            .factors = c->factors};
    dnnl_primitive_desc_t handle = dz_malloc(sizeof(*handle));
    if (!handle) return verbose_error(dnnl_out_of_memory, KIND(c), "no memory for a descriptor");
    dnnl_status_t status = pd_find_or_build(&handle->pd, op, c->engine, &request);
    if (status != dnnl_success) {
        if (status == dnnl_out_of_memory)
            verbose_error(status, KIND(c), "no memory for a descriptor");
        dz_free(handle);
        return status;
    }
    handle->engine = c->engine;
    handle->other = c->other;
    engine_ref(c->engine);
    if (c->other) engine_ref(c->other);
    *c->out = handle;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc) {
    CHECK_NOT_NULL(primitive_desc, "primitive_desc");
    const pd_t *pd = primitive_desc->pd;
    if (pd->variant < 0)
        return dnnl_last_impl_reached; /* nothing to do can be done in one way only */
    pd_request_t request = pd->request;
    request.impl_index++;
    pd_t *next;
    dnnl_status_t status = pd_find_or_build(&next, pd->op, primitive_desc->engine, &request);
    if (status == dnnl_unimplemented) return dnnl_last_impl_reached;
    if (status != dnnl_success) return status;
    pd_unref(primitive_desc->pd);
    primitive_desc->pd = next;
    return dnnl_success;
}
