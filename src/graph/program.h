/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: the primitives of a compiled partition in order, and where their tensors are. Nothing
 * changes a program once it is finished. */
#ifndef GRAPH_PROGRAM_H
#define GRAPH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/memory_desc.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_graph_types.h"

struct cache_key;

typedef enum {
    AT_INPUT,   /* tensor number `at` of the inputs */
    AT_OUTPUT,  /* of the outputs */
    AT_SCRATCH, /* `at` bytes behind the start of the scratchpad */
    AT_KEPT,    /* `at` bytes behind the start of the constants that are kept */
    AT_OWNED,   /* memory number `at` of the program, constant since it was built */
} place_kind_t;

typedef struct {
    place_kind_t kind;
    size_t at;
} place_t;

/* A tensor: part of a place, by strides. */
typedef struct {
    int ndims; /* at least 1, unless it is a host scalar */
    dnnl_dims_t dims, strides;
    dnnl_data_type_t dt;
    place_t place;
    bool host;          /* one value in host memory */
    const md_t *layout; /* NULL: by the strides. Not owned */
} view_t;

typedef struct {
    int arg;
    place_t place;
    md_t md;
} operand_t;

typedef struct {
    dnnl_primitive_t primitive;
    int noperands;
    operand_t *operands;
    bool constant; /* it computes constants that are kept: once for all executions */
} step_t;

/* What a program computes from constant inputs, and keeps between executions. */
typedef struct {
    size_t size;           /* bytes; 0: nothing is kept */
    struct cache_key *key; /* of the steps; owned */
    size_t *inputs;        /* numbers of the inputs that they read; owned */
    size_t ninputs;
} constants_t;

enum { SCRATCH_ALIGNMENT = 64 }; /* bytes: a cache line */

/* A part of the scratchpad. */
typedef struct {
    size_t at, size;
} chunk_t;

typedef struct program {
    dnnl_engine_t engine; /* the program's user keeps it alive */
    step_t *steps;
    size_t nsteps, noperands;
    dnnl_memory_t *owned;
    size_t nowned;
    size_t scratch;  /* bytes */
    chunk_t *chunks; /* until the program is finished: parts of it, in order */
    size_t nchunks;
    /* The workspace of the operation that is lowered: its first step writes it, others read it. */
    place_t workspace;
    bool has_workspace;
    constants_t constants;
    dnnl_graph_inplace_pair_t *pairs; /* owned */
    size_t npairs;
} program_t;

void program_end(program_t *program); /* frees what it owns */

/* A new part of the scratchpad. */
dnnl_status_t program_scratch(program_t *program, size_t size, place_t *place);
/* Moves the parts of the scratchpad together: parts that are not used at the same time may have the
 * same bytes. Adds room to align the whole. */
dnnl_status_t program_finish(program_t *program);
/* Takes back all steps from number `nsteps` on. */
void program_cut(program_t *program, size_t nsteps);

dnnl_status_t view_md(const view_t *view, md_t *md);
/* A row-major tensor in a new part of the scratchpad. */
dnnl_status_t program_temporary(
        program_t *program, dnnl_data_type_t dt, int ndims, const dnnl_dim_t *dims, view_t *view);
/* A row-major tensor in memory of the program, with data from host memory. */
dnnl_status_t program_constant(program_t *program, dnnl_data_type_t dt, int ndims,
        const dnnl_dim_t *dims, const void *data, view_t *view);

typedef struct {
    int arg;
    view_t view;
} step_arg_t;
/* Appends the primitive of a descriptor. Arguments that it lacks among `args` and that are a
 * scratchpad or a workspace get a part of the program's scratchpad. */
dnnl_status_t program_add(
        program_t *program, const_dnnl_primitive_desc_t desc, int nargs, const step_arg_t *args);

#endif
