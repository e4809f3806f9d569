/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of SPIR-V, and where an instruction has its identifiers. */
#ifndef PLAN_SPIRV_FORM_H
#define PLAN_SPIRV_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SPIRV_HEADER = 5, /* words before the first instruction; word 3 is the bound of identifiers */

    OP_UNDEF = 1,
    OP_SOURCE_CONTINUED = 2,
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_LINE = 8,
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_ENTRY_POINT = 15,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FUNCTION = 33,
    OP_TYPE_FORWARD_POINTER = 39,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_CONSTANT_SAMPLER = 45,
    OP_CONSTANT_NULL = 46,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY_SIZED = 64,
    OP_ACCESS_CHAIN = 65,
    OP_PTR_ACCESS_CHAIN = 67,
    OP_PTR_ACCESS_CHAIN_IN_BOUNDS = 70,
    OP_LAST_CHAIN = 70,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_COMPOSITE = 80,
    OP_COMPOSITE_PART = 81,
    OP_U_CONVERT = 113,
    OP_S_CONVERT = 114,
    OP_F_CONVERT = 115,
    OP_POINTER_TO_INT = 117,
    OP_BITCAST = 124,
    OP_I_ADD = 128,
    OP_F_ADD = 129,
    OP_I_SUB = 130,
    OP_I_MUL = 132,
    OP_F_MUL = 133,
    OP_U_DIV = 134,
    OP_S_DIV = 135,
    OP_U_MOD = 137,
    OP_S_REM = 138,
    OP_LOGICAL_EQUAL = 164,
    OP_LOGICAL_NOT_EQUAL = 165,
    OP_LOGICAL_OR = 166,
    OP_LOGICAL_AND = 167,
    OP_LOGICAL_NOT = 168,
    OP_SELECT = 169,
    OP_I_EQUAL = 170,
    OP_I_NOT_EQUAL = 171,
    OP_U_GREATER = 172,
    OP_S_GREATER = 173,
    OP_U_GREATER_EQUAL = 174,
    OP_S_GREATER_EQUAL = 175,
    OP_U_LESS = 176,
    OP_S_LESS = 177,
    OP_U_LESS_EQUAL = 178,
    OP_S_LESS_EQUAL = 179,
    OP_F_LESS = 184,
    OP_F_GREATER = 186,
    OP_SHIFT_RIGHT = 194,
    OP_SHIFT_RIGHT_SIGNED = 195,
    OP_SHIFT_LEFT = 196,
    OP_OR = 197,
    OP_XOR = 198,
    OP_AND = 199,
    OP_NOT = 200,
    OP_CONTROL_BARRIER = 224,
    OP_PHI = 245,
    OP_LOOP_MERGE = 246,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_SWITCH = 251,
    OP_RETURN = 253,
    OP_RETURN_VALUE = 254,
    OP_UNREACHABLE = 255,
    OP_LIFETIME_START = 256,
    OP_LIFETIME_STOP = 257,
    OP_GROUP_ANY = 262,
    OP_GROUP_BROADCAST = 263,
    OP_GROUP_I_ADD = 264,
    OP_GROUP_F_ADD = 265,
    OP_GROUP_F_MIN = 266,
    OP_GROUP_U_MIN = 267,
    OP_GROUP_S_MIN = 268,
    OP_GROUP_F_MAX = 269,
    OP_GROUP_U_MAX = 270,
    OP_GROUP_S_MAX = 271,
    OP_SUBGROUP_SHUFFLE = 5571,
    OP_BLOCK_READ = 5575,
    OP_BLOCK_WRITE = 5576,

    /* Bits of the operands of loads and stores. */
    MEMORY_VOLATILE = 1,
    MEMORY_ALIGNED = 2, /* a number of bytes follows */

    DECORATION_SPEC_ID = 1,
    DECORATION_C_PACKED = 10,
    DECORATION_BUILTIN = 11,
    DECORATION_PARAMETER = 38,
    DECORATION_LINKAGE = 41,
    PARAMETER_BY_VALUE = 2,
};

/* An instruction of a function: the operands behind the result. */
typedef struct {
    uint16_t first, last; /* opcodes */
    bool has_result;      /* and a type */
    bool is_pure;         /* it may be dropped if nothing uses its result */
    uint8_t skip;         /* operands that are numbers, */
    uint8_t ids;          /* followed by so many identifiers at most, and numbers again; */
    uint8_t number;       /* 1: the operand behind the first identifier is a number */
} spirv_form_t;

/* The first word of an instruction of n words. */
static inline uint32_t opening(uint32_t op, uint32_t n) {
    return n << 16 | op;
}
static inline uint32_t spirv_op(const uint32_t *w) {
    return w[0] & 0xffff;
}
static inline uint32_t spirv_length(const uint32_t *w) {
    return w[0] >> 16;
}

/* NULL: an instruction that is not known. */
const spirv_form_t *spirv_form(uint32_t op);
/* Whether word i of an instruction with operands is an identifier. nwords: of a switch's values. */
bool spirv_is_id(const spirv_form_t *form, const uint32_t *w, uint32_t i);

/* Target i of a block's terminator, from 0 on; 0: it has no more. */
uint32_t spirv_target(const uint32_t *w, uint32_t i);

/* The identifier that an instruction of a known kind defines, or 0. */
uint32_t spirv_result(const uint32_t *w);

#endif
