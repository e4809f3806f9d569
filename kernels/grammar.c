/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "plan/packed.h"

enum {
    FIRST = GRAMMAR_BYTES, /* of the symbols that are pairs */
    FREQUENT = 2,          /* a pair that occurs so often becomes a symbol */
    MOST_PAIRS = 1 << 22
};
#define BETWEEN UINT32_MAX /* stands behind each text, and belongs to no pair */

/* What replaces a pair of neighbours. */
typedef struct {
    uint32_t part[2];
    uint32_t uses, bytes, depth;
    uint32_t length; /* symbols, if it is a rule */
    uint32_t at;     /* the rule's first symbol, or the number of the phrase, once it is placed */
    bool placed;
} rule_t;

typedef struct {
    rule_t *rules; /* of the symbols from FIRST on */
    uint32_t nrules;
    uint32_t *symbols; /* of the texts, with BETWEEN behind each */
    uint32_t n;
    rule_t **order; /* rules, in the order of their places */
    uint32_t norder, placed, nphrases;
} work_t;

/* How often each pair occurs, and its symbol if it gets one. */
typedef struct {
    uint32_t a, b, count, symbol;
} pair_t;

typedef struct {
    pair_t *pairs;
    uint32_t room, n; /* a power of two; pairs */
} table_t;

static pair_t *find(const table_t *table, uint32_t a, uint32_t b) {
    uint32_t at = (a * 0x9E3779B1u ^ b) * 0x85EBCA6Bu;
    for (at ^= at >> 15;; at++) {
        pair_t *pair = &table->pairs[at & (table->room - 1)];
        if (!pair->count || (pair->a == a && pair->b == b)) return pair;
    }
}

static bool grow(table_t *table) {
    const table_t old = *table;
    table->room = old.room ? 2 * old.room : 1 << 16;
    table->pairs = calloc(table->room, sizeof *table->pairs);
    for (uint32_t i = 0; table->pairs && i < old.room; i++)
        if (old.pairs[i].count) *find(table, old.pairs[i].a, old.pairs[i].b) = old.pairs[i];
    free(old.pairs);
    return table->pairs != NULL;
}

/* Counts all pairs. The middle of a run of equal symbols counts every other time. */
static bool count(table_t *table, const uint32_t *symbols, uint32_t n) {
    memset(table->pairs, 0, table->room * sizeof *table->pairs);
    table->n = 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        const uint32_t a = symbols[i], b = symbols[i + 1];
        if (a == BETWEEN || b == BETWEEN) continue;
        if (2 * table->n >= table->room && !grow(table)) return false;
        pair_t *pair = find(table, a, b);
        table->n += !pair->count;
        *pair = (pair_t){a, b, pair->count + 1, 0};
        if (a == b && i + 2 < n && symbols[i + 2] == b) i++;
    }
    return true;
}

static int by_count(const void *a, const void *b) {
    const pair_t *x = *(pair_t *const *)a, *y = *(pair_t *const *)b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Makes rules of the pairs that occur `least` times or more, the most frequent first. Pairs of one
 * round do not overlap: in them a symbol is either the first or the second. */
static bool make_rules(work_t *w, table_t *table, uint32_t least) {
    enum { EITHER, BEGINS, ENDS };
    uint8_t *role = calloc(FIRST + w->nrules, 1);
    pair_t **pairs = malloc((table->n + 1) * sizeof *pairs);
    uint32_t n = 0;
    for (uint32_t i = 0; pairs && i < table->room; i++)
        if (table->pairs[i].count >= least) pairs[n++] = &table->pairs[i];
    if (pairs) qsort(pairs, n, sizeof *pairs, by_count);
    for (uint32_t i = 0; role && pairs && i < n && w->nrules < MOST_PAIRS; i++) {
        const uint32_t a = pairs[i]->a, b = pairs[i]->b;
        if (role[a] == ENDS || role[b] == BEGINS || (a == b && role[a] != EITHER)) continue;
        role[a] = BEGINS;
        role[b] = ENDS;
        w->rules[w->nrules] = (rule_t){.part = {a, b}};
        pairs[i]->symbol = FIRST + w->nrules++;
    }
    const bool good = role && pairs;
    free(role);
    free(pairs);
    return good;
}

static uint32_t replace(const table_t *table, uint32_t *symbols, uint32_t n) {
    uint32_t made = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = symbols[i], b = i + 1 < n ? symbols[i + 1] : BETWEEN;
        const pair_t *pair = a == BETWEEN || b == BETWEEN ? NULL : find(table, a, b);
        const bool is_rule = pair && pair->symbol;
        symbols[made++] = is_rule ? pair->symbol : a;
        i += is_rule;
    }
    return made;
}

static uint32_t most(const table_t *table) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < table->room; i++)
        if (table->pairs[i].count > n) n = table->pairs[i].count;
    return n;
}

static bool find_rules(work_t *w) {
    table_t table = {0};
    bool good = grow(&table);
    while (good && (good = count(&table, w->symbols, w->n))) {
        const uint32_t frequent = most(&table);
        if (frequent < FREQUENT || w->nrules == MOST_PAIRS) break;
        good = make_rules(w, &table, frequent / 2 + 1);
        w->n = replace(&table, w->symbols, w->n);
    }
    free(table.pairs);
    return good;
}

/* A pair that is used once stands where it is used. Others are phrases or rules. */
static bool is_used_once(const work_t *w, uint32_t symbol) {
    return symbol >= FIRST && w->rules[symbol - FIRST].uses == 1;
}

static bool is_phrase(const work_t *w, uint32_t symbol) {
    return symbol >= FIRST && w->rules[symbol - FIRST].bytes <= GRAMMAR_PHRASE;
}

static uint32_t bytes_of(const work_t *w, uint32_t symbol) {
    return symbol < FIRST ? 1 : w->rules[symbol - FIRST].bytes;
}

static void count_uses(work_t *w) {
    for (uint32_t i = 0; i < w->n; i++)
        if (w->symbols[i] != BETWEEN && w->symbols[i] >= FIRST)
            w->rules[w->symbols[i] - FIRST].uses++;
    for (uint32_t i = 0; i < w->nrules; i++)
        for (int k = 0; k < 2; k++)
            if (w->rules[i].part[k] >= FIRST) w->rules[w->rules[i].part[k] - FIRST].uses++;
}

/* Returns how many rules are within one another at most. */
static uint32_t measure_rules(work_t *w) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < w->nrules; i++) {
        rule_t *rule = &w->rules[i];
        for (int k = 0; k < 2; k++) {
            const uint32_t part = rule->part[k];
            const bool once = is_used_once(w, part);
            const rule_t *inner = part < FIRST ? NULL : &w->rules[part - FIRST];
            const uint32_t below = inner && !is_phrase(w, part) ? inner->depth + !once : 0;
            rule->bytes += bytes_of(w, part);
            rule->length += once ? inner->length : 1;
            if (below > rule->depth) rule->depth = below;
        }
        if (rule->depth + 1 > depth) depth = rule->depth + 1;
    }
    return depth;
}

/* Gives the phrases and rules of a symbol their places, unless they have them. */
static void place_rules(work_t *w, uint32_t symbol) {
    if (symbol < FIRST || w->rules[symbol - FIRST].placed) return;
    rule_t *rule = &w->rules[symbol - FIRST];
    rule->placed = true;
    if (rule->uses > 1 && is_phrase(w, symbol)) {
        rule->at = w->nphrases++;
        return;
    }
    if (rule->uses > 1) {
        rule->at = w->placed;
        w->placed += rule->length;
        w->order[w->norder++] = rule;
    }
    for (int k = 0; k < 2; k++) place_rules(w, rule->part[k]);
}

/* Writes a symbol, or the parts of a pair that is used once. */
static void write_symbol(const work_t *w, uint32_t symbol, grammar_t *to) {
    const rule_t *rule = symbol < FIRST ? NULL : &w->rules[symbol - FIRST];
    uint32_t number = symbol;
    if (is_used_once(w, symbol)) {
        for (int k = 0; k < 2; k++) write_symbol(w, rule->part[k], to);
        return;
    }
    if (rule) number = GRAMMAR_BYTES + rule->at + (is_phrase(w, symbol) ? 0 : w->nphrases);
    to->symbols[to->nsymbols++] = number << 1;
}

static uint8_t *write_bytes(const work_t *w, uint32_t symbol, uint8_t *to) {
    if (symbol < FIRST) {
        *to++ = (uint8_t)symbol;
        return to;
    }
    to = write_bytes(w, w->rules[symbol - FIRST].part[0], to);
    return write_bytes(w, w->rules[symbol - FIRST].part[1], to);
}

static bool write_phrases(const work_t *w, grammar_t *to) {
    to->nphrases = w->nphrases;
    to->phrases = calloc(w->nphrases + 1, sizeof *to->phrases);
    for (uint32_t i = 0; to->phrases && i < w->nrules; i++) {
        const rule_t *rule = &w->rules[i];
        if (!rule->placed || rule->uses == 1 || !is_phrase(w, FIRST + i)) continue;
        packed_phrase_t *phrase = &to->phrases[rule->at];
        phrase->size = (uint8_t)rule->bytes;
        write_bytes(w, FIRST + i, phrase->bytes);
    }
    return to->phrases != NULL;
}

static bool write_grammar(work_t *w, uint32_t *begins, grammar_t *to) {
    count_uses(w);
    to->depth = measure_rules(w);
    w->order = malloc((w->nrules + 1) * sizeof *w->order);
    if (!w->order) return false;
    /* In the order of the texts: what is read together lies together. */
    for (uint32_t i = 0; i < w->n; i++)
        if (w->symbols[i] != BETWEEN) place_rules(w, w->symbols[i]);
    uint32_t most = w->placed, text = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t s = w->symbols[i];
        most += s != BETWEEN && is_used_once(w, s) ? bytes_of(w, s) : 1;
    }
    to->symbols = malloc((most + 1) * sizeof *to->symbols);
    if (!to->symbols || !write_phrases(w, to)) return false;
    for (uint32_t i = 0; i < w->norder; i++) {
        for (int k = 0; k < 2; k++) write_symbol(w, w->order[i]->part[k], to);
        to->symbols[to->nsymbols - 1] |= GRAMMAR_LAST;
    }
    bool begin = true;
    for (uint32_t i = 0; i < w->n; i++) {
        if (begin) begins[text++] = to->nsymbols;
        begin = w->symbols[i] == BETWEEN;
        if (!begin) write_symbol(w, w->symbols[i], to);
    }
    return true;
}

bool grammar_make(grammar_t *grammar, uint32_t *begins, uint8_t *const *texts,
        const uint32_t *sizes, uint32_t n) {
    size_t room = 1;
    for (uint32_t i = 0; i < n; i++) room += sizes[i] + 1u;
    work_t w = {.rules = calloc(MOST_PAIRS, sizeof *w.rules),
            .symbols = malloc(room * sizeof *w.symbols)};
    const bool memory = w.rules && w.symbols;
    for (uint32_t i = 0; memory && i < n; i++) {
        for (uint32_t k = 0; k < sizes[i]; k++) w.symbols[w.n++] = texts[i][k];
        w.symbols[w.n++] = BETWEEN;
    }
    *grammar = (grammar_t){0};
    const bool good = memory && find_rules(&w) && write_grammar(&w, begins, grammar);
    free(w.order);
    free(w.rules);
    free(w.symbols);
    return good;
}

void grammar_free(grammar_t *grammar) {
    free(grammar->symbols);
    free(grammar->phrases);
    *grammar = (grammar_t){0};
}
