/* SPDX-License-Identifier: Apache-2.0 */
/* The identifiers of packed SPIR-V. What an operand means does not matter here: any word can be
 * replaced by a distance and restored, as long as the opcode alone decides which words are. */
#include "plan/packed.h"

enum { HEADER_WORDS = 5 };

/* Where an instruction has its result, and whether distances replace the words behind it. */
typedef enum { KEEP, RESULT_1, RESULT_2, RESULT_2_OPERANDS, OPERANDS, TARGET } form_t;

enum {
    OP_EXT_INST = 12,
    OP_TYPE_VOID = 19,
    OP_TYPE_FUNCTION = 33,
    OP_CONSTANT_TRUE = 41,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_DECORATE = 71,
    OP_LAST_OF_VALUES = 240,
    OP_PHI = 245,
    OP_LOOP_MERGE = 246,
    OP_LABEL = 248,
    OP_RETURN_VALUE = 254,
    OP_FIRST_OF_EXTENSIONS = 4000
};

static form_t form_of(uint32_t op, uint32_t nwords) {
    if (nwords < 2) return KEEP;
    if (op >= OP_LOOP_MERGE && op <= OP_RETURN_VALUE && op != OP_LABEL) return OPERANDS;
    if (op == OP_LABEL || (op >= OP_TYPE_VOID && op <= OP_TYPE_FUNCTION)) return RESULT_1;
    if (nwords < 3) return KEEP;
    if (op == OP_DECORATE) return TARGET;
    if (op == OP_STORE || op == OP_COPY_MEMORY) return OPERANDS;
    if ((op >= OP_CONSTANT_TRUE && op <= OP_SPEC_CONSTANT) || op == OP_VARIABLE) return RESULT_2;
    if (op == OP_EXT_INST || op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER || op == OP_PHI ||
            (op >= OP_FUNCTION_CALL && op <= OP_LAST_OF_VALUES) || op >= OP_FIRST_OF_EXTENSIONS)
        return RESULT_2_OPERANDS;
    return KEEP;
}

static void replace(uint32_t *words, uint32_t n, uint32_t from) {
    for (uint32_t i = 0; i < n; i++) words[i] = from - words[i];
}

/* Returns the identifier that the instruction defines. The identifier that was defined before it
 * is `last`. */
static uint32_t result(uint32_t *word, uint32_t last, bool encode) {
    const uint32_t id = encode ? *word : *word + last + 1;
    *word = encode ? *word - last - 1 : id;
    return id;
}

void packed_spirv_ids(uint32_t *words, size_t nwords, bool encode) {
    uint32_t last = 0;
    for (size_t i = HEADER_WORDS; i < nwords;) {
        uint32_t *w = words + i, n = w[0] >> 16;
        if (!n || n > nwords - i) return;
        switch (form_of(w[0] & 0xffff, n)) {
        case KEEP: break;
        case TARGET: replace(w + 1, 1, last); break;
        case OPERANDS: replace(w + 1, n - 1, last); break;
        case RESULT_1: last = result(w + 1, last, encode); break;
        case RESULT_2: last = result(w + 2, last, encode); break;
        case RESULT_2_OPERANDS:
            last = result(w + 2, last, encode);
            replace(w + 3, n - 3, last);
            break;
        }
        i += n;
    }
}
