/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of SPIR-V that the driver looks at, and how an instruction is laid out. */
#ifndef ZE_CPU_SPIRV_WORDS_H
#define ZE_CPU_SPIRV_WORDS_H

#include <stdint.h>

enum {
    OP_NAME = 5,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_VARIABLE = 59,
    OP_IN_BOUNDS_PTR_ACCESS_CHAIN = 70,
    OP_VECTOR_SHUFFLE = 79,
    OP_CONVERT_F_TO_U = 109,
    OP_F_CONVERT = 115,
    OP_SAT_CONVERT_S_TO_U = 118,
    OP_SAT_CONVERT_U_TO_S = 119,
    OP_BITCAST = 124,
    OP_I_ADD = 128,
    OP_I_MUL = 132,
    OP_IS_NAN = 156,
    OP_UNORDERED = 163,
    OP_BIT_REVERSE = 204,
    OP_BIT_COUNT = 205,
    OP_DECORATE = 71,
    OP_CONTROL_BARRIER = 224,
    OP_LABEL = 248,

    STORAGE_CONSTANT = 0,
    STORAGE_WORKGROUP = 4,
    STORAGE_GLOBAL = 5,
    STORAGE_FUNCTION = 7,
    STORAGE_GENERIC = 8,

    DECORATION_SPEC_ID = 1,
    DECORATION_PACKED = 10,
    DECORATION_BUILTIN = 11,
    DECORATION_SATURATED = 28,
    DECORATION_PARAM_ATTRIBUTE = 38,
    DECORATION_ROUNDING = 39,
    DECORATION_LINKAGE = 41,
    PARAM_BY_VALUE = 2,
    LINKAGE_IMPORT = 1,

    MODE_LOCAL_SIZE = 17,
    MODE_SUBGROUP_SIZE = 35,
    MODE_SUBGROUPS_PER_GROUP = 36,
    EXECUTION_KERNEL = 6,
    MEMORY_MODEL_OPENCL = 2,
    ADDRESSING_PHYSICAL64 = 2,

    SPIRV_MAGIC = 0x07230203,
    MAX_BOUND = 0x3fffff,
    MAX_MINOR = 6,
};

static inline unsigned op_of(uint32_t word) {
    return word & 0xffffu;
}
static inline unsigned length_of(uint32_t word) {
    return word >> 16;
}

#endif
