/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a constructor to the request for a descriptor. */
#include "api/constructors.h"

#include "core/check.h"
#include "core/direction.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "primitive/descriptor.h"
#include "ze/runtime.h"

void constructor_init(constructor_t *c, dnnl_primitive_kind_t kind, dnnl_primitive_desc_t *out,
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr) {
    c->out = out;
    c->engine = engine;
    c->other = NULL;
    c->attr = attr;
    c->hint_fwd = NULL;
    c->complaint = NULL;
    memset(&c->params, 0, sizeof(c->params)); /* all bytes are hashed and compared */
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
    /* A tensor without a descriptor has no memory that execution could ask for. */
    if (md && md_is_zero(md)) flags |= PD_OPTIONAL;
    /* Constructors read the dimensions of the tensors that they have named. */
    if (md && !md_counts_ok(md))
        constructor_complain(c, "a tensor has too many dimensions or blocks");
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
        constructor_complain(c, "hint_fwd_pd is of another primitive kind");
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

/* The argument of the forward primitive that has the same dimensions. */
static int forward_arg(int arg) {
    switch (arg) {
    case DNNL_ARG_DIFF_SRC: return DNNL_ARG_SRC;
    case DNNL_ARG_DIFF_DST: return DNNL_ARG_DST;
    case DNNL_ARG_DIFF_WEIGHTS: return DNNL_ARG_WEIGHTS;
    case DNNL_ARG_DIFF_BIAS: return DNNL_ARG_BIAS;
    case DNNL_ARG_DIFF_SCALE: return DNNL_ARG_SCALE;
    case DNNL_ARG_DIFF_SHIFT: return DNNL_ARG_SHIFT;
    default: return arg;
    }
}

/* Run-time dimensions agree with every size: whoever does not support them says so later. */
static bool dims_agree(const md_t *a, const md_t *b) {
    if (md_is_zero(a) || md_is_zero(b) || a->ndims != b->ndims) return md_same_dims(a, b);
    for (int d = 0; d < a->ndims; d++)
        if (a->dims[d] != b->dims[d] && a->dims[d] != DNNL_RUNTIME_DIM_VAL &&
                b->dims[d] != DNNL_RUNTIME_DIM_VAL)
            return false;
    return true;
}

/* The descriptor of the forward primitive is for the same engine and shapes. */
static void check_hint(constructor_t *c) {
    const pd_t *hint = c->hint_fwd ? c->hint_fwd->pd : NULL;
    if (!hint || c->complaint) return;
    if (hint->request.core != engine_core(c->engine))
        constructor_complain(c, "hint_fwd_pd is for another engine");
    else if (direction_of(hint->params.prop_kind) != DIRECTION_FORWARD)
        constructor_complain(c, "hint_fwd_pd is not of a forward primitive");
    for (int i = 0; i < c->ntensors; i++) {
        const int slot = pd_find_arg(hint, forward_arg(c->tensor[i].arg));
        if (slot >= 0 && !dims_agree(&hint->args[slot].md, c->tensor[i].md))
            constructor_complain(c, "hint_fwd_pd is for tensors of other dimensions");
    }
}

dnnl_status_t construct(constructor_t *c) {
    check_hint(c);
    CHECK_ARG(!c->complaint, dnnl_prim_kind2str(c->params.kind), "%s", c->complaint);
    attr_t storage;
    const pd_request_t request = {.core = engine_core(c->engine),
            .hints = c->attr ? c->attr->hints : NO_PLAN_HINTS,
            .params = &c->params,
            .attr = c->attr ? c->attr : attr_default(&storage),
            .hint_fwd = c->hint_fwd ? c->hint_fwd->pd : NULL,
            .ntensors = c->ntensors,
            .tensor = c->tensor,
            .nfactors = c->nfactors,
            .factors = c->factors};
    return descriptor_create(c->out, c->engine, c->other, &request);
}
