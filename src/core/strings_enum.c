/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerators, one table per enumeration. */
#include "core/strings_enum.h"

#include "core/tags.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"

typedef struct {
    int value;
    const char *name;
} row_t;

/* ROW(f16): the name is the enumerator without dnnl_. SUB(fpmath_mode_, any): also without that
 * prefix. */
#define ROW(id) {dnnl_##id, #id}
#define SUB(prefix, id) {dnnl_##prefix##id, #id}

/* If enumerators share a value, the first one in the table gives the name. */
static const row_t status[] = {
        ROW(success),
        ROW(out_of_memory),
        ROW(invalid_arguments),
        ROW(unimplemented),
        ROW(last_impl_reached),
        ROW(runtime_error),
        ROW(not_required),
        ROW(invalid_graph),
        ROW(invalid_graph_op),
        ROW(invalid_shape),
        ROW(invalid_data_type),
};

static const row_t dt[] = {
        SUB(data_type_, undef),
        ROW(f16),
        ROW(bf16),
        ROW(f32),
        ROW(s32),
        ROW(s8),
        ROW(u8),
        ROW(f64),
        ROW(boolean),
        ROW(f8_e5m2),
        ROW(f8_e4m3),
        ROW(s4),
        ROW(u4),
        ROW(e8m0),
        ROW(f4_e2m1),
        ROW(s64),
        ROW(data_type_max),
};

static const row_t fpmath_mode[] = {
        SUB(fpmath_mode_, strict),
        SUB(fpmath_mode_, bf16),
        SUB(fpmath_mode_, f16),
        SUB(fpmath_mode_, any),
        SUB(fpmath_mode_, tf32),
};

static const row_t accumulation_mode[] = {
        SUB(accumulation_mode_, strict),
        SUB(accumulation_mode_, relaxed),
        SUB(accumulation_mode_, any),
        SUB(accumulation_mode_, s32),
        SUB(accumulation_mode_, f32),
        SUB(accumulation_mode_, f16),
};

static const row_t engine_kind[] = {
        {dnnl_any_engine, "any"},
        ROW(cpu),
        ROW(gpu),
};

static const row_t fmt_kind[] = {
        SUB(format_kind_, undef),
        SUB(format_kind_, any),
        ROW(blocked),
        SUB(format_kind_, opaque),
        SUB(format_kind_, sparse),
        SUB(format_kind_, host_scalar),
        SUB(format_kind_, max),
};

static const row_t sparse_encoding[] = {
        SUB(sparse_encoding_, undef),
        ROW(csr),
        ROW(packed),
        ROW(coo),
        ROW(grouped),
};

static const row_t prop_kind[] = {
        SUB(prop_kind_, undef),
        ROW(forward_training),
        ROW(forward_inference),
        ROW(backward),
        ROW(backward_data),
        ROW(backward_weights),
        ROW(backward_bias),
};

static const row_t prim_kind[] = {
        {dnnl_undefined_primitive, "undef"},
        ROW(reorder),
        ROW(shuffle),
        ROW(concat),
        ROW(sum),
        ROW(convolution),
        ROW(deconvolution),
        ROW(eltwise),
        ROW(lrn),
        ROW(batch_normalization),
        ROW(inner_product),
        ROW(rnn),
        ROW(gemm),
        ROW(binary),
        ROW(matmul),
        ROW(resampling),
        ROW(pooling),
        ROW(reduction),
        ROW(prelu),
        ROW(softmax),
        ROW(layer_normalization),
        ROW(group_normalization),
        {DNNL_ZE_PRIMITIVE_KIND_SDPA, "sdpa"},
        ROW(primitive_kind_max),
};

static const row_t alg_kind[] = {
        SUB(alg_kind_, undef),
        ROW(convolution_direct),
        ROW(convolution_winograd),
        ROW(convolution_auto),
        ROW(deconvolution_direct),
        ROW(deconvolution_winograd),
        ROW(eltwise_relu),
        ROW(eltwise_tanh),
        ROW(eltwise_elu),
        ROW(eltwise_square),
        ROW(eltwise_abs),
        ROW(eltwise_sqrt),
        ROW(eltwise_linear),
        ROW(eltwise_soft_relu),
        ROW(eltwise_hardsigmoid),
        ROW(eltwise_logistic),
        ROW(eltwise_exp),
        ROW(eltwise_gelu_tanh),
        ROW(eltwise_swish),
        ROW(eltwise_log),
        ROW(eltwise_clip),
        ROW(eltwise_clip_v2),
        ROW(eltwise_pow),
        ROW(eltwise_gelu_erf),
        ROW(eltwise_round),
        ROW(eltwise_mish),
        ROW(eltwise_hardswish),
        ROW(eltwise_relu_use_dst_for_bwd),
        ROW(eltwise_tanh_use_dst_for_bwd),
        ROW(eltwise_elu_use_dst_for_bwd),
        ROW(eltwise_sqrt_use_dst_for_bwd),
        ROW(eltwise_logistic_use_dst_for_bwd),
        ROW(eltwise_exp_use_dst_for_bwd),
        ROW(eltwise_clip_v2_use_dst_for_bwd),
        ROW(pooling_max),
        ROW(pooling_avg_include_padding),
        ROW(pooling_avg_exclude_padding),
        ROW(lrn_across_channels),
        ROW(lrn_within_channel),
        ROW(vanilla_rnn),
        ROW(vanilla_lstm),
        ROW(vanilla_gru),
        ROW(lbr_gru),
        ROW(vanilla_augru),
        ROW(lbr_augru),
        ROW(binary_add),
        ROW(binary_mul),
        ROW(binary_max),
        ROW(binary_min),
        ROW(binary_div),
        ROW(binary_sub),
        ROW(binary_ge),
        ROW(binary_gt),
        ROW(binary_le),
        ROW(binary_lt),
        ROW(binary_eq),
        ROW(binary_ne),
        ROW(binary_select),
        ROW(resampling_nearest),
        ROW(resampling_linear),
        ROW(reduction_max),
        ROW(reduction_min),
        ROW(reduction_sum),
        ROW(reduction_mul),
        ROW(reduction_mean),
        ROW(reduction_norm_lp_max),
        ROW(reduction_norm_lp_sum),
        ROW(reduction_norm_lp_power_p_max),
        ROW(reduction_norm_lp_power_p_sum),
        ROW(softmax_accurate),
        ROW(softmax_log),
};

static const row_t rnn_flags[] = {
        SUB(rnn_flags_, undef),
        ROW(rnn_flags_diff_weights_overwrite),
};

static const row_t rnn_direction[] = {
        SUB(rnn_direction_, undef),
        ROW(unidirectional_left2right),
        ROW(unidirectional_right2left),
        ROW(bidirectional_concat),
        ROW(bidirectional_sum),
};

static const row_t scratchpad_mode[] = {
        SUB(scratchpad_mode_, library),
        SUB(scratchpad_mode_, user),
};

static const row_t rounding_mode[] = {
        SUB(rounding_mode_, environment),
        SUB(rounding_mode_, stochastic),
};

static const row_t quantization_mode[] = {
        SUB(quantization_mode_, undef),
        SUB(quantization_mode_, static_sazp),
        SUB(quantization_mode_, dynamic_mx),
        SUB(quantization_mode_, dynamic_fp),
};

static const row_t cpu_isa[] = {
        ROW(cpu_isa_default),
        ROW(cpu_isa_sse41),
        ROW(cpu_isa_avx),
        ROW(cpu_isa_avx2),
        ROW(cpu_isa_avx2_vnni),
        ROW(cpu_isa_avx2_vnni_2),
        ROW(cpu_isa_avx512_core),
        ROW(cpu_isa_avx512_core_vnni),
        ROW(cpu_isa_avx512_core_bf16),
        ROW(cpu_isa_avx10_1_512),
        ROW(cpu_isa_avx10_1_512_amx),
        ROW(cpu_isa_avx10_1_512_amx_fp16),
        ROW(cpu_isa_avx10_2),
        ROW(cpu_isa_avx10_2_amx_2),
        ROW(cpu_isa_avx10_2_ace),
};

static const row_t cpu_isa_hints[] = {
        ROW(cpu_isa_no_hints),
        ROW(cpu_isa_prefer_ymm),
};

static const row_t runtime[] = {
        {DNNL_RUNTIME_NONE, "none"},
        {DNNL_RUNTIME_SEQ, "sequential"},
        {DNNL_RUNTIME_OMP, "OpenMP"},
        {DNNL_RUNTIME_TBB, "TBB"},
        {DNNL_RUNTIME_OCL, "OpenCL"},
        {DNNL_RUNTIME_THREADPOOL, "threadpool"},
        {DNNL_RUNTIME_SYCL, "SYCL"},
        {DNNL_RUNTIME_ZE, "Level Zero"},
};

static const struct {
    const row_t *rows;
    int len;
    const char *unknown;
} tables[] = {
#define TABLE(names, rows) [names] = {rows, ARRAY_LEN(rows), "unknown " #rows}
        TABLE(NAMES_STATUS, status),
        TABLE(NAMES_DATA_TYPE, dt),
        TABLE(NAMES_FPMATH_MODE, fpmath_mode),
        TABLE(NAMES_ACCUMULATION_MODE, accumulation_mode),
        TABLE(NAMES_ENGINE_KIND, engine_kind),
        TABLE(NAMES_FORMAT_KIND, fmt_kind),
        TABLE(NAMES_SPARSE_ENCODING, sparse_encoding),
        TABLE(NAMES_PROP_KIND, prop_kind),
        TABLE(NAMES_PRIMITIVE_KIND, prim_kind),
        TABLE(NAMES_ALG_KIND, alg_kind),
        TABLE(NAMES_RNN_FLAGS, rnn_flags),
        TABLE(NAMES_RNN_DIRECTION, rnn_direction),
        TABLE(NAMES_SCRATCHPAD_MODE, scratchpad_mode),
        TABLE(NAMES_ROUNDING_MODE, rounding_mode),
        TABLE(NAMES_QUANTIZATION_MODE, quantization_mode),
        TABLE(NAMES_CPU_ISA, cpu_isa),
        TABLE(NAMES_CPU_ISA_HINTS, cpu_isa_hints),
        [NAMES_RUNTIME] = {runtime, ARRAY_LEN(runtime), "unknown"},
};

const char *enum_name(enum_names_t names, int value) {
    if (names == NAMES_FORMAT_TAG) {
        const char *name = tag_name((dnnl_format_tag_t)value);
        return name ? name : "unknown fmt_tag";
    }
    for (int i = 0; i < tables[names].len; i++)
        if (tables[names].rows[i].value == value) return tables[names].rows[i].name;
    return tables[names].unknown;
}
