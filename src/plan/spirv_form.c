/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/spirv_form.h"

#include <pthread.h>
#include <stddef.h>

enum { ALL = 255, LAST_COMMON = 271 /* of the opcodes that most modules have */ };

/* In order of opcodes. */
static const spirv_form_t forms[] = {
        {1, 1, true, true, 0, ALL, 0},         /* undefined */
        {12, 12, true, true, 0, ALL, 1},       /* function of an extended set */
        {54, 54, true, false, 1, 1, 0},        /* function: control, type */
        {55, 55, true, false, 0, 0, 0},        /* parameter */
        {57, 57, true, false, 0, ALL, 0},      /* call */
        {59, 59, true, true, 1, 1, 0},         /* variable: storage class, initial value */
        {61, 61, true, true, 0, 1, 0},         /* load */
        {62, 63, false, false, 0, 2, 0},       /* store, copy */
        {64, 64, false, false, 0, 3, 0},       /* copy with a size */
        {65, 67, true, true, 0, ALL, 0},       /* access chains */
        {70, 70, true, true, 0, ALL, 0},       /* access chain in bounds */
        {77, 78, true, true, 0, ALL, 0},       /* dynamic index of vectors */
        {79, 79, true, true, 0, 2, 0},         /* shuffle of a vector */
        {80, 80, true, true, 0, ALL, 0},       /* composite of parts */
        {81, 81, true, true, 0, 1, 0},         /* part of a composite */
        {82, 82, true, true, 0, 2, 0},         /* composite with one part replaced */
        {83, 84, true, true, 0, ALL, 0},       /* copy, transpose */
        {109, 124, true, true, 0, ALL, 0},     /* conversions */
        {126, 152, true, true, 0, ALL, 0},     /* arithmetic */
        {154, 191, true, true, 0, ALL, 0},     /* comparisons */
        {194, 205, true, true, 0, ALL, 0},     /* bits */
        {224, 225, false, false, 0, ALL, 0},   /* barriers */
        {227, 227, true, false, 0, ALL, 0},    /* atomic load */
        {228, 228, false, false, 0, ALL, 0},   /* atomic store */
        {229, 242, true, false, 0, ALL, 0},    /* other atomic operations */
        {245, 245, true, true, 0, ALL, 0},     /* phi */
        {246, 246, false, false, 0, 2, 0},     /* merge of a loop */
        {247, 247, false, false, 0, 1, 0},     /* merge of a selection */
        {249, 249, false, false, 0, 1, 0},     /* branch */
        {250, 250, false, false, 0, 3, 0},     /* conditional branch */
        {251, 251, false, false, 0, 2, 0},     /* switch */
        {253, 253, false, false, 0, 0, 0},     /* return */
        {254, 254, false, false, 0, 1, 0},     /* return of a value */
        {255, 255, false, false, 0, 0, 0},     /* unreachable */
        {256, 257, false, false, 0, 1, 0},     /* lifetimes */
        {261, 263, true, false, 0, ALL, 0},    /* any, all, broadcast in groups */
        {264, 271, true, false, 0, ALL, 1},    /* reductions in groups */
        {5571, 5575, true, false, 0, ALL, 0},  /* shuffles in sub-groups, block reads */
        {5576, 5576, false, false, 0, ALL, 0}, /* block writes */
        {5614, 5615, true, false, 0, ALL, 0},  /* floating-point atomic minimum and maximum */
        {6035, 6035, true, false, 0, ALL, 0},  /* floating-point atomic addition */
};

static const spirv_form_t *find_form(uint32_t op) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (op <= forms[i].last) return op >= forms[i].first ? &forms[i] : NULL;
    return NULL;
}

/* Asked for each word of a module. */
static const spirv_form_t *common[LAST_COMMON + 1];

static void find_common(void) {
    for (uint32_t op = 0; op <= LAST_COMMON; op++) common[op] = find_form(op);
}

const spirv_form_t *spirv_form(uint32_t op) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (op > LAST_COMMON) return find_form(op);
    pthread_once(&once, find_common);
    return common[op];
}

/* Whether the last operand of a function of OpenCL's set is a number: how many elements a load has,
 * or how a store rounds. */
static bool ends_with_number(uint32_t function) {
    return function == 171 || function == 174 || function == 176 || function == 178 ||
           function == 179 || function == 181;
}

bool spirv_is_id(const spirv_form_t *form, const uint32_t *w, uint32_t i) {
    const uint32_t operands = form->has_result ? 3 : 1;
    if (spirv_op(w) == OP_SWITCH && i > 2) return i % 2 == 0;
    if (i < operands) return i > 0;
    const uint32_t n = i - operands;
    if (spirv_op(w) == OP_EXT_INST && i > 4 && i + 1 == spirv_length(w) && ends_with_number(w[4]))
        return false;
    if (form->number && n == 1) return false;
    return n >= form->skip && n - form->skip < form->ids;
}

uint32_t spirv_target(const uint32_t *w, uint32_t i) {
    const uint32_t op = spirv_op(w), n = spirv_length(w);
    uint32_t at = n;
    if (op == OP_BRANCH) at = 1 + i;
    if (op == OP_BRANCH_CONDITIONAL && i < 2) at = 2 + i; /* weights may follow */
    if (op == OP_SWITCH) at = 2 + 2 * i;
    return at < n ? w[at] : 0;
}

uint32_t spirv_result(const uint32_t *w) {
    const uint32_t op = spirv_op(w);
    if (op == OP_LABEL || op == OP_EXT_INST_IMPORT) return w[1];
    if (op >= OP_TYPE_VOID && op < OP_TYPE_FORWARD_POINTER) return w[1];
    if (op >= OP_CONSTANT_TRUE && op <= OP_SPEC_CONSTANT) return w[2];
    const spirv_form_t *form = spirv_form(op);
    return form && form->has_result ? w[2] : 0;
}
