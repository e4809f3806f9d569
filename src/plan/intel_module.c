/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/intel_module.h"

#include <string.h>

#include "core/alloc.h"

enum { LINKAGE_IMPORT = 1, CAPABILITY_LINKAGE = 5, CAPABILITY_HALF = 9 };
enum { CAPABILITY_FAST_MATH = 5837 }; /* SPV_INTEL_fp_fast_math_mode */

/* ---- reading ---- */

static void read_decoration(module_t *m, const uint32_t *w, bool (*is_replaced)(const char *name)) {
    if (w[2] == DECORATION_BUILTIN && m->nvariables < MOST_VARIABLES) {
        m->variables[m->nvariables].id = w[1];
        m->variables[m->nvariables++].number = w[3];
    }
    if (w[2] == DECORATION_LINKAGE && w[spirv_length(w) - 1] == LINKAGE_IMPORT &&
            is_replaced((const char *)(w + 3)) && m->nfunctions < MOST_FUNCTIONS) {
        m->functions[m->nfunctions].id = w[1];
        m->functions[m->nfunctions++].name = (const char *)(w + 3);
    }
}

bool intel_module_read(module_t *m, uint32_t ip_version, bool (*is_replaced)(const char *name)) {
    m->is_xe_hpg = ip_version >= (12u << 22 | 55u << 14);
    m->bound = m->next_id = m->words[3];
    m->places = dz_calloc(m->bound, sizeof *m->places);
    if (!m->places) return false;
    for (size_t at = SPIRV_HEADER; at < m->nwords; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w), id = spirv_result(w);
        if (id && id < m->bound) m->places[id] = (uint32_t)at;
        if (op == OP_CAPABILITY && w[1] == CAPABILITY_LINKAGE) m->has_linkage = true;
        if (op == OP_EXT_INST_IMPORT && !strcmp((const char *)(w + 2), "OpenCL.std")) m->set = w[1];
        if (op == OP_DECORATE) read_decoration(m, w, is_replaced);
        if (op != OP_CAPABILITY && !m->first_extension) m->first_extension = at;
        if (op >= OP_TYPE_VOID && op < OP_DECORATE && !m->first_type) m->first_type = at;
        if (op == OP_FUNCTION && !m->first_function) m->first_function = at;
    }
    return m->has_linkage && m->first_type && m->first_function;
}

bool module_is_type(const module_t *m, uint32_t type, char letter) {
    const uint32_t *w = module_at(m, type);
    return spirv_op(w) == (letter == 'f' ? OP_TYPE_FLOAT : OP_TYPE_INT) && w[2] == 32;
}

bool module_is_constant(const module_t *m, uint32_t id, uint32_t value) {
    const uint32_t *w = module_at(m, id);
    return w[0] == opening(OP_CONSTANT, 4) && w[3] == value;
}

bool module_is_zero(const module_t *m, uint32_t id) {
    const uint32_t *w = module_at(m, id);
    if (spirv_op(w) != OP_CONSTANT) return spirv_op(w) == OP_CONSTANT_NULL;
    for (uint32_t i = 3; i < spirv_length(w); i++)
        if (w[i]) return false;
    return true;
}

/* ---- types and constants ---- */

static void add(added_t *to, const uint32_t *words, size_t n) {
    memcpy(to->words + to->n, words, n * sizeof *words);
    to->n += n;
}

static uint32_t find_type(
        const uint32_t *words, size_t from, size_t until, const uint32_t *wanted, uint32_t n) {
    for (size_t at = from; at < until; at += spirv_length(words + at))
        if (words[at] == wanted[0] &&
                (n == 2 || !memcmp(words + at + 2, wanted + 2, (n - 2) * sizeof *wanted)))
            return words[at + 1];
    return 0;
}

uint32_t module_type(module_t *m, uint32_t *type, uint32_t n) {
    uint32_t id = find_type(m->words, m->first_type, m->first_function, type, n);
    if (!id) id = find_type(m->globals.words, 0, m->globals.n, type, n);
    if (!id) {
        id = type[1] = m->next_id++;
        add(&m->globals, type, n);
    }
    return id;
}

uint32_t module_simple_type(module_t *m, char letter) {
    const uint32_t bits = letter == 'h' ? 16 : letter == 'l' ? 64 : 32;
    uint32_t none[] = {opening(OP_TYPE_VOID, 2), 0}, truth[] = {opening(OP_TYPE_BOOL, 2), 0},
             real[] = {opening(OP_TYPE_FLOAT, 3), 0, bits},
             whole[] = {opening(OP_TYPE_INT, 4), 0, bits, 0};
    return letter == 'v'                    ? module_type(m, none, 2)
           : letter == 'b'                  ? module_type(m, truth, 2)
           : letter == 'f' || letter == 'h' ? module_type(m, real, 3)
                                            : module_type(m, whole, 4);
}

uint32_t module_vector_type(module_t *m, uint32_t component, uint32_t n) {
    uint32_t vector[] = {opening(OP_TYPE_VECTOR, 4), 0, component, n};
    return n == 1 ? component : module_type(m, vector, 4);
}

static uint32_t constant(module_t *m, char type, uint32_t bits) {
    const uint32_t words[] = {
            opening(OP_CONSTANT, 4), module_simple_type(m, type), m->next_id, bits};
    const added_t *added = &m->globals;
    for (size_t at = 0; at < added->n; at += spirv_length(added->words + at)) {
        const uint32_t *w = added->words + at;
        if (w[0] == words[0] && w[1] == words[1] && w[3] == words[3]) return w[2];
    }
    add(&m->globals, words, 4);
    return m->next_id++;
}

uint32_t module_real(module_t *m, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return constant(m, 'f', bits);
}

uint32_t module_whole(module_t *m, uint32_t value) {
    return constant(m, 'i', value);
}

/* ---- instructions ---- */

void module_put(module_t *m, const uint32_t *words, size_t n) {
    memcpy(m->out + m->nout, words, n * sizeof *words);
    m->nout += n;
}

void module_decorate(module_t *m, const uint32_t *words, size_t n) {
    add(&m->decorations, words, n);
}

uint32_t module_put_one(module_t *m, uint32_t op, uint32_t type, uint32_t result, uint32_t a) {
    if (!result) result = m->next_id++;
    module_put(m, (uint32_t[]){opening(op, 4), type, result, a}, 4);
    return result;
}

uint32_t module_put_two(
        module_t *m, uint32_t op, uint32_t type, uint32_t result, uint32_t a, uint32_t b) {
    if (!result) result = m->next_id++;
    module_put(m, (uint32_t[]){opening(op, 5), type, result, a, b}, 5);
    return result;
}

static uint32_t declare(module_t *m, const char *name, const uint32_t *types, uint32_t n) {
    uint32_t type[3 + MOST_ARGUMENTS] = {opening(OP_TYPE_FUNCTION, 3 + n)};
    memcpy(type + 2, types, (n + 1) * sizeof *types);
    const uint32_t function_type = module_type(m, type, 3 + n), id = m->next_id++;
    added_t *to = &m->declarations;
    add(to, (uint32_t[]){opening(OP_FUNCTION, 5), types[0], id, 0, function_type}, 5);
    for (uint32_t i = 1; i <= n; i++)
        add(to, (uint32_t[]){opening(OP_FUNCTION_PARAMETER, 3), types[i], m->next_id++}, 3);
    add(to, (uint32_t[]){opening(OP_FUNCTION_END, 1)}, 1);

    const uint32_t name_words = (uint32_t)strlen(name) / 4 + 1;
    uint32_t text[MOST_NAME / 4] = {0};
    memcpy(text, name, strlen(name));
    module_decorate(
            m, (uint32_t[]){opening(OP_DECORATE, 4 + name_words), id, DECORATION_LINKAGE}, 3);
    module_decorate(m, text, name_words);
    module_decorate(m, (uint32_t[]){LINKAGE_IMPORT}, 1);
    return id;
}

uint32_t module_put_call(module_t *m, const char *name, const uint32_t *types, uint32_t result,
        const uint32_t *arguments, uint32_t n) {
    int i = 0;
    while (i < m->nimports && strcmp(m->imports[i].name, name)) i++;
    if (i == MOST_IMPORTS) return 0;
    if (i == m->nimports) {
        strcpy(m->imports[i].name, name);
        m->imports[m->nimports++].id = declare(m, name, types, n);
    }
    if (!result) result = m->next_id++;
    module_put(m, (uint32_t[]){opening(OP_FUNCTION_CALL, 4 + n), types[0], result}, 3);
    module_put(m, &m->imports[i].id, 1);
    if (n) module_put(m, arguments, n);
    return result;
}

uint32_t module_put_pointer(module_t *m, uint32_t base, uint32_t offset, uint32_t type) {
    const uint32_t *given = module_at(m, module_type_of(m, base));
    uint32_t pointer[] = {opening(OP_TYPE_POINTER, 4), 0, given[2], type}, at = base;
    const uint32_t pointer_type = module_type(m, pointer, 4);
    if (given[3] != type) at = module_put_one(m, OP_BITCAST, pointer_type, 0, base);
    if (!offset || module_is_zero(m, offset)) return at;
    return module_put_two(m, OP_LAST_CHAIN, pointer_type, 0, at, offset);
}

/* ---- writing ---- */

const char *module_replaced(const module_t *m, uint32_t id) {
    for (int i = 0; i < m->nfunctions; i++)
        if (m->functions[i].id == id) return m->functions[i].name;
    return NULL;
}

/* Copies names and decorations without those of functions that are gone. */
static void put_decorations(module_t *m) {
    for (size_t at = m->first_extension; at < m->first_type; at += spirv_length(m->words + at)) {
        const uint32_t *w = m->words + at, op = spirv_op(w);
        if ((op != OP_NAME && op != OP_DECORATE) || !module_replaced(m, w[1]))
            module_put(m, w, spirv_length(w));
    }
}

void intel_module_finish(module_t *m) {
    static const char name[] = "SPV_INTEL_fp_fast_math_mode";
    uint32_t extension[3 + sizeof name / 4] = {opening(OP_CAPABILITY, 2), CAPABILITY_FAST_MATH,
            opening(OP_EXTENSION, 1 + sizeof name / 4)};
    memcpy(extension + 3, name, sizeof name);
    const uint32_t halves[] = {opening(OP_CAPABILITY, 2), CAPABILITY_HALF};
    const size_t most = sizeof extension + sizeof halves;
    const size_t head = most / sizeof(uint32_t) + m->first_function + m->decorations.n +
                        m->globals.n + m->declarations.n;
    uint32_t *functions = m->out + head;
    const size_t nwords = m->nout;
    memmove(functions, m->out, nwords * sizeof *functions);
    m->nout = 0;
    module_put(m, m->words, m->first_extension);
    if (m->has_halves) module_put(m, halves, sizeof halves / sizeof *halves);
    if (m->contracts) module_put(m, extension, sizeof extension / sizeof *extension);
    put_decorations(m);
    module_put(m, m->decorations.words, m->decorations.n);
    module_put(m, m->words + m->first_type, m->first_function - m->first_type);
    module_put(m, m->globals.words, m->globals.n);
    module_put(m, m->declarations.words, m->declarations.n);
    memmove(m->out + m->nout, functions, nwords * sizeof *functions);
    m->nout += nwords;
    m->out[3] = m->next_id;
}
