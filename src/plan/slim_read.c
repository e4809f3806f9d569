/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a kernel reads of the structures that it receives. */
#include "core/alloc.h"
#include "plan/slim_impl.h"

bool slim_is_op(const slim_t *m, uint32_t id, uint32_t op) {
    return id < m->bound && m->places[id] && spirv_op(slim_at(m, id)) == op;
}

bool slim_is_constant(const slim_t *m, uint32_t id, uint32_t *value) {
    if (!slim_is_op(m, id, OP_CONSTANT)) return false;
    const uint32_t *w = slim_at(m, id);
    *value = w[3];
    return spirv_length(w) == 4 || (spirv_length(w) == 5 && !w[4]);
}

int slim_struct_of_type(const slim_t *m, uint32_t type) {
    for (int i = 0; i < m->nstructs; i++)
        if (m->structs[i].type == type) return i;
    return -1;
}

int slim_pointee(const slim_t *m, uint32_t id) {
    if (id >= m->bound || !m->places[id]) return -1;
    const uint32_t type = slim_at(m, id)[1];
    return slim_is_op(m, type, OP_TYPE_POINTER) ? slim_struct_of_type(m, slim_at(m, type)[3]) : -1;
}

void slim_keep_whole(slim_t *m, int s) {
    struct_t *of = &m->structs[s];
    if (of->is_whole) return;
    of->is_whole = true;
    for (int i = of->first; i < of->first + of->n; i++) {
        m->members[i].is_used = true;
        m->members[i].kept = m->members[i].length;
        if (m->members[i].structure >= 0) slim_keep_whole(m, m->members[i].structure);
    }
}

/* Returns the number of a structure, or -1 if there is no room. */
static int add_struct(slim_t *m, uint32_t type) {
    const uint32_t *w = slim_at(m, type);
    const int known = slim_struct_of_type(m, type), n = (int)spirv_length(w) - 2;
    if (known >= 0) return known;
    int nested[MOST_MEMBERS];
    if (n > MOST_MEMBERS) return -1;
    for (int i = 0; i < n; i++) {
        nested[i] = slim_is_op(m, w[2 + i], OP_TYPE_STRUCT) ? add_struct(m, w[2 + i]) : -1;
        if (nested[i] < 0 && slim_is_op(m, w[2 + i], OP_TYPE_STRUCT)) return -1;
    }
    if (m->nstructs == MOST_STRUCTS || m->nmembers + n > MOST_MEMBERS) return -1;
    m->structs[m->nstructs] = (struct_t){.type = type, .first = m->nmembers, .n = n};
    for (int i = 0; i < n; i++) {
        member_t *member = &m->members[m->nmembers++];
        *member = (member_t){.type = w[2 + i], .length = 1, .structure = nested[i]};
        if (slim_is_op(m, member->type, OP_TYPE_ARRAY) &&
                !slim_is_constant(m, slim_at(m, member->type)[3], &member->length))
            return -1;
    }
    return m->nstructs++;
}

static bool read_module(slim_t *m) {
    m->bound = m->next_id = m->words[3];
    m->places = dz_calloc(m->bound, sizeof *m->places);
    m->array_of = dz_calloc(m->bound, sizeof *m->array_of);
    m->inside = dz_calloc(m->bound, sizeof *m->inside);
    m->element = dz_calloc(m->bound, sizeof *m->element);
    m->reach = dz_calloc(m->bound, sizeof *m->reach);
    m->before = dz_calloc(m->bound, sizeof *m->before);
    m->end = dz_calloc(m->bound, sizeof *m->end);
    if (!m->places || !m->array_of || !m->inside || !m->element || !m->reach || !m->before ||
            !m->end)
        return false;
    bool is_entry = false;
    for (size_t i = SPIRV_HEADER; i < m->nwords; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w), id = spirv_result(w);
        if (id && id < m->bound) m->places[id] = (uint32_t)i;
        if (op == OP_ENTRY_POINT) {
            if (m->entry) return false;
            m->entry = w[2];
        }
        if (op == OP_FUNCTION && !m->first_function) m->first_function = i;
        if (op == OP_FUNCTION) is_entry = w[2] == m->entry;
        if (op != OP_FUNCTION_PARAMETER || !is_entry) continue;
        if (m->nparameters == MOST_PARAMETERS) return false;
        m->parameters[m->nparameters++] = w[2];
    }
    return m->entry && m->first_function;
}

static bool find_structs(slim_t *m) {
    for (size_t i = SPIRV_HEADER; i < m->first_function; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i;
        if (spirv_op(w) != OP_DECORATE || w[2] != DECORATION_PARAMETER ||
                w[3] != PARAMETER_BY_VALUE)
            continue;
        for (uint32_t p = 0; p < m->nparameters; p++) {
            if (m->parameters[p] != w[1]) continue;
            const uint32_t type = slim_at(m, slim_at(m, w[1])[1])[3];
            if (!slim_is_op(m, type, OP_TYPE_STRUCT) || add_struct(m, type) < 0) return false;
            m->by_value[p] = true;
        }
    }
    return m->nstructs;
}

/* Structures that other types repeat keep their size, as do those whose places are given. */
static void look_at_types(slim_t *m) {
    for (size_t i = SPIRV_HEADER; i < m->first_function; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w);
        const bool is_placed =
                op == OP_MEMBER_DECORATE || (op == OP_DECORATE && w[2] == DECORATION_C_PACKED);
        const int s = op == OP_TYPE_ARRAY ? slim_struct_of_type(m, w[2])
                      : is_placed         ? slim_struct_of_type(m, w[1])
                                          : -1;
        if (s >= 0) slim_keep_whole(m, s);
    }
}

static void see_target(slim_t *m, uint32_t label) {
    if (label < m->bound) m->before[label] = m->before[label] ? MANY : m->block;
}

/* Finds which blocks lead to which. */
static void look_at_blocks(slim_t *m) {
    for (size_t i = m->first_function; i < m->nwords; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w);
        if (op == OP_LABEL) m->block = w[1];
        if (op < OP_BRANCH || op > OP_UNREACHABLE) continue;
        m->end[m->block] = (uint32_t)i;
        for (uint32_t k = 0, label; (label = spirv_target(w, k)) != 0; k++) see_target(m, label);
    }
}

static uint32_t without_conversion(const slim_t *m, uint32_t id) {
    while (slim_is_op(m, id, OP_S_CONVERT) || slim_is_op(m, id, OP_U_CONVERT))
        id = slim_at(m, id)[3];
    return id;
}

/* Whether a truth value is a comparison of the index with a constant. */
static bool is_compared(const slim_t *m, uint32_t truth, uint32_t op, uint32_t id, uint32_t *with) {
    if (!slim_is_op(m, truth, op)) return false;
    const uint32_t *w = slim_at(m, truth);
    return without_conversion(m, w[3]) == id && slim_is_constant(m, w[4], with) &&
           *with <= INT32_MAX;
}

static bool is_less(const slim_t *m, uint32_t truth, uint32_t id, uint32_t *than) {
    return is_compared(m, truth, OP_S_LESS, id, than) || is_compared(m, truth, OP_U_LESS, id, than);
}

/* The largest value of an index, if this block is reached for values below a constant alone. */
static bool find_guard(const slim_t *m, uint32_t id, uint32_t *most) {
    enum { MOST_STEPS = 16 };
    id = without_conversion(m, id);
    uint32_t block = m->block;
    for (int i = 0; i < MOST_STEPS; i++) {
        const uint32_t before = m->before[block];
        if (!before || before == MANY) return false;
        const uint32_t *w = m->words + m->end[before];
        if (spirv_op(w) == OP_BRANCH_CONDITIONAL && w[2] == block && w[3] != block) {
            if (is_compared(m, w[1], OP_I_EQUAL, id, most)) return true;
            if (is_less(m, w[1], id, most) && (*most)--) return true;
        }
        block = before;
    }
    return false;
}

/* The largest value of an index that counts up to a constant in a loop: that behind the loop. */
static bool find_bound(const slim_t *m, uint32_t id, uint32_t *most) {
    id = without_conversion(m, id);
    if (!slim_is_op(m, id, OP_PHI) || spirv_length(slim_at(m, id)) != 7) return false;
    const uint32_t *phi = slim_at(m, id), *end = m->words + m->nwords;
    uint32_t start, step;
    const int next = slim_is_constant(m, phi[3], &start) ? 5 : 3;
    if (!slim_is_constant(m, phi[8 - next], &start) || !slim_is_op(m, phi[next], OP_I_ADD))
        return false;
    const uint32_t *sum = slim_at(m, phi[next]);
    if (sum[3] != id || !slim_is_constant(m, sum[4], &step) || step != 1 || start > INT32_MAX)
        return false;
    uint32_t behind = 0; /* the block behind the loop */
    for (const uint32_t *w = phi; w < end; w += spirv_length(w)) {
        if (spirv_op(w) == OP_LOOP_MERGE) behind = w[1];
        if (spirv_op(w) < OP_BRANCH || spirv_op(w) > OP_UNREACHABLE) continue;
        if (spirv_op(w) != OP_BRANCH_CONDITIONAL || !behind || w[3] != behind || w[2] == behind ||
                !is_less(m, w[1], id, most))
            return false;
        if (start > *most) *most = start;
        return true;
    }
    return false;
}

/* The largest value of an index in the block that is looked at; false: it is not known. */
static bool find_most(const slim_t *m, uint32_t id, uint32_t *most) {
    return slim_is_constant(m, id, most) || find_guard(m, id, most) || find_bound(m, id, most);
}

/* Operand i of a chain is the index of an array, which has a number from 1. */
static void see_index(slim_t *m, uint16_t array, const uint32_t *w, uint32_t i) {
    member_t *member = &m->members[array - 1];
    uint32_t most;
    m->inside[w[2]] = array;
    m->element[w[2]] =
            slim_is_constant(m, w[i], &most) && i + 1 == spirv_length(w) ? most : NO_ELEMENT;
    if (!find_most(m, w[i], &most)) most = member->length - 1;
    if (most >= member->length) most = member->length - 1;
    if (most >= member->kept) member->kept = most + 1;
}

bool slim_follow(slim_t *m, const uint32_t *w, uint32_t *out) {
    const uint32_t n = spirv_length(w);
    uint32_t i = 4, number;
    if (spirv_op(w) >= OP_PTR_ACCESS_CHAIN && (!slim_is_constant(m, w[i++], &number) || number))
        return false;
    if (m->inside[w[3]]) {
        m->inside[w[2]] = m->inside[w[3]];
        m->element[w[2]] = NO_ELEMENT;
        return true;
    }
    if (m->array_of[w[3]]) {
        if (i == n) return false;
        if (!out) see_index(m, m->array_of[w[3]], w, i);
        return true;
    }
    for (int s = slim_pointee(m, w[3]); i < n; i++) {
        const struct_t *of = &m->structs[s];
        if (!slim_is_constant(m, w[i], &number) || number >= (uint32_t)of->n) return false;
        member_t *member = &m->members[of->first + (int)number];
        if (out && member->new_index) out[i] = member->new_index;
        if (!out) member->is_used = true;
        if (!out) member->index_type = slim_at(m, w[i])[1];
        s = member->structure;
        if (s >= 0) continue;
        const uint16_t array = (uint16_t)(member - m->members + 1);
        const bool is_array = slim_is_op(m, member->type, OP_TYPE_ARRAY);
        if (!is_array) {
            m->inside[w[2]] = array;
            m->element[w[2]] = NO_ELEMENT;
            return true;
        }
        if (i + 1 < n && !out) see_index(m, array, w, i + 1);
        if (i + 1 == n && !out) m->array_of[w[2]] = array;
        if (i + 1 == n && out && member->new_pointer) out[1] = member->new_pointer;
        return true;
    }
    return true;
}

/* ---- pointers that functions are given ---- */

static bool is_given_pointer(const slim_t *m, uint32_t id) {
    if (!slim_is_op(m, id, OP_FUNCTION_PARAMETER)) return false;
    const uint32_t type = slim_at(m, id)[1];
    return slim_is_op(m, type, OP_TYPE_POINTER) && slim_at(m, type)[2] == STORAGE_FUNCTION;
}

static void see_reach(slim_t *m, uint32_t pointer, uint32_t reach) {
    if (reach > m->reach[pointer]) m->reach[pointer] = reach;
}

/* Whether an instruction computes the address of an element of what a function is given. */
static bool is_element(const slim_t *m, const uint32_t *w) {
    return spirv_op(w) == OP_PTR_ACCESS_CHAIN_IN_BOUNDS && spirv_length(w) == 5 &&
           is_given_pointer(m, w[3]);
}

static void see_reaches(slim_t *m) {
    for (size_t i = m->first_function; i < m->nwords; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w);
        const spirv_form_t *form = spirv_form(op);
        uint32_t most;
        if (op == OP_LABEL) m->block = w[1];
        if (!form || op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER) continue;
        if (is_element(m, w)) {
            see_reach(m, w[3], find_most(m, w[4], &most) ? most + 1 : ANY_REACH);
            continue;
        }
        for (uint32_t k = form->has_result ? 3 : 1; k < spirv_length(w); k++) {
            if (!spirv_is_id(form, w, k) || w[k] >= m->bound || !m->places[w[k]]) continue;
            const uint32_t *of = slim_at(m, w[k]);
            if (is_given_pointer(m, w[k])) see_reach(m, w[k], op == OP_LOAD ? 1 : ANY_REACH);
            else if (is_element(m, of) && op != OP_LOAD) see_reach(m, of[3], ANY_REACH);
        }
    }
}

uint32_t slim_parameter(const slim_t *m, const uint32_t *call, uint32_t k) {
    if (!slim_is_op(m, call[3], OP_FUNCTION)) return 0;
    const uint32_t *w = slim_at(m, call[3]);
    uint32_t number = 4, found = 0;
    for (w += spirv_length(w); spirv_op(w) == OP_FUNCTION_PARAMETER; w += spirv_length(w))
        if (number++ == k) found = w[2];
    return spirv_op(w) == OP_LABEL ? found : 0;
}

/* What the function reads of operand k of a call. */
static uint32_t reach_of(const slim_t *m, const uint32_t *call, uint32_t k) {
    const uint32_t parameter = slim_parameter(m, call, k);
    return parameter && is_given_pointer(m, parameter) ? m->reach[parameter] : ANY_REACH;
}

/* ---- uses ---- */

static int struct_of(const slim_t *m, int member) {
    int s = 0;
    while (member >= m->structs[s].first + m->structs[s].n) s++;
    return s;
}

/* A use that is no access chain. From an address that is not only read others may be computed. */
static void see_use(slim_t *m, const uint32_t *w, uint32_t k) {
    const uint32_t op = spirv_op(w), id = w[k];
    const int number = m->array_of[id] ? m->array_of[id] : m->inside[id];
    if (number && (op != OP_LOAD || m->array_of[id])) {
        member_t *member = &m->members[number - 1];
        const uint32_t reach =
                op == OP_FUNCTION_CALL && m->inside[id] ? reach_of(m, w, k) : ANY_REACH;
        if (reach <= member->length && m->element[id] <= member->length - reach) {
            if (member->kept < m->element[id] + reach) member->kept = m->element[id] + reach;
            return;
        }
        member->kept = member->length;
        if (!slim_is_op(m, member->type, OP_TYPE_ARRAY))
            slim_keep_whole(m, struct_of(m, number - 1));
    } else if (!number && op != OP_FUNCTION_CALL && slim_pointee(m, id) >= 0) {
        slim_keep_whole(m, slim_pointee(m, id));
    }
}

bool slim_is_chain(uint32_t op) {
    const bool is_other = op == OP_PTR_ACCESS_CHAIN + 1 || op == OP_PTR_ACCESS_CHAIN + 2;
    return op >= OP_ACCESS_CHAIN && op <= OP_LAST_CHAIN && !is_other;
}

bool slim_is_followed(const slim_t *m, const uint32_t *w) {
    if (!slim_is_chain(spirv_op(w))) return false;
    return m->array_of[w[3]] || m->inside[w[3]] || slim_pointee(m, w[3]) >= 0;
}

static bool look_at_functions(slim_t *m) {
    for (size_t i = m->first_function; i < m->nwords; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i, op = spirv_op(w);
        const spirv_form_t *form = spirv_form(op);
        if (op == OP_LABEL) m->block = w[1];
        if (!form || op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER) continue;
        if (form->has_result && slim_struct_of_type(m, w[1]) >= 0) return false;
        const bool is_base = slim_is_followed(m, w);
        if (is_base && !slim_follow(m, w, NULL)) see_use(m, w, 3);
        for (uint32_t k = form->has_result ? 3 : 1; k < spirv_length(w); k++)
            if (spirv_is_id(form, w, k) && w[k] < m->bound && !(is_base && k == 3))
                see_use(m, w, k);
    }
    return true;
}

/* No structure becomes empty. */
static void keep_one(slim_t *m) {
    for (int s = 0; s < m->nstructs; s++) {
        struct_t *of = &m->structs[s];
        bool is_empty = true;
        for (int i = of->first; i < of->first + of->n; i++) {
            if (m->members[i].is_used) is_empty = false;
            if (!m->members[i].kept) m->members[i].kept = 1;
        }
        if (of->n && is_empty) m->members[of->first].is_used = true;
    }
}

bool slim_read(slim_t *m) {
    if (m->nwords <= SPIRV_HEADER || !read_module(m) || !find_structs(m)) return false;
    look_at_types(m);
    look_at_blocks(m);
    see_reaches(m);
    if (!look_at_functions(m)) return false;
    keep_one(m);
    return true;
}
