/* SPDX-License-Identifier: Apache-2.0 */
/* Finds arguments that a kernel never uses. An epilogue is given pointers to eight sources and six
 * numbers of the host. It stores all of them to a structure of its own, and reads few. */
#include "core/alloc.h"
#include "plan/slim_impl.h"

enum {
    MOST_OWN_MEMBERS = 64,
    ALL_MEMBERS = 255, /* the pointer is to the whole structure, in another type */
    STORAGE_GLOBAL = 5
};

/* What is known of structures in variables. */
typedef struct {
    slim_t *m;
    uint32_t *type;  /* of each pointer into such a structure: its type, or 0 */
    uint8_t *member; /* and the member */
    uint64_t *read;  /* of each such type: a bit for each member that is read */
    uint8_t *used;   /* of each parameter of a function */
} own_t;

/* The type of the structure that a value points to, or 0. */
static uint32_t own_struct(const slim_t *m, uint32_t id) {
    if (id >= m->bound || !m->places[id] || spirv_op(slim_at(m, id)) == OP_LABEL) return 0;
    const uint32_t type = slim_at(m, id)[1];
    if (!slim_is_op(m, type, OP_TYPE_POINTER) || slim_at(m, type)[2] != STORAGE_FUNCTION) return 0;
    return slim_is_op(m, slim_at(m, type)[3], OP_TYPE_STRUCT) ? slim_at(m, type)[3] : 0;
}

static void see_read(own_t *own, uint32_t type, uint32_t member) {
    own->read[type] |= member < MOST_OWN_MEMBERS ? UINT64_C(1) << member : UINT64_MAX;
}

static void see_chain(own_t *own, const uint32_t *w) {
    const slim_t *m = own->m;
    const uint32_t n = spirv_length(w);
    uint32_t i = 4, number, type = own_struct(m, w[3]);
    if (own->type[w[3]]) {
        own->type[w[2]] = own->type[w[3]];
        own->member[w[2]] = own->member[w[3]];
        return;
    }
    if (!type) return;
    const bool is_first =
            spirv_op(w) < OP_PTR_ACCESS_CHAIN || (slim_is_constant(m, w[i++], &number) && !number);
    if (is_first && i == n) return;
    if (!is_first || !slim_is_constant(m, w[i], &number) || number >= MOST_OWN_MEMBERS) {
        see_read(own, type, ALL_MEMBERS);
        return;
    }
    own->type[w[2]] = type;
    own->member[w[2]] = (uint8_t)number;
}

static bool is_lifetime(uint32_t op) {
    return op == OP_LIFETIME_START || op == OP_LIFETIME_STOP;
}

/* A use that is no chain of accesses: operand k. */
static void see_own_use(own_t *own, const uint32_t *w, uint32_t k) {
    const slim_t *m = own->m;
    const uint32_t op = spirv_op(w), id = w[k], type = own_struct(m, id);
    if (is_lifetime(op)) return;
    if (own->type[id]) {
        const bool is_written = op == OP_STORE && k == 1 && own->member[id] != ALL_MEMBERS;
        if (!is_written) see_read(own, own->type[id], own->member[id]);
    } else if (type && op == OP_BITCAST) {
        own->type[w[2]] = type;
        own->member[w[2]] = ALL_MEMBERS;
    } else if (type && (op != OP_FUNCTION_CALL || !slim_parameter(m, w, k))) {
        see_read(own, type, ALL_MEMBERS);
    }
}

static void see_structures(own_t *own) {
    const slim_t *m = own->m;
    for (size_t i = m->first_function; i < m->nwords; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w);
        const spirv_form_t *form = spirv_form(op);
        if (!form || op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER) continue;
        if (form->has_result && slim_is_op(m, w[1], OP_TYPE_STRUCT))
            see_read(own, w[1], ALL_MEMBERS);
        const bool is_chain = slim_is_chain(op);
        if (is_chain) see_chain(own, w);
        for (uint32_t k = form->has_result ? 3 : 1; k < spirv_length(w); k++)
            if (spirv_is_id(form, w, k) && w[k] < m->bound && !(is_chain && k == 3))
                see_own_use(own, w, k);
    }
}

static bool is_dead_store(const own_t *own, const uint32_t *w) {
    if (spirv_op(w) != OP_STORE || !own->type[w[1]] || own->member[w[1]] >= MOST_OWN_MEMBERS)
        return false;
    return !(own->read[own->type[w[1]]] >> own->member[w[1]] & 1);
}

/* Returns whether another parameter turned out to be used. */
static bool see_parameters(own_t *own) {
    const slim_t *m = own->m;
    bool is_new = false;
    for (size_t i = m->first_function; i < m->nwords; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w);
        const spirv_form_t *form = spirv_form(op);
        if (!form || op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER) continue;
        for (uint32_t k = form->has_result ? 3 : 1; k < spirv_length(w); k++) {
            if (!spirv_is_id(form, w, k) || !slim_is_op(m, w[k], OP_FUNCTION_PARAMETER)) continue;
            const uint32_t given = op == OP_FUNCTION_CALL ? slim_parameter(m, w, k) : 0;
            const bool is_unused = given ? !own->used[given] : k == 2 && is_dead_store(own, w);
            if (is_unused || own->used[w[k]]) continue;
            own->used[w[k]] = 1;
            is_new = true;
        }
    }
    return is_new;
}

static bool may_drop(const slim_t *m, uint32_t parameter) {
    const uint32_t *type = slim_at(m, slim_at(m, parameter)[1]);
    if (spirv_op(type) == OP_TYPE_POINTER) return type[2] == STORAGE_GLOBAL;
    return spirv_op(type) == OP_TYPE_INT || spirv_op(type) == OP_TYPE_FLOAT;
}

bool slim_find_unused(slim_t *m) {
    own_t own = {.m = m};
    own.type = dz_calloc(m->bound, sizeof *own.type);
    own.member = dz_calloc(m->bound, sizeof *own.member);
    own.read = dz_calloc(m->bound, sizeof *own.read);
    own.used = dz_calloc(m->bound, sizeof *own.used);
    const bool good = own.type && own.member && own.read && own.used;
    if (good) {
        see_structures(&own);
        see_structures(&own); /* a phi may come before the pointer that it takes */
        while (see_parameters(&own)) {
        }
        for (uint32_t i = 0; i < m->nparameters; i++)
            if (!own.used[m->parameters[i]] && may_drop(m, m->parameters[i]))
                m->dropped |= UINT64_C(1) << i;
    }
    dz_free(own.type);
    dz_free(own.member);
    dz_free(own.read);
    dz_free(own.used);
    return good;
}
