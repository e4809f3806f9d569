/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which values are constant in each function for the constants that it is called with,
 * and which blocks are reached: the method is known as sparse conditional constant propagation. */
#include <string.h>

#include "core/alloc.h"
#include "plan/specialise_impl.h"
#include "plan/spirv_form.h"

/* More copies of functions than any module needs. Calls beyond it get copies for any arguments. */
enum { MOST_COPIES = 4096 };

static const value_t varying = {.state = VARYING};

uint32_t specialise_width(const module_parts_t *m, uint32_t type) {
    const uint32_t at = m->places[type].at;
    if (at == NOWHERE) return 0;
    const uint32_t *w = m->words + at;
    return spirv_op(w) == OP_TYPE_BOOL ? 1 : spirv_op(w) == OP_TYPE_INT ? w[2] : 0;
}

static value_t global_value(const module_parts_t *m, const uint32_t *w) {
    const uint32_t op = spirv_op(w), width = specialise_width(m, w[1]);
    if (!width) return varying;
    switch (op) {
    case OP_CONSTANT_TRUE: return (value_t){CONSTANT, 1};
    case OP_CONSTANT_FALSE:
    case OP_CONSTANT_NULL: return (value_t){CONSTANT, 0};
    case OP_SPEC_CONSTANT:
    case OP_CONSTANT: {
        const uint64_t bits = w[3] | (width > 32 ? (uint64_t)w[4] << 32 : 0);
        return (value_t){CONSTANT, width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits};
    }
    default: return varying;
    }
}

value_t specialise_value(const module_parts_t *m, const copy_t *copy, uint32_t id) {
    const place_t *p = &m->places[id];
    if (p->at == NOWHERE) return varying;
    if (p->function == NOWHERE) return global_value(m, m->words + p->at);
    return p->function == copy->function ? copy->values[p->local] : varying;
}

static const uint32_t *terminator(const module_parts_t *m, const block_t *b) {
    return m->words + b->last;
}

/* The label that a switch on a constant goes to. */
static uint32_t switch_label(const uint32_t *w, uint64_t bits) {
    for (uint32_t i = 3; i + 1 < spirv_length(w); i += 2)
        if (w[i] == (uint32_t)bits) return w[i + 1];
    return w[2];
}

bool specialise_may_go(
        const module_parts_t *m, const copy_t *copy, const block_t *from, uint32_t label) {
    const uint32_t *w = terminator(m, from), op = spirv_op(w);
    if (op == OP_BRANCH) return w[1] == label;
    if (op != OP_BRANCH_CONDITIONAL && op != OP_SWITCH) return false;
    const value_t v = specialise_value(m, copy, w[1]);
    if (v.state == UNSEEN) return false;
    if (v.state == CONSTANT)
        return label == (op == OP_SWITCH ? switch_label(w, v.bits) : v.bits ? w[2] : w[3]);
    if (op == OP_BRANCH_CONDITIONAL) return label == w[2] || label == w[3];
    for (uint32_t i = 2; i < spirv_length(w); i += 2)
        if (w[i] == label) return true;
    return false;
}

static bool reach(const module_parts_t *m, copy_t *copy, uint32_t label) {
    uint8_t *reached =
            &copy->is_reached[m->places[label].block - m->functions[copy->function].first_block];
    const bool is_new = !*reached;
    *reached = 1;
    return is_new;
}

/* Marks the blocks behind a terminator. Returns whether one of them was not reached before. */
static bool leave(const module_parts_t *m, copy_t *copy, const block_t *b) {
    const uint32_t *w = terminator(m, b), op = spirv_op(w);
    if (op == OP_BRANCH) return reach(m, copy, w[1]);
    if (op != OP_BRANCH_CONDITIONAL && op != OP_SWITCH) return false;
    bool is_new = false;
    const uint32_t n = op == OP_SWITCH ? spirv_length(w) : 4;
    for (uint32_t i = 2; i < n; i += op == OP_SWITCH ? 2 : 1)
        if (specialise_may_go(m, copy, b, w[i])) is_new |= reach(m, copy, w[i]);
    return is_new;
}

static value_t meet(value_t a, value_t b) {
    if (a.state == UNSEEN) return b;
    if (b.state == UNSEEN) return a;
    return a.state == CONSTANT && b.state == CONSTANT && a.bits == b.bits ? a : varying;
}

static value_t phi(const module_parts_t *m, const copy_t *copy, const uint32_t *w, uint32_t label) {
    value_t v = {.state = UNSEEN};
    const function_t *f = &m->functions[copy->function];
    for (uint32_t i = 3; i + 1 < spirv_length(w); i += 2) {
        const uint32_t block = m->places[w[i + 1]].block;
        if (copy->is_reached[block - f->first_block] &&
                specialise_may_go(m, copy, &m->blocks[block], label))
            v = meet(v, specialise_value(m, copy, w[i]));
    }
    return v;
}

/* What the callee may do is not known if it is imported, or if it calls itself. */
static value_t call(module_parts_t *m, copy_t *copy, const uint32_t *w) {
    for (uint32_t i = 4; i < spirv_length(w); i++)
        if (specialise_value(m, copy, w[i]).state == UNSEEN) return (value_t){.state = UNSEEN};
    const copy_t *callee = specialise_copy(m, copy, w);
    return callee && !callee->is_running ? callee->result : varying;
}

static value_t compute(module_parts_t *m, copy_t *copy, const uint32_t *w, uint32_t label) {
    const uint32_t op = spirv_op(w), n = spirv_length(w), to = specialise_width(m, w[1]);
    if (op == OP_FUNCTION_CALL) return call(m, copy, w);
    if (!to) return varying;
    if (op == OP_PHI) return phi(m, copy, w, label);
    value_t operands[3];
    uint32_t width = 0;
    if (op < OP_U_CONVERT || op > OP_NOT || n < 4 || n > 6) return varying;
    for (uint32_t i = 3; i < n; i++) {
        const place_t *p = &m->places[w[i]];
        width = p->at == NOWHERE ? 0 : specialise_width(m, m->words[p->at + 1]);
        if (!width) return varying;
        operands[i - 3] = specialise_value(m, copy, w[i]);
    }
    if (op != OP_SELECT && n == 5) width = specialise_width(m, m->words[m->places[w[3]].at + 1]);
    return specialise_fold(op, operands, n - 3, width, to);
}

static bool visit_instruction(module_parts_t *m, copy_t *copy, const uint32_t *w, uint32_t label) {
    const spirv_form_t *form = spirv_form(spirv_op(w));
    if (spirv_op(w) == OP_RETURN_VALUE)
        copy->result = meet(copy->result, specialise_value(m, copy, w[1]));
    if (!form || !form->has_result) return false;
    value_t *old = &copy->values[m->places[w[2]].local];
    if (old->state == VARYING && spirv_op(w) != OP_FUNCTION_CALL) return false;
    const value_t v = meet(*old, compute(m, copy, w, label));
    const bool is_new = v.state != old->state;
    *old = v;
    return is_new;
}

static bool visit_block(module_parts_t *m, copy_t *copy, const block_t *b) {
    const uint32_t label = m->words[b->begin + 1];
    bool is_new = false;
    for (uint32_t at = b->begin + 2; at < b->end; at += spirv_length(m->words + at))
        is_new |= visit_instruction(m, copy, m->words + at, label);
    return leave(m, copy, b) || is_new;
}

static void run(module_parts_t *m, copy_t *copy) {
    const function_t *f = &m->functions[copy->function];
    copy->is_running = true;
    copy->is_reached[0] = 1;
    for (bool again = true; again && !m->failed;) {
        again = false;
        for (uint32_t i = 0; i < f->nblocks; i++)
            if (copy->is_reached[i]) again |= visit_block(m, copy, &m->blocks[f->first_block + i]);
    }
    copy->is_running = false;
}

static copy_t *new_copy(module_parts_t *m, uint32_t function, const value_t *arguments) {
    function_t *f = &m->functions[function];
    copy_t *copy = dz_calloc(
            1, sizeof *copy + f->nlocals * (sizeof(value_t) + 1) + f->nblocks * sizeof(uint8_t));
    if (!copy) {
        m->failed = true;
        return NULL;
    }
    copy->function = function;
    copy->values = (value_t *)(void *)(copy + 1);
    copy->is_live = (uint8_t *)(copy->values + f->nlocals);
    copy->is_reached = copy->is_live + f->nlocals;
    copy->next = f->copies;
    f->copies = copy;
    m->ncopies++;
    /* Local 0 is the function itself. */
    copy->values[0] = varying;
    memcpy(copy->values + 1, arguments, f->nparameters * sizeof *arguments);
    if (!f->is_entry && f->nblocks) {
        copy->first_id = m->next_id;
        m->next_id += f->nlocals;
    }
    if (f->nblocks) run(m, copy);
    else copy->result = varying;
    return copy;
}

static copy_t *find_copy(const function_t *f, const value_t *arguments) {
    for (copy_t *copy = f->copies; copy; copy = copy->next) {
        bool is_equal = true;
        for (uint32_t i = 0; i < f->nparameters && is_equal; i++)
            is_equal = copy->values[1 + i].state == arguments[i].state &&
                       copy->values[1 + i].bits == arguments[i].bits;
        if (is_equal) return copy;
    }
    return NULL;
}

enum { MOST_PARAMETERS = 64 };

static copy_t *copy_for(module_parts_t *m, uint32_t function, const value_t *arguments) {
    copy_t *copy = find_copy(&m->functions[function], arguments);
    return copy ? copy : new_copy(m, function, arguments);
}

copy_t *specialise_copy(module_parts_t *m, const copy_t *caller, const uint32_t *call_words) {
    const uint32_t function = m->places[call_words[3]].function, n = spirv_length(call_words) - 4;
    value_t arguments[MOST_PARAMETERS];
    if (function == NOWHERE || n != m->functions[function].nparameters || n > MOST_PARAMETERS) {
        m->failed = true;
        return NULL;
    }
    const function_t *f = &m->functions[function];
    const bool is_known = f->nblocks && !f->is_entry && m->ncopies < MOST_COPIES;
    for (uint32_t i = 0; i < n; i++) {
        const value_t v = specialise_value(m, caller, call_words[4 + i]);
        arguments[i] = is_known && v.state == CONSTANT ? v : varying;
    }
    return copy_for(m, function, arguments);
}

copy_t *specialise_entry(module_parts_t *m, uint32_t function) {
    value_t arguments[MOST_PARAMETERS];
    if (m->functions[function].nparameters > MOST_PARAMETERS) m->failed = true;
    if (m->failed) return NULL;
    for (uint32_t i = 0; i < MOST_PARAMETERS; i++) arguments[i] = varying;
    return copy_for(m, function, arguments);
}
