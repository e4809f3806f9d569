/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_debug.h: names of enumerators. */
#include "core/strings_enum.h"
#include "oneapi/dnnl/dnnl_debug.h"

#define NAMED(function, type, names)                                                               \
    const char *function(type v) {                                                                 \
        return enum_name(names, (int)v);                                                           \
    }

NAMED(dnnl_status2str, dnnl_status_t, NAMES_STATUS)
NAMED(dnnl_dt2str, dnnl_data_type_t, NAMES_DATA_TYPE)
NAMED(dnnl_fpmath_mode2str, dnnl_fpmath_mode_t, NAMES_FPMATH_MODE)
NAMED(dnnl_accumulation_mode2str, dnnl_accumulation_mode_t, NAMES_ACCUMULATION_MODE)
NAMED(dnnl_engine_kind2str, dnnl_engine_kind_t, NAMES_ENGINE_KIND)
NAMED(dnnl_fmt_kind2str, dnnl_format_kind_t, NAMES_FORMAT_KIND)
NAMED(dnnl_sparse_encoding2str, dnnl_sparse_encoding_t, NAMES_SPARSE_ENCODING)
NAMED(dnnl_fmt_tag2str, dnnl_format_tag_t, NAMES_FORMAT_TAG)
NAMED(dnnl_prop_kind2str, dnnl_prop_kind_t, NAMES_PROP_KIND)
NAMED(dnnl_prim_kind2str, dnnl_primitive_kind_t, NAMES_PRIMITIVE_KIND)
NAMED(dnnl_alg_kind2str, dnnl_alg_kind_t, NAMES_ALG_KIND)
NAMED(dnnl_rnn_flags2str, dnnl_rnn_flags_t, NAMES_RNN_FLAGS)
NAMED(dnnl_rnn_direction2str, dnnl_rnn_direction_t, NAMES_RNN_DIRECTION)
NAMED(dnnl_scratchpad_mode2str, dnnl_scratchpad_mode_t, NAMES_SCRATCHPAD_MODE)
NAMED(dnnl_rounding_mode2str, dnnl_rounding_mode_t, NAMES_ROUNDING_MODE)
NAMED(dnnl_quantization_mode2str, dnnl_quantization_mode_t, NAMES_QUANTIZATION_MODE)
NAMED(dnnl_cpu_isa2str, dnnl_cpu_isa_t, NAMES_CPU_ISA)
NAMED(dnnl_cpu_isa_hints2str, dnnl_cpu_isa_hints_t, NAMES_CPU_ISA_HINTS)
NAMED(dnnl_runtime2str, unsigned, NAMES_RUNTIME)
