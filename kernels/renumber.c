/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the build: numbers the identifiers of a SPIR-V module in the order of their
 * definitions, in place. The translator numbers them in another order; this one packs to nine
 * tenths of the size (src/plan/packed_spirv.c). Names of functions and types, another 6 % of it,
 * are dropped: they are for people who read the module.
 * Usage: renumber_spirv MODULE
 * A module with an instruction that is not known here stays as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/spirv_form.h"

enum { MOST_WORDS = 1 << 24 };

/* An instruction outside of functions: word i is an identifier if bit i is set; bit 31 stands for
 * the words from 31 on, too. */
static const struct {
    uint32_t op, ids;
} globals[] = {
        {3, 1u << 3},  /* source: language, version, file */
        {4, 0},        /* source extension */
        {5, 1u << 1},  /* name */
        {6, 1u << 1},  /* name of a member */
        {7, 1u << 1},  /* string */
        {10, 0},       /* extension */
        {11, 1u << 1}, /* import of an extended set */
        {14, 0},       /* memory model */
        {16, 1u << 1}, /* execution mode */
        {17, 0},       /* capability */
        {19, ~1u},     /* void */
        {20, ~1u},     /* bool */
        {21, 1u << 1}, /* integer: width, sign */
        {22, 1u << 1}, /* float: width */
        {23, 3u << 1}, /* vector: type, number */
        {28, ~1u},     /* array */
        {30, ~1u},     /* structure */
        {32, 5u << 1}, /* pointer: storage class, type */
        {33, ~1u},     /* function */
        {34, ~1u},     /* event */
        {41, ~1u},     /* true */
        {42, ~1u},     /* false */
        {43, 3u << 1}, /* constant */
        {44, ~1u},     /* constant of parts */
        {46, ~1u},     /* null */
        {48, ~1u},     /* true by default */
        {49, ~1u},     /* false by default */
        {50, 3u << 1}, /* specialisation constant */
        {51, ~1u},     /* the same of parts */
        {52, ~9u},     /* an operation of them: type, result, opcode */
        {71, 1u << 1}, /* decoration */
        {72, 1u << 1}, /* decoration of a member */
        {330, 0},      /* what processed the module */
};

static void fail(const char *what, const char *path) {
    fprintf(stderr, "renumber_spirv: %s: %s\n", what, path);
    exit(1);
}

/* Words of a string from w on that has at most n. */
static uint32_t string_words(const uint32_t *w, uint32_t n) {
    const size_t length = strnlen((const char *)w, 4 * (size_t)n);
    return (uint32_t)(length / 4 + 1);
}

/* Whether word i is an identifier; -1: the instruction is not known. */
static int is_id(const uint32_t *w, uint32_t i) {
    const uint32_t op = spirv_op(w);
    if (op == OP_ENTRY_POINT) return i == 2 || i >= 3 + string_words(w + 3, spirv_length(w) - 3);
    if (op == OP_LABEL) return 1;
    if (op == OP_FUNCTION_END) return 0;
    for (size_t g = 0; g < sizeof globals / sizeof *globals; g++)
        if (globals[g].op == op) return globals[g].ids >> (i < 31 ? i : 31) & 1;
    const spirv_form_t *form = spirv_form(op);
    return form ? spirv_is_id(form, w, i) : -1;
}

static uint32_t result_of(const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op == 7 || op == 34) return w[1];
    return op >= 48 && op <= 52 ? w[2] : spirv_result(w);
}

/* Gives each identifier its number: by definitions first. False: the module stays as it is. */
static bool number(const uint32_t *words, size_t nwords, uint32_t *of, uint32_t bound) {
    uint32_t next = 1;
    for (size_t at = SPIRV_HEADER; at < nwords; at += spirv_length(words + at)) {
        const uint32_t n = spirv_length(words + at);
        if (!n || n > nwords - at) return false;
        const uint32_t id = result_of(words + at);
        if (id >= bound || (id && of[id])) return false;
        if (id) of[id] = next++;
        for (uint32_t i = 1; i < n; i++)
            if (is_id(words + at, i) < 0) return false;
    }
    for (uint32_t id = 1; id < bound; id++)
        if (!of[id]) of[id] = next++;
    return true;
}

static void replace(uint32_t *words, size_t nwords, const uint32_t *of, uint32_t bound) {
    for (size_t at = SPIRV_HEADER, n; at < nwords; at += n) {
        uint32_t *w = words + at;
        bool ids[UINT16_MAX + 1];
        n = spirv_length(w);
        for (uint32_t i = 1; i < n; i++) ids[i] = is_id(w, i) > 0;
        for (uint32_t i = 1; i < n; i++)
            if (ids[i] && w[i] < bound) w[i] = of[w[i]];
    }
}

/* Drops all names but those of variables, by which PoCL and Oclgrind know local memory. Returns the
 * number of words left. */
static size_t drop_names(uint32_t *words, size_t nwords, uint32_t bound) {
    bool *is_variable = calloc((size_t)bound + 1, sizeof *is_variable);
    if (!is_variable) return nwords;
    for (size_t at = SPIRV_HEADER; at < nwords; at += spirv_length(words + at))
        if (spirv_op(words + at) == OP_VARIABLE && words[at + 2] < bound)
            is_variable[words[at + 2]] = true;
    size_t kept = SPIRV_HEADER;
    for (size_t at = SPIRV_HEADER, n; at < nwords; at += n) {
        const uint32_t *w = words + at, op = spirv_op(w);
        n = spirv_length(w);
        if (op == OP_MEMBER_NAME || (op == OP_NAME && w[1] < bound && !is_variable[w[1]])) continue;
        memmove(words + kept, w, n * sizeof *w);
        kept += n;
    }
    free(is_variable);
    return kept;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage", "renumber_spirv MODULE");
    FILE *file = fopen(argv[1], "r+b");
    uint32_t *words = malloc(4 * (size_t)MOST_WORDS);
    if (!file || !words) fail("cannot read", argv[1]);
    const size_t nwords = fread(words, 4, MOST_WORDS, file);
    if (nwords < SPIRV_HEADER || nwords == MOST_WORDS) fail("no module", argv[1]);
    const uint32_t bound = words[3];
    uint32_t *of = calloc((size_t)bound + 1, sizeof *of);
    if (!of) fail("no memory", argv[1]);
    if (number(words, nwords, of, bound)) {
        replace(words, nwords, of, bound);
        const size_t left = drop_names(words, nwords, bound);
        rewind(file);
        if (fwrite(words, 4, left, file) != left || fflush(file) ||
                ftruncate(fileno(file), (off_t)(4 * left)))
            fail("cannot write", argv[1]);
    } else {
        fprintf(stderr, "renumber_spirv: %s has an instruction that is not known\n", argv[1]);
    }
    if (fclose(file)) fail("cannot write", argv[1]);
    free(words);
    free(of);
    return 0;
}
