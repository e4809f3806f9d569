/* SPDX-License-Identifier: Apache-2.0 */
/* A module of many kernels, as SYCL makes them, has more local variables than any of its kernels
 * uses. The limit of a device is one of a kernel. */
#include "local.h"
#include "spirv_words.h"

#include <stdlib.h>

enum { FIRST_CONSTANT = 41, LAST_CONSTANT = 52 };

typedef struct {
    const uint32_t *words;
    size_t n_words;
    uint32_t bound;
    const uint64_t *bytes;
    uint32_t *base;    /* of a constant address: the local variable */
    size_t *functions; /* of a function: the index of its first instruction */
    uint32_t *visited; /* of a function or a variable: the last kernel that reached it, from 1 */
    uint32_t *stack;   /* functions of the kernel that are not read yet */
    uint32_t n_stack, kernel;
    bool is_mixed; /* one constant has the addresses of several variables */
} walk_t;

/* Calls and uses that the words of an instruction may be; a literal that equals an id counts, too,
 * and makes the result too large, never too small. */
static uint64_t reach(walk_t *w, const uint32_t *i) {
    uint64_t sum = 0;
    for (unsigned k = 1; k < length_of(i[0]); k++) {
        uint32_t id = i[k];
        if (id >= w->bound) continue;
        if (w->base[id]) id = w->base[id];
        if ((!w->bytes[id] && !w->functions[id]) || w->visited[id] == w->kernel) continue;
        w->visited[id] = w->kernel;
        sum += w->bytes[id];
        if (w->functions[id]) w->stack[w->n_stack++] = id;
    }
    return sum;
}

static uint64_t reached_from(walk_t *w, uint32_t function) {
    uint64_t sum = 0;
    w->kernel++;
    w->visited[function] = w->kernel;
    w->stack[w->n_stack++] = function;
    while (w->n_stack > 0) {
        size_t at = w->functions[w->stack[--w->n_stack]];
        for (; at < w->n_words && op_of(w->words[at]) != OP_FUNCTION_END;
                at += length_of(w->words[at]))
            sum += reach(w, w->words + at);
    }
    return sum;
}

/* Notes where functions begin, and which constants are addresses inside local variables. */
static void look_around(walk_t *w) {
    for (size_t at = 5; at < w->n_words; at += length_of(w->words[at])) {
        const uint32_t *i = w->words + at;
        const unsigned op = op_of(i[0]);
        if (op == OP_FUNCTION) w->functions[i[2]] = at;
        if (op < FIRST_CONSTANT || op > LAST_CONSTANT || op == OP_CONSTANT) continue;
        for (unsigned k = 3; k < length_of(i[0]); k++) {
            const uint32_t id = i[k] < w->bound ? i[k] : 0;
            const uint32_t variable = w->bytes[id] ? id : w->base[id];
            if (!variable) continue;
            w->is_mixed |= w->base[i[2]] && w->base[i[2]] != variable;
            w->base[i[2]] = variable;
        }
    }
}

bool local_memory_of_kernels(const uint32_t *words, size_t n_words, uint32_t bound,
        const uint64_t *bytes, const uint32_t *functions, module_info_t *info) {
    walk_t w = {.words = words, .n_words = n_words, .bound = bound, .bytes = bytes};
    w.base = calloc(bound, sizeof *w.base);
    w.functions = calloc(bound, sizeof *w.functions);
    w.visited = calloc(bound, sizeof *w.visited);
    w.stack = calloc(bound, sizeof *w.stack);
    const bool good = w.base && w.functions && w.visited && w.stack;
    if (good) {
        look_around(&w);
        for (uint32_t k = 0; k < info->n_kernels; k++)
            info->kernels[k].local_memory =
                    w.is_mixed ? info->local_memory : reached_from(&w, functions[k]);
    }
    free(w.base);
    free(w.functions);
    free(w.visited);
    free(w.stack);
    return good;
}
