/* SPDX-License-Identifier: Apache-2.0 */
/* A SPIR-V module while intel_builtins() rewrites it: what it has, and what is written and added.
 * The instructions of its functions are copied to `out` one by one. Types, constants, declarations
 * and decorations that replacements need are collected and put before them at the end. */
#ifndef PLAN_INTEL_MODULE_H
#define PLAN_INTEL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/spirv_form.h"

enum {
    MOST_ADDED = 6144, /* words of each kind, of which replacements need less than half */
    MOST_NAME = 80,
    MOST_IMPORTS = 64, /* functions of the compiler in a module */
    MOST_VARIABLES = 16,
    MOST_FUNCTIONS = 16,
    MOST_ARGUMENTS = 8
};

typedef struct {
    uint32_t words[MOST_ADDED];
    size_t n;
} added_t;

typedef struct {
    const uint32_t *words;
    size_t nwords, first_extension, first_type, first_function; /* word numbers */
    uint32_t bound, next_id, set; /* set: the identifier of OpenCL.std, or 0 */
    uint32_t *places;             /* of each identifier: its instruction, or 0 */
    bool has_linkage, contracts, has_halves;
    bool is_xe_hpg; /* or later, see intel_module_read() */
    struct {
        char name[MOST_NAME];
        uint32_t id;
    } imports[MOST_IMPORTS];
    int nimports;
    /* Variables that the device sets, with their SPIR-V numbers. */
    struct {
        uint32_t id, number;
    } variables[MOST_VARIABLES];
    int nvariables;
    /* Functions that the module imports and that are replaced: their mangled names. */
    struct {
        uint32_t id;
        const char *name;
    } functions[MOST_FUNCTIONS];
    int nfunctions;
    added_t decorations, globals, declarations;
    uint32_t *out;
    size_t nout, nreplaced;
} module_t;

/* Reads what specialise() has written, so that its instructions are known and lie within it.
 * false: there is no memory, or it has no functions. m->words and m->nwords are set.
 * is_replaced: whether an imported function of this mangled name is replaced. */
bool intel_module_read(module_t *m, uint32_t ip_version, bool (*is_replaced)(const char *name));
/* Moves the functions in m->out behind what comes before them. */
void intel_module_finish(module_t *m);

void module_put(module_t *m, const uint32_t *words, size_t n);
void module_decorate(module_t *m, const uint32_t *words, size_t n);

/* ---- types and constants, which are added if the module does not have them ---- */

/* n: of its words; the second, its identifier, is set. */
uint32_t module_type(module_t *m, uint32_t *type, uint32_t n);
/* v: none; i, f: 32 bits; h: a float of 16 bits; l: an integer of 64 bits; b: bool */
uint32_t module_simple_type(module_t *m, char letter);
/* The type itself for one component. */
uint32_t module_vector_type(module_t *m, uint32_t component, uint32_t n);
uint32_t module_real(module_t *m, float value);
uint32_t module_whole(module_t *m, uint32_t value);

/* ---- what the module has ---- */

static inline const uint32_t *module_at(const module_t *m, uint32_t id) {
    return m->words + m->places[id];
}
/* The type of a value of the module. Constants and instructions have it in the same place. */
static inline uint32_t module_type_of(const module_t *m, uint32_t id) {
    return module_at(m, id)[1];
}
bool module_is_type(const module_t *m, uint32_t type, char letter); /* i or f */
static inline uint32_t module_count(const module_t *m, uint32_t type) {
    const uint32_t *w = module_at(m, type);
    return spirv_op(w) == OP_TYPE_VECTOR ? w[3] : 1;
}
static inline uint32_t module_component(const module_t *m, uint32_t type) {
    const uint32_t *w = module_at(m, type);
    return spirv_op(w) == OP_TYPE_VECTOR ? w[2] : type;
}
bool module_is_constant(const module_t *m, uint32_t id, uint32_t value); /* of 32 bits */
bool module_is_zero(const module_t *m, uint32_t id);
/* The mangled name of an imported function that is replaced; NULL: another identifier. */
const char *module_replaced(const module_t *m, uint32_t id);

/* ---- instructions; a result of 0 is a new one, and all return it ---- */

uint32_t module_put_one(module_t *m, uint32_t op, uint32_t type, uint32_t result, uint32_t a);
uint32_t module_put_two(
        module_t *m, uint32_t op, uint32_t type, uint32_t result, uint32_t a, uint32_t b);
/* Calls a function of the compiler. types: of the result and of n arguments. 0: there are too many
 * functions. */
uint32_t module_put_call(module_t *m, const char *name, const uint32_t *types, uint32_t result,
        const uint32_t *arguments, uint32_t n);
/* The pointer to a value of this type, `offset` values behind a pointer of the module. Both are
 * identifiers of the module; an offset of 0 is none. */
uint32_t module_put_pointer(module_t *m, uint32_t base, uint32_t offset, uint32_t type);

#endif
