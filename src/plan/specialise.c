/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/specialise.h"

#include <string.h>

#include "core/alloc.h"
#include "plan/specialise_impl.h"
#include "plan/spirv_form.h"

/* Gives specialisation constants their values. */
static void fix_constants(module_parts_t *m, const spec_t *given, int ngiven) {
    for (size_t at = SPIRV_HEADER; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at;
        if (spirv_op(w) != OP_DECORATE || w[2] != DECORATION_SPEC_ID) continue;
        uint32_t *constant = m->words + m->places[w[1]].at;
        for (int i = 0; i < ngiven; i++)
            if (given[i].id == w[3]) constant[3] = given[i].value;
    }
}

/* Only constants of 32 bits are given, and only switches over so many bits are known. */
static bool fits(const module_parts_t *m) {
    for (size_t at = SPIRV_HEADER; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w);
        const uint32_t *of = op == OP_SWITCH && m->places[w[1]].at != NOWHERE
                                     ? m->words + m->places[w[1]].at
                                     : w;
        if ((op == OP_SWITCH || op == OP_SPEC_CONSTANT) && specialise_width(m, of[1]) != 32)
            return false;
        if (op == OP_DECORATE && w[2] == DECORATION_SPEC_ID &&
                (m->places[w[1]].at == NOWHERE ||
                        spirv_op(m->words + m->places[w[1]].at) != OP_SPEC_CONSTANT))
            return false;
    }
    return true;
}

static uint32_t *join(module_parts_t *m, size_t *size) {
    const buffer_t *parts[] = {&m->head, &m->decorations, &m->globals, &m->code};
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        if (parts[i]->failed) m->failed = true;
        n += parts[i]->n;
    }
    uint32_t *out = m->failed ? NULL : dz_malloc(n * sizeof *out);
    if (!out) return NULL;
    *size = n;
    for (int i = 0; i < 4; i++) {
        if (parts[i]->n) memcpy(out + *size - n, parts[i]->words, parts[i]->n * sizeof *out);
        n -= parts[i]->n;
    }
    out[3] = m->next_id;
    return out;
}

static void free_parts(module_parts_t *m) {
    for (uint32_t i = 0; i < m->nfunctions; i++)
        for (copy_t *copy = m->functions[i].copies, *next; copy; copy = next) {
            next = copy->next;
            dz_free(copy);
        }
    void *const all[] = {m->places, m->functions, m->blocks, m->next_decoration, m->known,
            m->head.words, m->decorations.words, m->globals.words, m->code.words};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) dz_free(all[i]);
}

uint32_t *specialise(
        uint32_t *words, size_t nwords, const spec_t *given, int ngiven, size_t *size) {
    module_parts_t m = {.words = words, .nwords = nwords};
    uint32_t *out = NULL;
    if (nwords > SPIRV_HEADER && specialise_read(&m) && fits(&m)) {
        fix_constants(&m, given, ngiven);
        specialise_write(&m);
        out = join(&m, size);
    }
    free_parts(&m);
    return out;
}

bool specialise_finds_barriers(const uint32_t *words, size_t nwords) {
    for (size_t at = SPIRV_HEADER; at < nwords && spirv_length(words + at);
            at += spirv_length(words + at))
        if (spirv_op(words + at) == OP_CONTROL_BARRIER) return true;
    return false;
}
