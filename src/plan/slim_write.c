/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a module whose kernel receives less. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "plan/slim_impl.h"

/* ---- sizes ---- */

typedef struct {
    uint32_t size, alignment; /* bytes; size 0: not known */
} extent_t;

static extent_t extent_of_struct(const slim_t *m, int s, bool is_slim);

static extent_t extent(const slim_t *m, uint32_t type) {
    const uint32_t *w = slim_at(m, type);
    extent_t e = {0, 1};
    uint32_t n;
    switch (spirv_op(w)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT: e.size = e.alignment = w[2] / 8; break;
    case OP_TYPE_POINTER: e.size = e.alignment = 8; break;
    case OP_TYPE_VECTOR:
        e = extent(m, w[2]);
        e.size *= w[3] == 3 ? 4 : w[3];
        e.alignment = e.size;
        break;
    case OP_TYPE_ARRAY:
        e = extent(m, w[2]);
        e.size = slim_is_constant(m, w[3], &n) ? e.size * n : 0;
        break;
    case OP_TYPE_STRUCT:
        for (uint32_t i = 2; i < spirv_length(w); i++) {
            const extent_t member = extent(m, w[i]);
            if (!member.size) return (extent_t){0, 1};
            if (member.alignment > e.alignment) e.alignment = member.alignment;
            e.size = (e.size + member.alignment - 1) / member.alignment * member.alignment +
                     member.size;
        }
        e.size = (e.size + e.alignment - 1) / e.alignment * e.alignment;
        break;
    default: break;
    }
    return e;
}

static extent_t extent_of_member(const slim_t *m, const member_t *member, bool is_slim) {
    if (member->structure >= 0) return extent_of_struct(m, member->structure, is_slim);
    extent_t e = extent(m, member->type);
    if (is_slim) e.size = e.size / member->length * member->kept;
    return e;
}

static uint32_t place(uint32_t *end, extent_t e) {
    const uint32_t begin = (*end + e.alignment - 1) / e.alignment * e.alignment;
    *end = begin + e.size;
    return begin;
}

static extent_t extent_of_struct(const slim_t *m, int s, bool is_slim) {
    const struct_t *of = &m->structs[s];
    extent_t all = {0, 1};
    for (int i = of->first; i < of->first + of->n; i++) {
        if (is_slim && !m->members[i].is_used) continue;
        const extent_t e = extent_of_member(m, &m->members[i], is_slim);
        place(&all.size, e);
        if (e.alignment > all.alignment) all.alignment = e.alignment;
    }
    all.size = (all.size + all.alignment - 1) / all.alignment * all.alignment;
    return all;
}

static bool is_slim(const slim_t *m, int s) {
    const struct_t *of = &m->structs[s];
    for (int i = of->first; i < of->first + of->n; i++) {
        const member_t *member = &m->members[i];
        if (!member->is_used || member->kept < member->length) return true;
        if (member->structure >= 0 && is_slim(m, member->structure)) return true;
    }
    return false;
}

/* ---- the name ---- */

typedef struct {
    char *text;
    size_t n;
    uint32_t from, to, size; /* of the latest piece, which may grow */
    uint32_t end;            /* of the one before: where the next begins unless it is aligned */
    bool is_good;
} pieces_t;

static void put_text(pieces_t *p, const char *format, uint32_t a, uint32_t b, uint32_t c) {
    const int n = snprintf(p->text + p->n, SLIM_NAME_ROOM - p->n, format, a, b, c);
    if (n < 0 || p->n + (size_t)n >= SLIM_NAME_ROOM) p->is_good = false;
    else p->n += (size_t)n;
}

static void end_piece(pieces_t *p) {
    if (!p->size) return;
    const bool is_next = p->to == p->end;
    put_text(p, is_next ? "f%un%u" : "f%un%ut%u", p->from, p->size, p->to);
    p->end = p->to + p->size;
    p->size = 0;
}

static void add_pieces(const slim_t *m, int s, uint32_t from, uint32_t to, pieces_t *p) {
    const struct_t *of = &m->structs[s];
    uint32_t old_end = 0, new_end = 0;
    for (int i = of->first; i < of->first + of->n; i++) {
        const member_t *member = &m->members[i];
        const extent_t was = extent_of_member(m, member, false),
                       is = extent_of_member(m, member, true);
        const uint32_t old_at = from + place(&old_end, was);
        if (!was.size) p->is_good = false;
        if (!member->is_used) continue;
        const uint32_t new_at = to + place(&new_end, is);
        if (member->structure >= 0) {
            add_pieces(m, member->structure, old_at, new_at, p);
        } else if (p->size && old_at == p->from + p->size && new_at == p->to + p->size) {
            p->size += is.size;
        } else {
            end_piece(p);
            p->from = old_at, p->to = new_at, p->size = is.size;
        }
    }
}

/* Writes the kernel's new name. Returns the structure that it has no room for, or -1. */
static int make_name(slim_t *m) {
    pieces_t p = {.text = m->name, .is_good = true};
    m->name[0] = 0;
    for (size_t i = SPIRV_HEADER; i < m->first_function; i += spirv_length(m->words + i))
        if (spirv_op(m->words + i) == OP_ENTRY_POINT) {
            const char *name = (const char *)(m->words + i + 3);
            p.n = strlen(name);
            if (p.n >= SLIM_NAME_ROOM / 2) return 0;
            memcpy(m->name, name, p.n + 1);
        }
    for (uint32_t i = 0; i < m->nparameters; i++) {
        const int s = m->by_value[i] ? slim_pointee(m, m->parameters[i]) : -1;
        if (s < 0 || !is_slim(m, s)) continue;
        p.end = 0;
        put_text(&p, "_a%us%u", i, extent_of_struct(m, s, true).size, 0);
        add_pieces(m, s, 0, 0, &p);
        end_piece(&p);
        if (!p.is_good) return s;
    }
    for (uint32_t i = 0, n; i < m->nparameters; i += n ? n : 1) {
        for (n = 0; i + n < m->nparameters && m->dropped >> (i + n) & 1;) n++;
        if (n) put_text(&p, "_d%un%u", i, n, 0);
    }
    if (p.is_good) return -1;
    m->dropped = 0;
    return make_name(m);
}

/* ---- writing ---- */

static void put(slim_t *m, const uint32_t *words, size_t n) {
    memcpy(m->out + m->nout, words, n * sizeof *words);
    m->nout += n;
}

/* Identifiers of what is new. */
static void number_members(slim_t *m) {
    for (int s = 0; s < m->nstructs; s++) {
        const struct_t *of = &m->structs[s];
        uint32_t index = 0;
        for (int i = 0; i < of->n; i++) {
            member_t *member = &m->members[of->first + i];
            if (!member->is_used) continue;
            member->index = index++;
            if (member->index != (uint32_t)i && member->index_type)
                member->new_index = m->next_id++;
            if (member->kept == member->length) continue;
            member->new_type = m->next_id;
            member->new_pointer = m->next_id + 1;
            m->next_id += 3; /* and the length */
        }
    }
}

static void number_parameters(slim_t *m) {
    for (uint32_t i = 0; i < m->nparameters; i++)
        if (m->dropped >> i & 1) m->nothing[i] = m->next_id++;
    if (m->dropped) m->entry_type = m->next_id++;
}

static void write_struct(slim_t *m, int s) {
    const struct_t *of = &m->structs[s];
    uint32_t w[2 + MOST_MEMBERS] = {0, of->type}, n = 2;
    for (int i = of->first; i < of->first + of->n; i++) {
        const member_t *member = &m->members[i];
        if (!member->is_used) continue;
        w[n++] = member->new_type ? member->new_type : member->type;
        if (!member->new_type) continue;
        const uint32_t *array = slim_at(m, member->type), *length = slim_at(m, array[3]);
        const uint32_t number = member->new_type + 2;
        const uint32_t constant[] = {length[0], length[1], number, member->kept, 0},
                       type[] = {array[0], member->new_type, array[2], number};
        put(m, constant, spirv_length(length));
        put(m, type, 4);
    }
    w[0] = opening(OP_TYPE_STRUCT, n);
    put(m, w, n);
}

static void write_constants(slim_t *m) {
    for (int i = 0; i < m->nmembers; i++) {
        const member_t *member = &m->members[i];
        const uint32_t constant[] = {opening(OP_CONSTANT, 4), member->index_type, member->new_index,
                member->index},
                       pointer[] = {opening(OP_TYPE_POINTER, 4), member->new_pointer,
                               STORAGE_FUNCTION, member->new_type};
        if (member->new_index) put(m, constant, 4);
        if (member->new_pointer) put(m, pointer, 4);
    }
}

/* Finds the type of the kernel without what it never uses, or writes it. */
static void write_entry_type(slim_t *m) {
    const uint32_t *old = slim_at(m, slim_at(m, m->entry)[4]);
    uint32_t type[3 + MOST_PARAMETERS] = {0, m->entry_type, old[2]}, n = 3;
    for (uint32_t i = 0; i < m->nparameters; i++)
        if (!(m->dropped >> i & 1)) type[n++] = old[3 + i];
    type[0] = opening(OP_TYPE_FUNCTION, n);
    for (size_t i = SPIRV_HEADER; i < m->first_function; i += spirv_length(m->words + i)) {
        const uint32_t *w = m->words + i;
        if (w[0] != type[0] || memcmp(w + 2, type + 2, (n - 2) * sizeof *w)) continue;
        m->entry_type = w[1];
        return;
    }
    put(m, type, n);
}

static void write_nothing(slim_t *m) {
    for (uint32_t i = 0; i < m->nparameters; i++) {
        if (!m->nothing[i]) continue;
        const uint32_t id = slim_at(m, m->parameters[i])[1], *type = slim_at(m, id);
        const uint32_t n = spirv_op(type) == OP_TYPE_POINTER ? 3 : type[2] > 32 ? 5 : 4;
        const uint32_t op = n == 3 ? OP_CONSTANT_NULL : OP_CONSTANT;
        put(m, (uint32_t[]){opening(op, n), id, m->nothing[i], 0, 0}, n);
    }
    if (m->dropped) write_entry_type(m);
}

/* The number of a parameter that is dropped, or -1. */
static int dropped_number(const slim_t *m, uint32_t id) {
    if (!m->dropped || !slim_is_op(m, id, OP_FUNCTION_PARAMETER)) return -1;
    for (uint32_t i = 0; i < m->nparameters; i++)
        if (m->parameters[i] == id && m->nothing[i]) return (int)i;
    return -1;
}

/* Whether an instruction is about a parameter that is dropped. */
static bool is_about_dropped(const slim_t *m, const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op == OP_DECORATE || op == OP_NAME) return dropped_number(m, w[1]) >= 0;
    return op == OP_FUNCTION_PARAMETER && dropped_number(m, w[2]) >= 0;
}

/* The instruction that was written last. */
static void replace_dropped(slim_t *m, uint32_t *w) {
    const spirv_form_t *form = spirv_form(spirv_op(w));
    if (spirv_op(w) == OP_FUNCTION && w[2] == m->entry && m->dropped) w[4] = m->entry_type;
    if (!form || !m->dropped || spirv_op(w) == OP_FUNCTION) return;
    for (uint32_t k = form->has_result ? 3 : 1; k < spirv_length(w); k++) {
        const int number = spirv_is_id(form, w, k) ? dropped_number(m, w[k]) : -1;
        if (number >= 0) w[k] = m->nothing[number];
    }
}

/* What was aligned by its place in a structure may have only the alignment of its type now. */
static void align(const slim_t *m, uint32_t *w) {
    if (spirv_op(w) != OP_LOAD || !m->inside[w[3]]) return;
    if (spirv_length(w) < 6 || !(w[4] & MEMORY_ALIGNED)) return;
    const uint32_t alignment = extent(m, w[1]).alignment;
    if (w[5] > alignment) w[5] = alignment;
}

static void write_entry(slim_t *m, const uint32_t *w) {
    const uint32_t old = (uint32_t)strlen((const char *)(w + 3)) / 4 + 1,
                   is = (uint32_t)strlen(m->name) / 4 + 1, rest = spirv_length(w) - 3 - old;
    uint32_t name[SLIM_NAME_ROOM / 4 + 1] = {0};
    memcpy(name, m->name, strlen(m->name));
    put(m, (uint32_t[]){opening(OP_ENTRY_POINT, 3 + is + rest), w[1], w[2]}, 3);
    put(m, name, is);
    put(m, w + 3 + old, rest);
}

static void write_module(slim_t *m) {
    for (size_t i = 0; i < m->nwords;) {
        const uint32_t *w = m->words + i, n = i ? spirv_length(w) : SPIRV_HEADER;
        const uint32_t op = i ? spirv_op(w) : 0;
        const int s = op == OP_TYPE_STRUCT ? slim_struct_of_type(m, w[1]) : -1;
        i += n;
        if (w == m->words + m->first_function) {
            write_constants(m);
            write_nothing(m);
        }
        if (op && is_about_dropped(m, w)) continue;
        if (op == OP_ENTRY_POINT) write_entry(m, w);
        else if (s >= 0) write_struct(m, s);
        else put(m, w, n);
        if (w < m->words + m->first_function) continue;
        if (slim_is_followed(m, w)) slim_follow(m, w, m->out + m->nout - n);
        replace_dropped(m, m->out + m->nout - n);
        align(m, m->out + m->nout - n);
    }
    m->out[3] = m->next_id;
}

void slim_write(slim_t *m) {
    bool is_any = false;
    int long_one;
    while ((long_one = make_name(m)) >= 0 && !m->structs[long_one].is_whole)
        slim_keep_whole(m, long_one);
    if (long_one >= 0) return;
    for (int s = 0; s < m->nstructs; s++) is_any |= is_slim(m, s);
    const size_t room =
            m->nwords + SLIM_NAME_ROOM / 4 + 17 * MOST_MEMBERS + 6 * MOST_PARAMETERS + 3;
    if (is_any || m->dropped) m->out = dz_malloc(room * sizeof *m->out);
    if (!m->out) return;
    number_members(m);
    number_parameters(m);
    write_module(m);
}
