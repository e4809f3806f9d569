/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the copies of functions that entry points lead to, without what is constant, unused or
 * never reached. */
#include <string.h>

#include "core/alloc.h"
#include "plan/specialise_impl.h"
#include "plan/spirv_form.h"

static void put(buffer_t *b, const uint32_t *words, size_t n) {
    if (b->n + n > b->room) {
        const size_t room = 2 * b->room + n + 256;
        uint32_t *grown = b->failed ? NULL : dz_realloc(b->words, room * sizeof *grown);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->words = grown;
        b->room = room;
    }
    memcpy(b->words + b->n, words, n * sizeof *words);
    b->n += n;
}

static void put_word(buffer_t *b, uint32_t word) {
    put(b, &word, 1);
}

static void note_constant(module_parts_t *m, uint32_t type, uint64_t bits, uint32_t id) {
    if (m->nknown == m->known_room) {
        const uint32_t room = 2 * m->known_room + 64;
        known_t *grown = dz_realloc(m->known, room * sizeof *grown);
        if (!grown) {
            m->failed = true;
            return;
        }
        m->known = grown;
        m->known_room = room;
    }
    m->known[m->nknown++] = (known_t){type, id, bits};
}

/* The identifier of a constant; makes it if there is none. */
static uint32_t constant_id(module_parts_t *m, uint32_t type, uint64_t bits) {
    for (uint32_t i = 0; i < m->nknown; i++)
        if (m->known[i].type == type && m->known[i].bits == bits) return m->known[i].id;
    const uint32_t id = m->next_id++, at = m->places[type].at, width = specialise_width(m, type);
    if (spirv_op(m->words + at) == OP_TYPE_BOOL) {
        const uint32_t w[] = {opening(bits ? OP_CONSTANT_TRUE : OP_CONSTANT_FALSE, 3), type, id};
        put(&m->globals, w, 3);
    } else {
        const uint32_t n = width > 32 ? 5 : 4;
        const uint32_t w[] = {
                opening(OP_CONSTANT, n), type, id, (uint32_t)bits, (uint32_t)(bits >> 32)};
        put(&m->globals, w, n);
    }
    note_constant(m, type, bits, id);
    return id;
}

static uint32_t local_id(const copy_t *copy, uint32_t id, uint32_t local) {
    return copy->first_id ? copy->first_id + local : id;
}

/* The identifier in the output of what has this identifier in the function. */
static uint32_t new_id(module_parts_t *m, const copy_t *copy, uint32_t id) {
    const place_t *p = &m->places[id];
    if (p->at == NOWHERE || p->function != copy->function) return id;
    const value_t v = copy->values[p->local];
    return v.state == CONSTANT && p->block == NOWHERE ? constant_id(m, m->words[p->at + 1], v.bits)
                                                      : local_id(copy, id, p->local);
}

/* Whether a pointer points into a variable of the function. */
static bool is_own_memory(const module_parts_t *m, uint32_t pointer) {
    for (int depth = 0; depth < 16; depth++) {
        const place_t *p = &m->places[pointer];
        if (p->at == NOWHERE || p->function == NOWHERE) return false;
        const uint32_t *w = m->words + p->at;
        if (spirv_op(w) == OP_VARIABLE) return true;
        const bool is_chain = spirv_op(w) >= OP_ACCESS_CHAIN && spirv_op(w) <= OP_LAST_CHAIN;
        if (!is_chain && spirv_op(w) != OP_BITCAST) return false;
        pointer = w[3];
    }
    return false;
}

static bool has_pointer(const module_parts_t *m, const uint32_t *w) {
    for (uint32_t i = 5; i < spirv_length(w); i++) {
        if (!spirv_is_id(spirv_form(OP_EXT_INST), w, i)) continue;
        const place_t *p = &m->places[w[i]];
        if (p->at == NOWHERE) return true;
        const uint32_t type = m->places[m->words[p->at + 1]].at;
        if (type == NOWHERE || spirv_op(m->words + type) == OP_TYPE_POINTER) return true;
    }
    return false;
}

static bool is_pure(module_parts_t *m, copy_t *copy);

/* Whether an instruction does more than to compute its result. */
static bool has_effect(module_parts_t *m, const copy_t *copy, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    const spirv_form_t *form = spirv_form(op);
    if (op == OP_FUNCTION_CALL) {
        copy_t *callee = specialise_copy(m, copy, w);
        return !callee || !is_pure(m, callee);
    }
    if (op == OP_LOAD) return spirv_length(w) > 4 && w[4] & MEMORY_VOLATILE;
    if (op == OP_EXT_INST) return has_pointer(m, w);
    return form && !form->is_pure;
}

/* Terminators and lifetimes have no effect outside. */
static bool has_outer_effect(module_parts_t *m, const copy_t *copy, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op == OP_STORE || op == OP_COPY_MEMORY_SIZED) return !is_own_memory(m, w[1]);
    return op < OP_LOOP_MERGE || op > OP_LIFETIME_STOP ? has_effect(m, copy, w)
                                                       : op == OP_UNREACHABLE;
}

static bool find_effects(module_parts_t *m, const copy_t *copy) {
    const function_t *f = &m->functions[copy->function];
    for (uint32_t i = 0; i < f->nblocks; i++) {
        const block_t *b = &m->blocks[f->first_block + i];
        if (!copy->is_reached[i]) continue;
        for (uint32_t at = b->begin + 2; at < b->end; at += spirv_length(m->words + at))
            if (has_outer_effect(m, copy, m->words + at)) return true;
    }
    return !f->nblocks;
}

static bool is_pure(module_parts_t *m, copy_t *copy) {
    if (copy->effects == NOT_ASKED) {
        copy->effects = NOT_PURE; /* of a function that calls itself */
        if (!find_effects(m, copy)) copy->effects = PURE;
    }
    return copy->effects == PURE;
}

static uint32_t label_of(const module_parts_t *m, const function_t *f, uint32_t block) {
    return m->words[m->blocks[f->first_block + block].begin + 1];
}

static bool is_reached(const module_parts_t *m, const copy_t *copy, uint32_t label) {
    return copy->is_reached[m->places[label].block - m->functions[copy->function].first_block];
}

static bool is_local(const module_parts_t *m, const copy_t *copy, uint32_t id) {
    const place_t *p = &m->places[id];
    return p->at != NOWHERE && p->function == copy->function;
}

/* Whether an instruction is written. */
static bool is_kept(module_parts_t *m, const copy_t *copy, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    const spirv_form_t *form = spirv_form(op);
    if (!form || op == OP_SELECTION_MERGE || op == OP_LOOP_MERGE) return false;
    if (op == OP_LIFETIME_START || op == OP_LIFETIME_STOP)
        return is_local(m, copy, w[1]) && copy->is_live[m->places[w[1]].local];
    if (has_effect(m, copy, w)) return true;
    return form->has_result && copy->is_live[m->places[w[2]].local];
}

static bool mark(const module_parts_t *m, copy_t *copy, uint32_t id) {
    if (!is_local(m, copy, id)) return false;
    const place_t *p = &m->places[id];
    if (copy->is_live[p->local] || copy->values[p->local].state == CONSTANT) return false;
    copy->is_live[p->local] = 1;
    return true;
}

static bool is_edge(const module_parts_t *m, const copy_t *copy, uint32_t from, uint32_t label) {
    return is_reached(m, copy, from) &&
           specialise_may_go(m, copy, &m->blocks[m->places[from].block], label);
}

static bool mark_phi(const module_parts_t *m, copy_t *copy, const uint32_t *w, uint32_t label) {
    bool is_new = false;
    for (uint32_t i = 3; i + 1 < spirv_length(w); i += 2)
        if (is_edge(m, copy, w[i + 1], label)) is_new |= mark(m, copy, w[i]);
    return is_new;
}

static bool mark_operands(const module_parts_t *m, copy_t *copy, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    const spirv_form_t *form = spirv_form(op);
    bool is_new = false;
    if (op == OP_LIFETIME_START || op == OP_LIFETIME_STOP) return false;
    for (uint32_t i = form->has_result ? 3 : 1; i < spirv_length(w); i++)
        if (spirv_is_id(form, w, i)) is_new |= mark(m, copy, w[i]);
    return is_new;
}

static bool mark_block(module_parts_t *m, copy_t *copy, const block_t *b) {
    bool is_new = false;
    for (uint32_t at = b->begin + 2; at < b->end; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at;
        if (!is_kept(m, copy, w)) continue;
        is_new |= spirv_op(w) == OP_PHI ? mark_phi(m, copy, w, m->words[b->begin + 1])
                                        : mark_operands(m, copy, w);
    }
    return is_new;
}

static void mark_live(module_parts_t *m, copy_t *copy) {
    const function_t *f = &m->functions[copy->function];
    for (bool again = true; again && !m->failed;) {
        again = false;
        for (uint32_t i = f->nblocks; i-- > 0;)
            if (copy->is_reached[i]) again |= mark_block(m, copy, &m->blocks[f->first_block + i]);
    }
}

static uint32_t called_id(module_parts_t *m, const copy_t *copy, const uint32_t *w) {
    copy_t *callee = specialise_copy(m, copy, w);
    if (!callee) return 0;
    m->functions[callee->function].is_used = true;
    if (!callee->is_written && m->functions[callee->function].nblocks) {
        callee->is_written = true;
        callee->next_to_write = m->to_write;
        m->to_write = callee;
    }
    return local_id(callee, w[3], 0);
}

static void write_phi(module_parts_t *m, const copy_t *copy, const uint32_t *w, uint32_t label) {
    buffer_t *out = &m->code;
    const size_t at = out->n;
    put(out, (uint32_t[]){0, w[1], local_id(copy, w[2], m->places[w[2]].local)}, 3);
    for (uint32_t i = 3; i + 1 < spirv_length(w); i += 2)
        if (is_edge(m, copy, w[i + 1], label))
            put(out, (uint32_t[]){new_id(m, copy, w[i]), new_id(m, copy, w[i + 1])}, 2);
    if (!out->failed) out->words[at] = opening(OP_PHI, (uint32_t)(out->n - at));
}

static void write_as_is(module_parts_t *m, const copy_t *copy, const uint32_t *w) {
    const spirv_form_t *form = spirv_form(spirv_op(w));
    for (uint32_t i = 0; i < spirv_length(w); i++) {
        uint32_t word = w[i];
        if (i == 2 && form->has_result) word = local_id(copy, w[2], m->places[w[2]].local);
        else if (i == 3 && spirv_op(w) == OP_FUNCTION_CALL) word = called_id(m, copy, w);
        else if (spirv_is_id(form, w, i)) word = new_id(m, copy, w[i]);
        put_word(&m->code, word);
    }
}

/* Writes a terminator that has one target left as a branch. */
static bool write_branch(
        module_parts_t *m, const copy_t *copy, const block_t *b, const uint32_t *w) {
    const uint32_t op = spirv_op(w), step = op == OP_SWITCH ? 2 : 1;
    if (op != OP_BRANCH_CONDITIONAL && op != OP_SWITCH) return false;
    const state_t state = specialise_value(m, copy, w[1]).state;
    if (state == VARYING) return false;
    if (state == UNSEEN) put_word(&m->code, opening(OP_UNREACHABLE, 1));
    for (uint32_t i = 2; i < spirv_length(w) && state == CONSTANT; i += step)
        if (specialise_may_go(m, copy, b, w[i])) {
            put(&m->code, (uint32_t[]){opening(OP_BRANCH, 2), new_id(m, copy, w[i])}, 2);
            break;
        }
    return true;
}

/* The first block of a kind to which block `from` may lead: one in a loop or one outside, other
 * than its header; NOWHERE: none. */
static uint32_t leads_to(const module_parts_t *m, const copy_t *copy, uint32_t from,
        const uint8_t *in, uint8_t kind, uint32_t header) {
    const function_t *f = &m->functions[copy->function];
    const block_t *b = &m->blocks[f->first_block + from];
    uint32_t found = NOWHERE;
    for (uint32_t i = 0, label; (label = spirv_target(m->words + b->last, i)) != 0; i++) {
        const uint32_t to = m->places[label].block - f->first_block;
        if (to != header && in[to] == kind && to < found && specialise_may_go(m, copy, b, label))
            found = to;
    }
    return found;
}

/* Adds blocks from which a loop's end is reached without its beginning, until there are no more.
 * in: of each block of the function. */
static void find_loop(const module_parts_t *m, const copy_t *copy, uint32_t header, uint8_t *in) {
    const function_t *f = &m->functions[copy->function];
    const uint32_t first = m->places[header].block - f->first_block;
    for (uint32_t from = first; from < f->nblocks; from++)
        in[from] = copy->is_reached[from] &&
                   specialise_may_go(m, copy, &m->blocks[f->first_block + from], header);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t from = f->nblocks; from-- > 0;)
            if (!in[from] && copy->is_reached[from] &&
                    leads_to(m, copy, from, in, 1, first) != NOWHERE)
                in[from] = again = 1;
    }
}

/* The label of a block to which a loop is left; 0 if there is no loop any more. */
static uint32_t loop_exit(const module_parts_t *m, const copy_t *copy, uint32_t header) {
    const function_t *f = &m->functions[copy->function];
    uint8_t *in = dz_calloc(f->nblocks, 1);
    uint32_t found = NOWHERE;
    if (!in) return 0;
    find_loop(m, copy, header, in);
    for (uint32_t from = 0; from < f->nblocks; from++) {
        const uint32_t to = in[from] ? leads_to(m, copy, from, in, 0, NOWHERE) : NOWHERE;
        if (to < found) found = to;
    }
    dz_free(in);
    return found == NOWHERE ? 0 : label_of(m, f, found);
}

/* Hints about unrolling name the blocks where a loop is left and repeated. They name another one if
 * the first is gone, and they go with the loop. */
static void write_loop(module_parts_t *m, const copy_t *copy, const block_t *b, const uint32_t *w) {
    const uint32_t exit = loop_exit(m, copy, m->words[b->begin + 1]);
    if (!exit || !is_reached(m, copy, w[2])) return;
    const uint32_t merge = is_reached(m, copy, w[1]) ? w[1] : exit;
    put(&m->code, (uint32_t[]){w[0], new_id(m, copy, merge), new_id(m, copy, w[2])}, 3);
    put(&m->code, w + 3, spirv_length(w) - 3);
}

static void write_instruction(
        module_parts_t *m, const copy_t *copy, const block_t *b, const uint32_t *w) {
    const uint32_t op = spirv_op(w), label = m->words[b->begin + 1];
    if (op == OP_LOOP_MERGE) write_loop(m, copy, b, w);
    if (!is_kept(m, copy, w)) return;
    if (op == OP_PHI) write_phi(m, copy, w, label);
    else if (!write_branch(m, copy, b, w)) write_as_is(m, copy, w);
}

static void write_decorations(module_parts_t *m, const copy_t *copy) {
    const function_t *f = &m->functions[copy->function];
    for (uint32_t at = f->first_decoration; at != NOWHERE; at = m->next_decoration[at]) {
        const uint32_t *w = m->words + at, local = m->places[w[1]].local;
        const bool is_written = local <= f->nparameters || copy->is_live[local];
        if (!is_written || (!local && w[2] == DECORATION_LINKAGE && f->nblocks)) continue;
        put(&m->decorations, (uint32_t[]){w[0], local_id(copy, w[1], local)}, 2);
        put(&m->decorations, w + 2, spirv_length(w) - 2);
    }
}

static void write_copy(module_parts_t *m, copy_t *copy) {
    const function_t *f = &m->functions[copy->function];
    mark_live(m, copy);
    write_decorations(m, copy);
    const uint32_t first = m->blocks[f->first_block].begin;
    for (uint32_t at = f->begin; at < first; at += spirv_length(m->words + at))
        if (spirv_op(m->words + at) != OP_LINE) write_as_is(m, copy, m->words + at);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        const block_t *b = &m->blocks[f->first_block + i];
        if (!copy->is_reached[i]) continue;
        put(&m->code, (uint32_t[]){opening(OP_LABEL, 2), new_id(m, copy, m->words[b->begin + 1])},
                2);
        for (uint32_t at = b->begin + 2; at < b->end; at += spirv_length(m->words + at))
            write_instruction(m, copy, b, m->words + at);
    }
    put_word(&m->code, opening(OP_FUNCTION_END, 1));
}

/* PoCL and Oclgrind tell a kernel's local memory from other variables by its name, "kernel.name".
 * Other names are dropped: drivers would only have to read them. */
static bool is_needed_name(const module_parts_t *m, const uint32_t *w) {
    if (spirv_op(w) != OP_NAME || w[1] >= m->bound) return false;
    const place_t *named = &m->places[w[1]];
    return named->function == NOWHERE && named->at != NOWHERE &&
           spirv_op(m->words + named->at) == OP_VARIABLE;
}

/* Copies what is outside of functions. */
static void write_globals(module_parts_t *m) {
    put(&m->head, m->words, SPIRV_HEADER);
    for (size_t at = SPIRV_HEADER; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w), n = spirv_length(w);
        if (op == OP_FUNCTION) return;
        if (op == OP_MEMBER_NAME || op == OP_LINE || (op == OP_NAME && !is_needed_name(m, w)))
            continue;
        if (op == OP_DECORATE) {
            if (m->places[w[1]].function == NOWHERE && w[2] != DECORATION_SPEC_ID)
                put(&m->decorations, w, n);
        } else if (op == OP_SPEC_CONSTANT) {
            put_word(&m->globals, opening(OP_CONSTANT, n));
            put(&m->globals, w + 1, n - 1);
        } else if (op == OP_MEMBER_DECORATE) put(&m->decorations, w, n);
        else put(op >= OP_TYPE_VOID || op == OP_UNDEF ? &m->globals : &m->head, w, n);
        const value_t v = op >= OP_CONSTANT_TRUE && op <= OP_SPEC_CONSTANT
                                  ? specialise_value(m, NULL, w[2])
                                  : (value_t){.state = VARYING};
        if (v.state == CONSTANT) note_constant(m, w[1], v.bits, w[2]);
    }
}

/* Declarations of imported functions come before the first function. */
static void write_imports(module_parts_t *m) {
    for (uint32_t i = 0; i < m->nfunctions; i++) {
        const function_t *f = &m->functions[i];
        if (f->nblocks || !f->is_used) continue;
        write_decorations(m, f->copies);
        put(&m->globals, m->words + f->begin, f->end - f->begin);
    }
}

void specialise_write(module_parts_t *m) {
    write_globals(m);
    for (uint32_t i = 0; i < m->nfunctions; i++) {
        copy_t *copy = m->functions[i].is_entry ? specialise_entry(m, i) : NULL;
        if (copy) write_copy(m, copy);
    }
    while (m->to_write && !m->failed) {
        copy_t *copy = m->to_write;
        m->to_write = copy->next_to_write;
        write_copy(m, copy);
    }
    write_imports(m);
}
