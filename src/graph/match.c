/* SPDX-License-Identifier: Apache-2.0 */
/* Finding patterns: depth first, with the longest choice first at each optional item. */
#include <string.h>

#include "core/alloc.h"
#include "graph/pattern.h"

typedef struct {
    const pattern_t *pattern;
    const edges_t *edges;
    const size_t *groups;
    bool *seen;
    size_t *stack;
    size_t first;
    long steps; /* left before the search gives up */
} search_t;

enum { MOST_STEPS = 20000 };

bool match_has(const match_t *match, size_t op) {
    for (size_t i = 0; i < match->nops; i++)
        if (match->ops[i] == op) return true;
    return false;
}

static size_t *name_of(match_t *m, char letter) {
    return &m->names[letter - 'a'];
}

static bool is_permitted(const item_t *item, const op_t *op) {
    return item->kinds[op->kind / 64] >> op->kind % 64 & 1;
}

static const op_t *source_of(const search_t *s, const item_t *item, size_t at) {
    const op_t *op = s->edges->ops[at];
    for (size_t i = 0; i < PATTERN_INPUTS && i < op->in.count; i++) {
        if (item->in[i] == '_' || !item->in[i]) continue;
        const size_t from = s->edges->values[edges_in(s->edges, at, i)].producer.op;
        return from == NOTHING ? NULL : s->edges->ops[from];
    }
    return NULL;
}

static bool fulfils(const search_t *s, const item_t *item, size_t at) {
    for (int i = 0; i < 3 && item->conditions[i]; i++)
        if (!item->conditions[i](s->edges->ops[at], source_of(s, item, at))) return false;
    return true;
}

/* The input that takes the place of input i if two are exchanged. */
static size_t exchanged(const op_t *op, size_t i, bool exchange) {
    const bool last = op->kind == dnnl_graph_op_select;
    if (!exchange || (last ? i == 0 : i > 1)) return i;
    return last ? 3 - i : 1 - i;
}

static bool can_exchange(const op_t *op) {
    switch (op->kind) {
    case dnnl_graph_op_add:
    case dnnl_graph_op_multiply:
    case dnnl_graph_op_maximum:
    case dnnl_graph_op_minimum:
    case dnnl_graph_op_select: return true;
    default: return false;
    }
}

/* Gives the inputs of an operation their names, or compares them with what the names stand for. */
static bool name_inputs(
        const search_t *s, match_t *m, const item_t *item, size_t at, bool exchange) {
    const op_t *op = s->edges->ops[at];
    for (size_t i = 0; i < PATTERN_INPUTS && item->in[i]; i++) {
        if (item->in[i] == '_') continue;
        if (i >= op->in.count) return false;
        const size_t value = edges_in(s->edges, at, exchanged(op, i, exchange));
        size_t *name = name_of(m, item->in[i]);
        if (*name == NOTHING) *name = value;
        if (*name != value) return false;
    }
    return true;
}

static bool is_free(const search_t *s, const match_t *m, const item_t *item, size_t at) {
    return s->groups[at] == NOTHING && is_permitted(item, s->edges->ops[at]) && !match_has(m, at) &&
           fulfils(s, item, at);
}

/* A search that fails leaves the match as it was. */
static bool search(search_t *s, int at, int repeated, match_t *m);

/* Adds an operation to the match and goes on behind it. */
static bool take(search_t *s, int at, int repeated, match_t *m, size_t op) {
    const item_t *item = &s->pattern->items[at];
    const int most = can_exchange(s->edges->ops[op]) ? 2 : 1;
    const size_t nops = m->nops;
    size_t names[PATTERN_NAMES];
    if (!is_free(s, m, item, op) || nops == PATTERN_OPS) return false;
    memcpy(names, m->names, sizeof names);
    for (int exchange = 0; exchange < most; exchange++) {
        if (name_inputs(s, m, item, op, exchange)) {
            if (item->kind == ITEM_CONSUMER && s->edges->ops[op]->out.count)
                *name_of(m, item->out) = edges_out(s->edges, op, 0);
            m->ops[m->nops++] = op;
            if (search(s, at, repeated + 1, m)) return true;
        }
        m->nops = nops;
        memcpy(m->names, names, sizeof names);
    }
    return false;
}

static bool search_consumer(search_t *s, int at, int repeated, match_t *m) {
    const item_t *item = &s->pattern->items[at];
    if (!m->nops) return take(s, at, repeated, m, s->first);
    for (int i = 0; i < PATTERN_INPUTS && item->in[i]; i++) {
        if (item->in[i] == '_' || m->names[item->in[i] - 'a'] == NOTHING) continue;
        const value_t *value = &s->edges->values[m->names[item->in[i] - 'a']];
        for (size_t u = 0; u < value->nuses; u++)
            if (take(s, at, repeated, m, value->uses[u].op)) return true;
        return false;
    }
    return false;
}

/* The producers of all inputs of the operation before. */
static bool search_all(search_t *s, int at, match_t *m) {
    const item_t *item = &s->pattern->items[at];
    const size_t nops = m->nops, op = m->ops[nops - 1];
    bool all = true;
    for (size_t i = 0; all && i < s->edges->ops[op]->in.count; i++) {
        const size_t from = s->edges->values[edges_in(s->edges, op, i)].producer.op;
        all = from != NOTHING && is_free(s, m, item, from) && m->nops < PATTERN_OPS;
        if (all) m->ops[m->nops++] = from;
    }
    if (all && search(s, at + 1, 0, m)) return true;
    m->nops = nops;
    return false;
}

/* The value that the item names: by its letter, or as an input of the operation before. */
static size_t value_of(const search_t *s, const match_t *m, char out) {
    const size_t last = m->nops ? m->ops[m->nops - 1] : NOTHING, input = (size_t)(out - '0');
    if (out > '9') return m->names[out - 'a'];
    return last != NOTHING && input < s->edges->ops[last]->in.count
                   ? edges_in(s->edges, last, input)
                   : NOTHING;
}

static bool search_producer(search_t *s, int at, int repeated, match_t *m) {
    const item_t *item = &s->pattern->items[at];
    if (item->out == '@') return search_all(s, at, m);
    const size_t value = value_of(s, m, item->out);
    if (value == NOTHING) return false;
    const port_t from = s->edges->values[value].producer;
    return from.op != NOTHING && from.port == 0 && take(s, at, repeated, m, from.op);
}

/* Values with consumers inside and outside are only those that an End takes. */
static bool is_closed(const search_t *s, const match_t *m) {
    for (size_t i = 0; i < m->nops; i++)
        for (size_t p = 0; p < s->edges->ops[m->ops[i]]->out.count; p++) {
            const value_t *value = &s->edges->values[edges_out(s->edges, m->ops[i], p)];
            bool ends = false;
            size_t inside = 0;
            for (size_t u = 0; u < value->nuses; u++) {
                const size_t user = value->uses[u].op;
                if (!match_has(m, user)) continue;
                inside++;
                ends |= s->edges->ops[user]->kind == dnnl_graph_op_end;
            }
            if (inside && inside < value->nuses && !ends) return false;
        }
    return true;
}

/* What is left to visit while cycles are looked for. */
typedef struct {
    bool *seen; /* of each operation */
    size_t *stack;
    size_t depth;
} visit_t;

static void push(visit_t *v, size_t op) {
    if (v->seen[op]) return;
    v->seen[op] = true;
    v->stack[v->depth++] = op;
}

/* Operations of one group depend on each other in both directions. */
static void push_group(const search_t *s, visit_t *v, size_t op) {
    push(v, op);
    for (size_t i = 0; s->groups[op] != NOTHING && i < s->edges->nops; i++)
        if (s->groups[i] == s->groups[op]) push(v, i);
}

static void push_users(const search_t *s, visit_t *v, size_t op) {
    for (size_t p = 0; p < s->edges->ops[op]->out.count; p++) {
        const value_t *value = &s->edges->values[edges_out(s->edges, op, p)];
        for (size_t u = 0; u < value->nuses; u++)
            if (!v->seen[value->uses[u].op]) push_group(s, v, value->uses[u].op);
    }
}

/* Does an operation outside depend on the match, and the match on it? */
static bool makes_cycle(const search_t *s, const match_t *m) {
    const size_t n = s->edges->nops;
    visit_t v = {.seen = s->seen, .stack = s->stack};
    memset(v.seen, 0, n * sizeof *v.seen);
    for (size_t i = 0; i < m->nops; i++) v.seen[m->ops[i]] = true;
    for (size_t i = 0; i < m->nops; i++) push_users(s, &v, m->ops[i]);
    while (v.depth) {
        const size_t op = v.stack[--v.depth];
        for (size_t p = 0; p < s->edges->ops[op]->out.count; p++) {
            const value_t *value = &s->edges->values[edges_out(s->edges, op, p)];
            for (size_t u = 0; u < value->nuses; u++)
                if (match_has(m, value->uses[u].op)) return true;
        }
        push_users(s, &v, op);
    }
    return false;
}

static bool search_open(search_t *s, int at, match_t *m) {
    return search(s, at + 1, 0, m) || search(s, s->pattern->items[at].close + 1, 0, m);
}

/* The rest of a pattern, from item `at` on, which was found `repeated` times already. */
static bool search(search_t *s, int at, int repeated, match_t *m) {
    const item_t *item = &s->pattern->items[at];
    if (s->steps-- <= 0) return false;
    if (at == s->pattern->nitems) return is_closed(s, m) && !makes_cycle(s, m);
    switch (item->kind) {
    case ITEM_OPEN: return search_open(s, at, m);
    case ITEM_CLOSE: return search(s, at + 1, 0, m);
    case ITEM_CONSUMER:
        if (repeated < item->most && search_consumer(s, at, repeated, m)) return true;
        break;
    case ITEM_PRODUCER:
        if (repeated < item->most && search_producer(s, at, repeated, m)) return true;
        break;
    }
    if (repeated < item->least) return false;
    return search(s, at + 1, 0, m);
}

bool pattern_match(const pattern_t *pattern, const searched_t *in, size_t first, match_t *match) {
    search_t s = {.pattern = pattern,
            .edges = in->edges,
            .groups = in->groups,
            .seen = in->seen,
            .stack = in->stack,
            .first = first,
            .steps = MOST_STEPS};
    match->nops = 0;
    for (int i = 0; i < PATTERN_NAMES; i++) match->names[i] = NOTHING;
    return search(&s, 0, 0, match);
}

dnnl_status_t searched_make(searched_t *in, const edges_t *edges) {
    *in = (searched_t){.edges = edges};
    in->groups = dz_calloc(edges->nops + 1, sizeof *in->groups);
    in->stack = dz_calloc(edges->nops + 1, sizeof *in->stack);
    in->seen = dz_calloc(edges->nops + 1, sizeof *in->seen);
    for (size_t i = 0; in->groups && i < edges->nops; i++) in->groups[i] = NOTHING;
    if (in->groups && in->stack && in->seen) return dnnl_success;
    searched_end(in);
    return dnnl_out_of_memory;
}

void searched_end(searched_t *in) {
    dz_free(in->groups);
    dz_free(in->stack);
    dz_free(in->seen);
    *in = (searched_t){0};
}
