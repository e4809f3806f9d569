/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: sizes and classes. */
#include "core/memory_desc.h"
#include "core/util.h"

enum { KIND_OTHER = 1, KIND_FLOAT, KIND_INT };

static const struct {
    uint8_t bits, kind;
} types[] = {
        [dnnl_f16] = {16, KIND_FLOAT},
        [dnnl_bf16] = {16, KIND_FLOAT},
        [dnnl_f32] = {32, KIND_FLOAT},
        [dnnl_s32] = {32, KIND_INT},
        [dnnl_s8] = {8, KIND_INT},
        [dnnl_u8] = {8, KIND_INT},
        [dnnl_f64] = {64, KIND_FLOAT},
        [dnnl_boolean] = {8, KIND_OTHER},
        [dnnl_f8_e5m2] = {8, KIND_FLOAT},
        [dnnl_f8_e4m3] = {8, KIND_FLOAT},
        [dnnl_s4] = {4, KIND_INT},
        [dnnl_u4] = {4, KIND_INT},
        [dnnl_e8m0] = {8, KIND_FLOAT},
        [dnnl_f4_e2m1] = {4, KIND_FLOAT},
        [dnnl_s64] = {64, KIND_INT},
};

int dt_bits(dnnl_data_type_t dt) {
    return (unsigned)dt < (unsigned)ARRAY_LEN(types) ? types[dt].bits : 0;
}

size_t dt_size(dnnl_data_type_t dt) {
    return ((size_t)dt_bits(dt) + 7) / 8;
}

uint64_t dt_offset(dnnl_data_type_t dt, int64_t index) {
    return (uint64_t)index * (uint64_t)dt_bits(dt) / 8;
}

bool dt_is_nibble(dnnl_data_type_t dt) {
    return dt_bits(dt) == 4;
}

bool dt_is_int(dnnl_data_type_t dt) {
    return dt_bits(dt) && types[dt].kind == KIND_INT;
}

bool dt_is_fp(dnnl_data_type_t dt) {
    return dt_bits(dt) && types[dt].kind == KIND_FLOAT;
}

/* The type boolean exists in the graph API only. */
bool dt_is_tensor_type(dnnl_data_type_t dt) {
    return dt_bits(dt) && dt != dnnl_boolean;
}
