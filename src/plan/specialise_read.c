/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions, blocks and identifiers of a module. */
#include <string.h>

#include "core/alloc.h"
#include "plan/specialise_impl.h"
#include "plan/spirv_form.h"

/* Instructions outside of functions that are copied. Others make constants of constants. */
static bool is_known_global(uint32_t op) {
    return op < OP_FUNCTION && op != OP_SPEC_CONSTANT - 2 && op != OP_SPEC_CONSTANT - 1 &&
           op <= OP_SPEC_CONSTANT;
}

static bool is_known(const module_parts_t *m, const uint32_t *w, bool is_inside) {
    const uint32_t op = spirv_op(w), n = spirv_length(w);
    if (op == OP_DECORATE && !is_inside) return n > 3 || (n == 3 && w[2] != DECORATION_SPEC_ID);
    if (!is_inside) return is_known_global(op) || op == OP_VARIABLE || op == OP_MEMBER_DECORATE;
    if (op == OP_LABEL || op == OP_LINE || op == OP_FUNCTION_END) return true;
    const spirv_form_t *form = spirv_form(op);
    if (!form || n < (form->has_result ? 3u : 1u)) return false;
    for (uint32_t i = 1; i < n; i++)
        if (spirv_is_id(form, w, i) && (!w[i] || w[i] >= m->bound)) return false;
    return true;
}

static void note_result(module_parts_t *m, uint32_t at, function_t *f) {
    const uint32_t id = spirv_result(m->words + at);
    if (!id) return;
    m->places[id] = (place_t){.at = at, .function = NOWHERE, .block = NOWHERE};
    if (!f) return;
    m->places[id].function = (uint32_t)(f - m->functions);
    m->places[id].local = f->nlocals++;
}

static void begin_function(module_parts_t *m, uint32_t at) {
    m->functions[m->nfunctions++] =
            (function_t){.begin = at, .first_block = m->nblocks, .first_decoration = NOWHERE};
}

static void read_instruction(module_parts_t *m, uint32_t at, function_t *f) {
    const uint32_t *w = m->words + at, op = spirv_op(w), behind = at + spirv_length(w);
    if (op == OP_LABEL) {
        m->places[w[1]].block = m->nblocks;
        m->blocks[m->nblocks++] = (block_t){.begin = at};
        f->nblocks++;
    }
    if (op == OP_FUNCTION_PARAMETER) f->nparameters++;
    if (f->nblocks && op != OP_FUNCTION_END) {
        m->blocks[m->nblocks - 1].last = at;
        m->blocks[m->nblocks - 1].end = behind;
    }
    f->end = behind;
}

static bool read_all(module_parts_t *m) {
    bool is_inside = false;
    for (size_t at = SPIRV_HEADER; at < m->nwords;) {
        const uint32_t *w = m->words + at, n = spirv_length(w), op = spirv_op(w);
        if (!n || n > m->nwords - at) return false;
        if (op == OP_FUNCTION) {
            if (is_inside) return false;
            is_inside = true;
            begin_function(m, (uint32_t)at);
        }
        if (!is_known(m, w, is_inside)) return false;
        const uint32_t id = spirv_result(w);
        if (id >= m->bound) return false;
        function_t *f = is_inside ? &m->functions[m->nfunctions - 1] : NULL;
        note_result(m, (uint32_t)at, f);
        if (f) read_instruction(m, (uint32_t)at, f);
        if (op == OP_FUNCTION_END) is_inside = false;
        at += n;
    }
    return !is_inside;
}

/* Lists decorations of identifiers in functions, and marks entry points. */
static bool read_heads(module_parts_t *m) {
    for (size_t at = SPIRV_HEADER; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w);
        if (op == OP_FUNCTION) break;
        const uint32_t id = op == OP_DECORATE ? w[1] : op == OP_ENTRY_POINT ? w[2] : 0;
        if (!id) continue;
        if (id >= m->bound) return false;
        const uint32_t function = m->places[id].function;
        if (function == NOWHERE) continue;
        function_t *f = &m->functions[function];
        if (op == OP_ENTRY_POINT) {
            f->is_entry = true;
        } else {
            m->next_decoration[at] = f->first_decoration;
            f->first_decoration = (uint32_t)at;
        }
    }
    return true;
}

static void count(module_parts_t *m, uint32_t *functions, uint32_t *blocks) {
    for (size_t at = SPIRV_HEADER; at < m->nwords;) {
        const uint32_t n = spirv_length(m->words + at), op = spirv_op(m->words + at);
        if (!n) return;
        *functions += op == OP_FUNCTION;
        *blocks += op == OP_LABEL;
        at += n;
    }
}

bool specialise_read(module_parts_t *m) {
    uint32_t functions = 0, blocks = 0;
    m->bound = m->next_id = m->words[3];
    if (!m->bound || m->bound > m->nwords) return false;
    count(m, &functions, &blocks);
    m->places = dz_calloc(m->bound, sizeof *m->places);
    m->functions = dz_calloc(functions + 1, sizeof *m->functions);
    m->blocks = dz_calloc(blocks + 1, sizeof *m->blocks);
    m->next_decoration = dz_malloc(m->nwords * sizeof *m->next_decoration);
    if (!m->places || !m->functions || !m->blocks || !m->next_decoration) return false;
    for (uint32_t i = 0; i < m->bound; i++) m->places[i] = (place_t){NOWHERE, NOWHERE, 0, NOWHERE};
    return read_all(m) && read_heads(m);
}
