/* SPDX-License-Identifier: Apache-2.0 */
/* The words of packed SPIR-V. What an operand means does not matter here: any word can be replaced
 * by a distance and restored, as long as the opcode alone decides which words are. */
#include "plan/packed.h"

#include "plan/spirv_form.h"

/* Where an instruction has its result, and whether distances replace the words behind it. */
typedef enum { KEEP, RESULT_1, RESULT_2, RESULT_2_OPERANDS, OPERANDS, TARGET } form_t;

enum { OP_COPY_MEMORY = 63, OP_LAST_OF_VALUES = 240, OP_FIRST_OF_EXTENSIONS = 4000 };

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

/* The parts of a packed module, behind the header: the first words of all instructions, their
 * types, their results, and the other operands. */
typedef struct {
    uint32_t *opening, *type, *result, *operand;
} parts_t;

static bool has_type(form_t form) {
    return form == RESULT_2 || form == RESULT_2_OPERANDS;
}

static bool has_result(form_t form) {
    return form == RESULT_1 || has_type(form);
}

/* Finds the parts. The first words are in the module (`pack`), or one behind the other in the
 * packed one. False: the instructions do not fill the module. */
static bool find_parts(
        const uint32_t *words, uint32_t *packed, size_t nwords, bool pack, parts_t *parts) {
    size_t left = nwords - SPIRV_HEADER, instructions = 0, types = 0, results = 0;
    for (size_t at = SPIRV_HEADER; left;) {
        const uint32_t word = pack ? words[at] : packed[at], n = word >> 16;
        const form_t form = form_of(word & 0xffff, n);
        if (!n || n > left) return false;
        left -= n;
        at += pack ? n : 1;
        instructions++;
        types += has_type(form);
        results += has_result(form);
    }
    parts->opening = packed + SPIRV_HEADER;
    parts->type = parts->opening + instructions;
    parts->result = parts->type + types;
    parts->operand = parts->result + results;
    return true;
}

/* Copies a word to the next place of a part, or back. */
static void copy(uint32_t *word, uint32_t **part, bool pack) {
    if (pack) **part = *word;
    else *word = **part;
    ++*part;
}

/* The same, replaced by its distance to `from`. */
static void copy_distance(uint32_t *word, uint32_t **part, uint32_t from, bool pack) {
    if (pack) **part = from - *word;
    else *word = from - **part;
    ++*part;
}

/* Copies an instruction. *last: the identifier that was defined last. */
static void copy_instruction(uint32_t *w, parts_t *to, uint32_t *last, bool pack) {
    copy(w, &to->opening, pack);
    const uint32_t n = w[0] >> 16;
    const form_t form = form_of(w[0] & 0xffff, n);
    uint32_t i = 1;
    if (has_type(form)) copy(w + i++, &to->type, pack);
    if (has_result(form)) {
        copy_distance(w + i, &to->result, *last + 1, pack);
        *last = w[i++];
    }
    if (form == TARGET) copy_distance(w + i++, &to->operand, *last, pack);
    const bool far = form == OPERANDS || form == RESULT_2_OPERANDS;
    for (; i < n; i++)
        if (far) copy_distance(w + i, &to->operand, *last, pack);
        else copy(w + i, &to->operand, pack);
}

bool packed_spirv(uint32_t *words, uint32_t *packed, size_t nwords, bool pack) {
    parts_t parts;
    uint32_t last = 0;
    if (nwords < SPIRV_HEADER || !find_parts(words, packed, nwords, pack, &parts)) return false;
    for (size_t i = 0; i < SPIRV_HEADER; i++) copy(words + i, &(uint32_t *){packed + i}, pack);
    for (size_t i = SPIRV_HEADER; i < nwords; i += words[i] >> 16)
        copy_instruction(words + i, &parts, &last, pack);
    return true;
}
