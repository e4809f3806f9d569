/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/program.h"

#include <string.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/util.h"
#include "graph/device.h"

void program_cut(program_t *program, size_t nsteps) {
    while (program->nsteps > nsteps) {
        step_t *step = &program->steps[--program->nsteps];
        program->noperands -= (size_t)step->noperands;
        dnnl_primitive_destroy(step->primitive);
        dz_free(step->operands);
    }
}

void program_end(program_t *program) {
    program_cut(program, 0);
    for (size_t i = 0; i < program->nowned; i++) dnnl_memory_destroy(program->owned[i]);
    dz_free(program->chunks);
    dz_free(program->steps);
    dz_free(program->owned);
    dz_free(program->pairs);
    dz_free(program->constants.key);
    dz_free(program->constants.inputs);
    *program = (program_t){.engine = program->engine};
}

dnnl_status_t view_md(const view_t *view, md_t *md) {
    if (view->host) return md_init_host_scalar(md, view->dt);
    if (view->layout) return *md = *view->layout, dnnl_success;
    return md_init_strides(md, view->ndims, view->dims, view->dt, view->strides);
}

static void set_dense(view_t *view, dnnl_data_type_t dt, int ndims, const dnnl_dim_t *dims) {
    dnnl_dim_t stride = 1;
    *view = (view_t){.ndims = ndims, .dt = dt};
    for (int d = ndims - 1; d >= 0; d--) {
        view->dims[d] = dims[d];
        view->strides[d] = stride;
        stride *= max_i64(dims[d], 1);
    }
    if (ndims) return;
    view->ndims = 1;
    view->dims[0] = view->strides[0] = 1;
}

dnnl_status_t program_scratch(program_t *program, size_t size, place_t *place) {
    const size_t end = (program->scratch + size + SCRATCH_ALIGNMENT) & ~(size_t)63;
    chunk_t *chunks = dz_realloc(program->chunks, (program->nchunks + 1) * sizeof *chunks);
    if (!chunks) return dnnl_out_of_memory;
    program->chunks = chunks;
    if (size > SIZE_MAX / 2 || end < program->scratch) return dnnl_out_of_memory;
    *place = (place_t){AT_SCRATCH, program->scratch};
    chunks[program->nchunks++] = (chunk_t){program->scratch, size};
    program->scratch = end;
    return dnnl_success;
}

dnnl_status_t program_temporary(
        program_t *program, dnnl_data_type_t dt, int ndims, const dnnl_dim_t *dims, view_t *view) {
    md_t md;
    set_dense(view, dt, ndims, dims);
    TRY(view_md(view, &md));
    return program_scratch(program, md_size(&md, 0), &view->place);
}

static dnnl_status_t add_owned(program_t *program, dnnl_memory_t memory) {
    dnnl_memory_t *owned = dz_realloc(program->owned, (program->nowned + 1) * sizeof *owned);
    if (!owned) return dnnl_out_of_memory;
    program->owned = owned;
    owned[program->nowned++] = memory;
    return dnnl_success;
}

dnnl_status_t program_constant(program_t *program, dnnl_data_type_t dt, int ndims,
        const dnnl_dim_t *dims, const void *data, view_t *view) {
    md_t md;
    dnnl_memory_t memory;
    void *mapped = NULL;
    set_dense(view, dt, ndims, dims);
    TRY(view_md(view, &md));
    TRY(device_memory_create(&memory, &md, program->engine, DNNL_MEMORY_ALLOCATE));
    const dnnl_status_t status = add_owned(program, memory);
    if (status != dnnl_success) {
        dnnl_memory_destroy(memory);
        return status;
    }
    view->place = (place_t){AT_OWNED, program->nowned - 1};
    TRY(dnnl_memory_map_data(memory, &mapped));
    if (mapped) memcpy(mapped, data, md_size(&md, 0));
    return dnnl_memory_unmap_data(memory, mapped);
}

static bool has_arg(const step_t *step, int arg) {
    for (int i = 0; i < step->noperands; i++)
        if (step->operands[i].arg == arg) return true;
    return false;
}

/* Adds an argument that the caller did not give, if the primitive has it. */
static dnnl_status_t add_hidden(program_t *program, step_t *step, const_dnnl_primitive_desc_t desc,
        dnnl_query_t query, int arg) {
    const md_t *md = dnnl_primitive_desc_query_md(desc, query, 0);
    if (!md || md_is_zero(md) || has_arg(step, arg)) return dnnl_success;
    operand_t *operand = &step->operands[step->noperands++];
    program->noperands++;
    operand->arg = arg;
    operand->md = *md;
    if (arg != DNNL_ARG_WORKSPACE) return program_scratch(program, md_size(md, 0), &operand->place);
    if (!program->has_workspace) TRY(program_scratch(program, md_size(md, 0), &program->workspace));
    program->has_workspace = true;
    operand->place = program->workspace;
    return dnnl_success;
}

/* The order of the primitive's own arguments, which its execution need not seek. */
static void sort_operands(step_t *step) {
    for (int i = 1; i < step->noperands; i++) {
        const operand_t operand = step->operands[i];
        const int rank = device_rank(step->primitive, operand.arg);
        int at = i;
        for (; at && device_rank(step->primitive, step->operands[at - 1].arg) > rank; at--)
            step->operands[at] = step->operands[at - 1];
        step->operands[at] = operand;
    }
}

static dnnl_status_t fill_step(program_t *program, step_t *step, const_dnnl_primitive_desc_t desc,
        int nargs, const step_arg_t *args) {
    step->operands = dz_calloc((size_t)nargs + 2, sizeof *step->operands);
    if (!step->operands) return dnnl_out_of_memory;
    for (int i = 0; i < nargs; i++) {
        operand_t *operand = &step->operands[step->noperands++];
        program->noperands++;
        operand->arg = args[i].arg;
        operand->place = args[i].view.place;
        TRY(view_md(&args[i].view, &operand->md));
    }
    TRY(add_hidden(program, step, desc, dnnl_query_scratchpad_md, DNNL_ARG_SCRATCHPAD));
    TRY(add_hidden(program, step, desc, dnnl_query_workspace_md, DNNL_ARG_WORKSPACE));
    TRY(dnnl_primitive_create(&step->primitive, desc));
    sort_operands(step);
    return dnnl_success;
}

dnnl_status_t program_add(
        program_t *program, const_dnnl_primitive_desc_t desc, int nargs, const step_arg_t *args) {
    step_t *steps = dz_realloc(program->steps, (program->nsteps + 1) * sizeof *steps);
    if (!steps) return dnnl_out_of_memory;
    program->steps = steps;
    step_t *step = &steps[program->nsteps++];
    *step = (step_t){0};
    return fill_step(program, step, desc, nargs, args);
}
