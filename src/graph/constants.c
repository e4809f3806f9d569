/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps of a program compute constants, and where their results are. */
#include "graph/constants.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/primitive_desc.h"
#include "graph/cache_key.h"

/* Bytes of the scratchpad. */
typedef struct {
    size_t begin, end;
    size_t at; /* where they are kept; NOWHERE: they stay in the scratchpad */
} part_t;
#define NOWHERE SIZE_MAX

typedef struct {
    program_t *program;
    const ports_t *in;
    part_t *parts; /* that constant steps write, in order */
    size_t nparts;
} marking_t;

static const pd_t *pd_of(const step_t *step) {
    const_dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_get_primitive_desc(step->primitive, &desc);
    return desc->pd;
}

/* PD_IN and PD_OUT. The scratchpad of a primitive is neither. */
static unsigned flags_of(const step_t *step, const operand_t *operand) {
    if (operand->arg == DNNL_ARG_SCRATCHPAD) return 0;
    const pd_t *pd = pd_of(step);
    const int slot = pd_find_arg(pd, operand->arg);
    return slot < 0 ? PD_IN | PD_OUT : pd->args[slot].flags & (PD_IN | PD_OUT);
}

static part_t part_of(const operand_t *operand) {
    const size_t at = operand->place.at;
    return (part_t){at, at + md_size(&operand->md, 0), NOWHERE};
}

static bool overlaps(const part_t *a, const part_t *b) {
    return a->begin < b->end && b->begin < a->end;
}

/* Do constant steps write all of it, as far as anybody writes it? *is_written: somebody does. */
static bool has_constant_writers(const program_t *program, const part_t *part, bool *is_written) {
    *is_written = false;
    for (size_t s = 0; s < program->nsteps; s++) {
        const step_t *step = &program->steps[s];
        for (int i = 0; i < step->noperands; i++) {
            const operand_t *operand = &step->operands[i];
            const part_t other = part_of(operand);
            if (operand->place.kind != AT_SCRATCH || !overlaps(part, &other)) continue;
            if (!(flags_of(step, operand) & PD_OUT)) continue;
            *is_written = true;
            if (!step->constant) return false;
        }
    }
    return true;
}

static bool is_constant_operand(const marking_t *m, const step_t *step, const operand_t *operand) {
    const unsigned flags = flags_of(step, operand);
    const part_t part = part_of(operand);
    bool is_written;
    if (!flags) return true;
    switch (operand->place.kind) {
    case AT_OWNED: return !(flags & PD_OUT);
    case AT_INPUT:
        return !(flags & PD_OUT) &&
               m->in->list[operand->place.at].property == dnnl_graph_tensor_property_constant;
    case AT_SCRATCH: return has_constant_writers(m->program, &part, &is_written) && is_written;
    default: return false;
    }
}

/* A step is constant until an operand is found that is not; others may follow it. */
static void mark_steps(marking_t *m) {
    program_t *program = m->program;
    for (size_t s = 0; s < program->nsteps; s++) program->steps[s].constant = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t s = 0; s < program->nsteps; s++) {
            step_t *step = &program->steps[s];
            const bool was = step->constant;
            for (int i = 0; step->constant && i < step->noperands; i++)
                step->constant = is_constant_operand(m, step, &step->operands[i]);
            changed |= was && !step->constant;
        }
    }
}

static int compare(const void *a, const void *b) {
    const part_t *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool is_used_by(const program_t *program, const part_t *part, bool constant) {
    for (size_t s = 0; s < program->nsteps; s++) {
        const step_t *step = &program->steps[s];
        for (int i = 0; step->constant == constant && i < step->noperands; i++) {
            const part_t other = part_of(&step->operands[i]);
            if (step->operands[i].place.kind == AT_SCRATCH && overlaps(part, &other)) return true;
        }
    }
    return false;
}

/* Lists what constant steps write. Operands that have bytes in common are in one part. */
static dnnl_status_t list_parts(marking_t *m) {
    const program_t *program = m->program;
    bool is_written;
    size_t n = 0;
    m->parts = dz_calloc(program->noperands + 1, sizeof *m->parts);
    if (!m->parts) return dnnl_out_of_memory;
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++) {
            const operand_t *operand = &program->steps[s].operands[i];
            const part_t part = part_of(operand);
            if (operand->place.kind != AT_SCRATCH || part.begin == part.end) continue;
            if (has_constant_writers(program, &part, &is_written) && is_written)
                m->parts[n++] = part;
        }
    qsort(m->parts, n, sizeof *m->parts, compare);
    for (size_t i = 0; i < n; i++) {
        part_t *last = m->nparts ? &m->parts[m->nparts - 1] : NULL;
        if (!last || last->end <= m->parts[i].begin) m->parts[m->nparts++] = m->parts[i];
        else if (last->end < m->parts[i].end) last->end = m->parts[i].end;
    }
    return dnnl_success;
}

/* What only constant steps use stays in the scratchpad. */
static void place_parts(marking_t *m) {
    size_t *size = &m->program->constants.size;
    for (size_t i = 0; i < m->nparts; i++) {
        part_t *part = &m->parts[i];
        if (!is_used_by(m->program, part, false)) continue;
        part->at = *size;
        *size += (part->end - part->begin + SCRATCH_ALIGNMENT - 1) & ~(size_t)63;
    }
}

static void move_operand(const marking_t *m, operand_t *operand) {
    const part_t own = part_of(operand);
    if (operand->place.kind != AT_SCRATCH) return;
    for (size_t i = 0; i < m->nparts; i++) {
        const part_t *part = &m->parts[i];
        if (part->at == NOWHERE || !overlaps(part, &own)) continue;
        operand->place = (place_t){AT_KEPT, part->at + own.begin - part->begin};
        return;
    }
}

/* To what is used still. */
static void shrink_scratch(program_t *program) {
    program->scratch = 0;
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++) {
            const operand_t *operand = &program->steps[s].operands[i];
            const size_t end = (part_of(operand).end + SCRATCH_ALIGNMENT - 1) & ~(size_t)63;
            if (operand->place.kind == AT_SCRATCH && end > program->scratch) program->scratch = end;
        }
}

static dnnl_status_t add_input(constants_t *constants, size_t input) {
    for (size_t i = 0; i < constants->ninputs; i++)
        if (constants->inputs[i] == input) return dnnl_success;
    size_t *inputs = dz_realloc(constants->inputs, (constants->ninputs + 1) * sizeof *inputs);
    if (!inputs) return dnnl_out_of_memory;
    constants->inputs = inputs;
    inputs[constants->ninputs++] = input;
    return dnnl_success;
}

static dnnl_status_t list_inputs(program_t *program) {
    for (size_t s = 0; s < program->nsteps; s++) {
        const step_t *step = &program->steps[s];
        for (int i = 0; step->constant && i < step->noperands; i++)
            if (step->operands[i].place.kind == AT_INPUT)
                TRY(add_input(&program->constants, step->operands[i].place.at));
    }
    return dnnl_success;
}

typedef struct {
    const program_t *program;
    size_t number; /* of the program, whose own memory no other one has */
} keyed_t;

static size_t input_index(const constants_t *constants, size_t input) {
    size_t i = 0;
    while (constants->inputs[i] != input) i++;
    return i;
}

/* Programs for other shapes have the same constants if their constant steps are the same. */
static void put_steps(sink_t *sink, const void *ctx) {
    const keyed_t *keyed = ctx;
    const program_t *program = keyed->program;
    sink_put_number(sink, program->constants.size);
    for (size_t s = 0; s < program->nsteps; s++) {
        const step_t *step = &program->steps[s];
        if (!step->constant) continue;
        sink_put(sink, pd_of(step)->cache_id, PD_CACHE_ID_SIZE);
        for (int i = 0; i < step->noperands; i++) {
            const operand_t *operand = &step->operands[i];
            const bool is_input = operand->place.kind == AT_INPUT;
            if (operand->arg == DNNL_ARG_SCRATCHPAD) continue;
            sink_put_number(sink, (uint64_t)operand->arg);
            sink_put_number(sink, operand->place.kind);
            sink_put_number(sink, is_input ? input_index(&program->constants, operand->place.at)
                                           : operand->place.at);
            if (operand->place.kind == AT_OWNED) sink_put_number(sink, keyed->number);
        }
    }
}

static dnnl_status_t mark(marking_t *m) {
    program_t *program = m->program;
    mark_steps(m);
    TRY(list_parts(m));
    place_parts(m);
    if (!program->constants.size) {
        for (size_t s = 0; s < program->nsteps; s++) program->steps[s].constant = false;
        return dnnl_success;
    }
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++)
            move_operand(m, &program->steps[s].operands[i]);
    shrink_scratch(program);
    TRY(list_inputs(program));
    const keyed_t keyed = {program, graph_next_id()};
    program->constants.key = cache_key_make(put_steps, &keyed);
    return program->constants.key ? dnnl_success : dnnl_out_of_memory;
}

dnnl_status_t constants_mark(program_t *program, const ports_t *in) {
    marking_t m = {.program = program, .in = in};
    const dnnl_status_t status = mark(&m);
    dz_free(m.parts);
    return status;
}
