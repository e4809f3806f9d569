/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive descriptor: the operation's parameters, every argument with its descriptor, attributes, and the
 * plan. */
#ifndef CORE_PRIMITIVE_DESC_H
#define CORE_PRIMITIVE_DESC_H

#include <stdatomic.h>

#include "core/attr.h"
#include "core/caps.h"
#include "core/memory_desc.h"
#include "core/plan.h"

enum {
    PD_IN = 1,       /* read by the primitive */
    PD_OUT = 2,      /* written by the primitive */
    PD_OPTIONAL = 4, /* may be absent from the arguments or have a NULL handle */
    PD_HOST = 8,     /* a host scalar memory: no engine, its value is read when the primitive is executed */
};

/* One execution argument. Arguments of attributes (scales, zero points, post-op sources, scratchpad, dropout)
 * are listed too, with their composed ids, e.g. DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS. The index in
 * pd->args is the argument's slot. */
typedef struct {
    int arg;
    unsigned flags;
    md_t md;
} pd_arg_t;

/* The parameters of an operation besides its tensors; each kind uses what it needs, the rest stays zero (it
 * is hashed and compared). */
typedef struct {
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    unsigned flags;    /* normalization flags, rnn flags */
    float alpha, beta; /* eltwise; lrn alpha, beta; reduction p, eps */
    float k;           /* lrn */
    float epsilon;
    int axis;           /* softmax, shuffle, concat */
    int64_t group_size; /* shuffle; group norm's groups; lrn's local size */
    dnnl_dims_t strides, dilates, padding[2], kernel;
    float factors[DNNL_MAX_NDIMS];
    int direction, cell_kind, activation_kind; /* rnn */
    dnnl_data_type_t stat_dt; /* lnorm statistics, softmax accumulate: where a constructor asks for one */
} op_params_t;

struct op_kind;

/* The descriptor proper. Filled in by a constructor and op->init, then sealed: from there on immutable,
 * refcounted, and shared by handles, primitives and the cache. It holds no engine, so that it can outlive one
 * in the cache: `core` is an identity, never followed. */
typedef struct pd {
    atomic_int refs;
    const void *core;         /* engine_core() of the engine it was made for */
    const struct op_kind *op; /* from ops/op.h */
    op_params_t params;
    attr_t attr;
    struct pd *hint_fwd; /* one reference or NULL */
    int nargs;
    int cap_args;
    pd_arg_t *args; /* as op->init left them: no `any`, with the arguments of the attributes */
    int ngiven;     /* the tensors as the constructor got them: what next_impl starts from, and the key of the
                       cache */
    pd_arg_t *given;
    int nfactors; /* sum: one scale per source */
    float *factors;
    int row;                /* chosen row of the kernel table, -1: no kernel (empty plan) */
    int impl_index;         /* how many rows next_impl has skipped */
    size_t scratchpad_size; /* bytes; DNNL_ARG_SCRATCHPAD is in args when scratchpad_mode is user */
    char impl_name[48];     /* "ze:any:eltwise", what dnnl_query_impl_info_str answers */
    uint64_t hash;          /* of everything that makes the primitive; computed once, when sealed */
    _Atomic(char *) info;   /* pd_info() */
    plan_t plan;
} pd_t;

/* The public handle: what next_impl moves on, and a primitive has one inside. */
struct dnnl_primitive_desc {
    pd_t *pd;             /* one reference */
    dnnl_engine_t engine; /* one reference; where primitives of this descriptor run */
};

/* Returns the slot of an argument id, or -1. */
int pd_find_arg(const pd_t *pd, int arg);
/* The descriptor of an argument id, or the zero descriptor. */
const md_t *pd_md(const pd_t *pd, int arg);
/* Appends an argument (md is copied; NULL: zero descriptor); out of memory is the only failure. */
dnnl_status_t pd_add_arg(pd_t *pd, int arg, unsigned flags, const md_t *md);

/* An empty descriptor with one reference (attr NULL: default attributes); NULL: out of memory. */
pd_t *pd_create(const op_params_t *params, const attr_t *attr, const void *core);
void pd_ref(pd_t *pd);
void pd_unref(pd_t *pd); /* NULL is fine */
/* Sets pd->hash; nothing but pd->info changes afterwards. */
void pd_seal(pd_t *pd);
/* The request of a descriptor is what the constructor got: core, parameters, tensors given, attributes, hint,
 * implementation index. It decides everything else, so caches go by it. */
uint64_t pd_request_hash(const pd_t *pd);
bool pd_request_equal(const pd_t *a, const pd_t *b);
/* For sealed descriptors. Same core, operation, tensors, attributes and implementation: one primitive serves
 * both. */
bool pd_equal(const pd_t *a, const pd_t *b);

/* "matmul,ze:cpu:matmul,undef,src:f32::blocked:ab::f0 ...,attr-...,alg:...,2x3:3x4": the columns of a verbose
 * line from the kind on. Made at the first call; out of memory answers a shorter text, never NULL. */
const char *pd_info(const pd_t *pd);

#endif
