/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive descriptor: the operation's parameters, every argument with its descriptor,
 * attributes, and the plan. */
#ifndef CORE_PRIMITIVE_DESC_H
#define CORE_PRIMITIVE_DESC_H

#include <stdatomic.h>

#include "core/attr.h"
#include "core/caps.h"
#include "core/memory_desc.h"
#include "core/op_params.h"
#include "core/plan.h"

enum {
    PD_IN = 1,       /* read by the primitive */
    PD_OUT = 2,      /* written by the primitive */
    PD_OPTIONAL = 4, /* may be absent from the arguments or have a NULL handle */
    PD_HOST = 8,     /* a host scalar: it has no engine, and execution reads its value */
};

/* One execution argument. Arguments of attributes (scales, zero points, post-op sources,
 * scratchpad, dropout) are listed too, with their composed ids, e.g. DNNL_ARG_ATTR_SCALES |
 * DNNL_ARG_WEIGHTS. The index in pd->args is the argument's slot. */
typedef struct {
    int arg;
    unsigned flags;
    md_t md;
} pd_arg_t;

enum { PD_CACHE_ID_SIZE = 32 };

struct op_kind;
struct pd;

/* A tensor as a constructor got it. */
typedef struct {
    int arg;
    unsigned flags;
    const md_t *md;
} pd_tensor_t;

/* What a constructor got. It decides everything else, so the caches go by it. */
typedef struct {
    const void *core;   /* engine_core() of the engine: an identity, never followed */
    int impl_index;     /* how many variants next_impl has skipped */
    plan_hints_t hints; /* attr->hints */
    const op_params_t *params;
    const attr_t *attr;
    const struct pd *hint_fwd; /* NULL: none */
    int ntensors;
    const pd_tensor_t *tensor; /* may be `any` */
    int nfactors;
    const float *factors; /* sum: one per source */
} pd_request_t;

/* The descriptor proper. Filled in by op->init, then sealed: from there on immutable,
 * refcounted, and shared by handles, primitives and the cache. It holds no engine, so that it
 * can outlive one in the cache. */
typedef struct pd {
    atomic_int refs;
    const struct op_kind *op; /* from plan/op.h */
    op_params_t params;
    attr_t attr;
    int nargs;
    int cap_args;
    pd_arg_t *args; /* as op->init left them: no `any`, with the arguments of the attributes */
    int variant;    /* of kernels/variants.def; -1: none (empty plan) */
    int impl_index; /* how many variants next_impl has skipped */
    bool by_shape;  /* run-time dims: no plan of its own, primitive/by_shape_desc.h. An op->init()
                       that sets it has written a plan that holds for one shape only */
    size_t scratchpad_size; /* bytes; DNNL_ARG_SCRATCHPAD is in args when scratchpad_mode is user */
    char impl_name[48];     /* "ze:any:eltwise", what dnnl_query_impl_info_str answers */
    pd_request_t request;   /* its pointers lead into this descriptor; hint_fwd is a reference */
    uint64_t hash;          /* of the request; set when sealed */
    uint8_t cache_id
            [PD_CACHE_ID_SIZE]; /* the same in every process, for caches on disk; set when sealed */
    _Atomic(char *) info;       /* pd_info() */
    plan_t plan;                /* sealed with the descriptor */
} pd_t;

/* The public handle: what next_impl moves on, and a primitive has one inside. */
struct dnnl_primitive_desc {
    pd_t *pd;             /* one reference */
    dnnl_engine_t engine; /* one reference; where primitives of this descriptor run */
    dnnl_engine_t
            other; /* one reference; of a reorder's destination where that is another, or NULL */
};

/* Returns the slot of an argument id, or -1. */
int pd_find_arg(const pd_t *pd, int arg);
/* The descriptor of an argument id, or the zero descriptor. */
const md_t *pd_md(const pd_t *pd, int arg);
/* Appends an argument (md is copied; NULL: zero descriptor); out of memory is the only failure. */
dnnl_status_t pd_add_arg(pd_t *pd, int arg, unsigned flags, const md_t *md);

/* An unsealed descriptor with one reference, its args being the tensors of the request; NULL:
 * out of memory. The request is copied. */
pd_t *pd_create_from(const pd_request_t *request);
/* The same without tensors, for pd_add_arg(). attr NULL: default attributes. */
pd_t *pd_create(const op_params_t *params, const attr_t *attr, const void *core);
void pd_ref(pd_t *pd);
void pd_unref(pd_t *pd); /* NULL is fine */

uint64_t pd_request_hash(const pd_request_t *request);
bool pd_request_equal(const pd_request_t *a, const pd_request_t *b);
/* Sets pd->hash and pd->cache_id; nothing but pd->info changes afterwards. device: what tells
 * the device from others in every process. */
void pd_seal(pd_t *pd, const void *device, size_t device_size);
/* For sealed descriptors. Same request: one primitive serves both. */
bool pd_equal(const pd_t *a, const pd_t *b);

#endif
