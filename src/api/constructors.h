/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of the dnnl_*_primitive_desc_create functions. A constructor collects its
 * arguments in a constructor_t and leaves the rest to construct(). The first complaint about an
 * argument sticks. A new kind sets its parameters and names its tensors, no more. */
#ifndef API_CONSTRUCTORS_H
#define API_CONSTRUCTORS_H

#include <string.h>

#include "core/primitive_desc.h"
#include "oneapi/dnnl/dnnl.h"

/* Those of a backward LSTM. Concat and sum bring their own arrays. */
enum { CONSTRUCTOR_MAX_TENSORS = 26 };

typedef struct {
    dnnl_primitive_desc_t *out;
    dnnl_engine_t engine;
    dnnl_engine_t other; /* the engine of a reorder's destination; NULL: the same */
    const attr_t *attr;  /* NULL: default attributes */
    const_dnnl_primitive_desc_t hint_fwd;
    const char *complaint; /* what is wrong with the arguments; NULL: nothing so far */
    op_params_t params;
    int nfactors;
    const float *factors;
    int ntensors;
    pd_tensor_t *tensor;
    pd_tensor_t storage[CONSTRUCTOR_MAX_TENSORS];
} constructor_t;

/* Answers the complaint if there is one; otherwise sets *c->out to a handle of the descriptor. */
dnnl_status_t construct(constructor_t *c);

void constructor_init(constructor_t *c, dnnl_primitive_kind_t kind, dnnl_primitive_desc_t *out,
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr);

static inline void constructor_complain(constructor_t *c, const char *complaint) {
    if (!c->complaint) c->complaint = complaint;
}

/* Adds a tensor. md NULL is a complaint. */
void constructor_tensor(
        constructor_t *c, int arg, unsigned flags, const md_t *md, const char *name);
/* Adds a tensor unless md is NULL or the zero descriptor. */
void constructor_optional(constructor_t *c, int arg, unsigned flags, const md_t *md);
#define IN(arg, md) constructor_tensor(&c, arg, PD_IN, md, #md " is NULL")
#define OUT(arg, md) constructor_tensor(&c, arg, PD_OUT, md, #md " is NULL")
#define IN_OPTIONAL(arg, md) constructor_optional(&c, arg, PD_IN, md)
#define OUT_OPTIONAL(arg, md) constructor_optional(&c, arg, PD_OUT, md)

/* Sets the propagation kind, which has to be a forward or a backward one. */
void constructor_forward(constructor_t *c, dnnl_prop_kind_t prop_kind);
void constructor_backward(
        constructor_t *c, dnnl_prop_kind_t prop_kind, const_dnnl_primitive_desc_t hint_fwd);
/* How many spatial dimensions the descriptor has: 0 for NULL and for one that is damaged, which
 * construct() refuses. */
static inline int constructor_spatial(const md_t *md) {
    return md && md->ndims > 2 && md->ndims <= DNNL_MAX_NDIMS ? md->ndims - 2 : 0;
}
/* Copies n values. from NULL: takes the fallback; without a fallback it is a complaint. */
void constructor_dims(constructor_t *c, dnnl_dims_t to, int n, const dnnl_dim_t *from,
        const dnnl_dim_t *fallback, const char *name);

/* Declares and opens a constructor in a function whose parameters have the usual names. */
#define CONSTRUCTOR(kind)                                                                          \
    constructor_t c;                                                                               \
    constructor_init(&c, kind, primitive_desc, engine, attr)

#endif
