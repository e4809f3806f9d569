/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerators. */
#ifndef CORE_STRINGS_ENUM_H
#define CORE_STRINGS_ENUM_H

typedef enum {
    NAMES_STATUS,
    NAMES_DATA_TYPE,
    NAMES_FPMATH_MODE,
    NAMES_ACCUMULATION_MODE,
    NAMES_ENGINE_KIND,
    NAMES_FORMAT_KIND,
    NAMES_SPARSE_ENCODING,
    NAMES_FORMAT_TAG,
    NAMES_PROP_KIND,
    NAMES_PRIMITIVE_KIND,
    NAMES_ALG_KIND,
    NAMES_RNN_FLAGS,
    NAMES_RNN_DIRECTION,
    NAMES_SCRATCHPAD_MODE,
    NAMES_ROUNDING_MODE,
    NAMES_QUANTIZATION_MODE,
    NAMES_CPU_ISA,
    NAMES_CPU_ISA_HINTS,
    NAMES_RUNTIME,
} enum_names_t;

/* Never NULL: "unknown status", "unknown dt", ... for values that the enumeration does not have. */
const char *enum_name(enum_names_t names, int value);

#endif
