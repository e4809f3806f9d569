/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerators, as the verbose log prints them. */
#ifndef ONEAPI_DNNL_DNNL_DEBUG_H
#define ONEAPI_DNNL_DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Every function takes a value and returns its name: a static string, never NULL, that begins with
/// "unknown" for a number that is not of the enumeration. Names are the enumerators' without dnnl_
/// and without the prefix that the type implies ("f32", "forward_training", "eltwise_relu"). Where
/// two enumerators share a number, one name stands for both.

/// Name of a status: "success", "invalid_arguments", ...
DNNL_API const char *dnnl_status2str(dnnl_status_t v);

/// Name of a data type: "f32", "bf16", "undef", ...
DNNL_API const char *dnnl_dt2str(dnnl_data_type_t v);

/// Name of a floating-point math mode: "strict", "bf16", "any", ...
DNNL_API const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v);

/// Name of an accumulation mode: "strict", "relaxed", "f32", ...
DNNL_API const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v);

/// Name of an engine kind: "cpu", "gpu", "any".
DNNL_API const char *dnnl_engine_kind2str(dnnl_engine_kind_t v);

/// Name of a sparse encoding: "csr", "coo", "packed", ...
DNNL_API const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);

/// Name of a format tag, always the one made of letters and blocks: "abcd" for ::dnnl_nchw.
DNNL_API const char *dnnl_fmt_tag2str(dnnl_format_tag_t v);

/// Name of a propagation kind: "forward_training", "backward_data", ...
DNNL_API const char *dnnl_prop_kind2str(dnnl_prop_kind_t v);

/// Name of a primitive kind: "matmul", "eltwise", ...
DNNL_API const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v);

/// Name of an algorithm: "eltwise_relu", "binary_add", ...
DNNL_API const char *dnnl_alg_kind2str(dnnl_alg_kind_t v);

/// Name of RNN flags: "undef" or "rnn_flags_diff_weights_overwrite".
DNNL_API const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v);

/// Name of an RNN direction: "unidirectional_left2right", ...
DNNL_API const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v);

/// Name of a scratchpad mode: "library" or "user".
DNNL_API const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v);

/// Name of a rounding mode: "environment" or "stochastic".
DNNL_API const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v);

/// Name of a quantization mode: "static_sazp", "dynamic_mx", ...
DNNL_API const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v);

/// Name of a CPU instruction set: "cpu_isa_avx2", ...
DNNL_API const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v);

/// Name of a hint for generated CPU code: "cpu_isa_no_hints", "cpu_isa_prefer_ymm".
DNNL_API const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v);

/// Name of a runtime, one of the DNNL_RUNTIME_ macros: "Level Zero", "none", ...
DNNL_API const char *dnnl_runtime2str(unsigned v);

/// Name of a format kind: "blocked", "any", "sparse", ...
DNNL_API const char *dnnl_fmt_kind2str(dnnl_format_kind_t v);

#ifdef __cplusplus
}
#endif

#endif
