/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerators, the version, and the functions that a library without CPU code answers. */
#include "md_test.h"

#include "core/strings.h"
#include "oneapi/dnnl/dnnl_debug.h"

static void names(void **state) {
    (void)state;
    const struct {
        const char *name, *wanted;
    } cases[] = {
            {dnnl_status2str(dnnl_success), "success"},
            {dnnl_status2str(dnnl_invalid_graph_op), "invalid_graph_op"},
            {dnnl_status2str(dnnl_invalid_data_type), "invalid_data_type"},
            {dnnl_status2str((dnnl_status_t)77), "unknown status"},
            {dnnl_dt2str(dnnl_data_type_undef), "undef"},
            {dnnl_dt2str(dnnl_f4_e2m1), "f4_e2m1"},
            {dnnl_dt2str(dnnl_s64), "s64"},
            {dnnl_dt2str((dnnl_data_type_t)-1), "unknown dt"},
            {dnnl_fpmath_mode2str(dnnl_fpmath_mode_tf32), "tf32"},
            {dnnl_fpmath_mode2str((dnnl_fpmath_mode_t)9), "unknown fpmath_mode"},
            {dnnl_accumulation_mode2str(dnnl_accumulation_mode_relaxed), "relaxed"},
            {dnnl_accumulation_mode2str((dnnl_accumulation_mode_t)9), "unknown accumulation_mode"},
            {dnnl_engine_kind2str(dnnl_gpu), "gpu"},
            {dnnl_engine_kind2str(dnnl_any_engine), "any"},
            {dnnl_engine_kind2str((dnnl_engine_kind_t)9), "unknown engine_kind"},
            {dnnl_sparse_encoding2str(dnnl_coo), "coo"},
            {dnnl_sparse_encoding2str((dnnl_sparse_encoding_t)9), "unknown sparse_encoding"},
            {dnnl_fmt_kind2str(dnnl_blocked), "blocked"},
            {dnnl_fmt_kind2str(dnnl_format_kind_sparse), "sparse"},
            {dnnl_fmt_kind2str((dnnl_format_kind_t)99), "unknown fmt_kind"},
            {dnnl_fmt_tag2str(dnnl_format_tag_undef), "undef"},
            {dnnl_fmt_tag2str(dnnl_format_tag_any), "any"},
            {dnnl_fmt_tag2str(dnnl_nhwc), "acdb"},
            {dnnl_fmt_tag2str(dnnl_format_tag_last), "format_tag_last"},
            {dnnl_fmt_tag2str((dnnl_format_tag_t)-1), "unknown fmt_tag"},
            {dnnl_prop_kind2str(dnnl_forward), "forward_training"},
            {dnnl_prop_kind2str(dnnl_backward_bias), "backward_bias"},
            {dnnl_prop_kind2str((dnnl_prop_kind_t)1), "unknown prop_kind"},
            {dnnl_prim_kind2str(dnnl_undefined_primitive), "undef"},
            {dnnl_prim_kind2str(dnnl_group_normalization), "group_normalization"},
            {dnnl_prim_kind2str((dnnl_primitive_kind_t)99), "unknown prim_kind"},
            {dnnl_alg_kind2str(dnnl_eltwise_gelu_erf), "eltwise_gelu_erf"},
            {dnnl_alg_kind2str(dnnl_eltwise_clip_v2_use_dst_for_bwd),
                    "eltwise_clip_v2_use_dst_for_bwd"},
            {dnnl_alg_kind2str(dnnl_reduction_norm_lp_power_p_sum),
                    "reduction_norm_lp_power_p_sum"},
            {dnnl_alg_kind2str(dnnl_softmax_log), "softmax_log"},
            {dnnl_alg_kind2str((dnnl_alg_kind_t)7), "unknown alg_kind"},
            {dnnl_rnn_flags2str(dnnl_rnn_flags_diff_weights_overwrite),
                    "rnn_flags_diff_weights_overwrite"},
            {dnnl_rnn_flags2str((dnnl_rnn_flags_t)9), "unknown rnn_flags"},
            {dnnl_rnn_direction2str(dnnl_bidirectional_sum), "bidirectional_sum"},
            {dnnl_rnn_direction2str((dnnl_rnn_direction_t)9), "unknown rnn_direction"},
            {dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_user), "user"},
            {dnnl_scratchpad_mode2str((dnnl_scratchpad_mode_t)9), "unknown scratchpad_mode"},
            {dnnl_rounding_mode2str(dnnl_rounding_mode_stochastic), "stochastic"},
            {dnnl_rounding_mode2str((dnnl_rounding_mode_t)9), "unknown rounding_mode"},
            {dnnl_quantization_mode2str(dnnl_quantization_mode_dynamic_mx), "dynamic_mx"},
            {dnnl_quantization_mode2str((dnnl_quantization_mode_t)9), "unknown quantization_mode"},
            {dnnl_cpu_isa2str(dnnl_cpu_isa_avx2), "cpu_isa_avx2"},
            {dnnl_cpu_isa2str((dnnl_cpu_isa_t)2), "unknown cpu_isa"},
            {dnnl_cpu_isa_hints2str(dnnl_cpu_isa_prefer_ymm), "cpu_isa_prefer_ymm"},
            {dnnl_cpu_isa_hints2str((dnnl_cpu_isa_hints_t)9), "unknown cpu_isa_hints"},
            {dnnl_runtime2str(DNNL_RUNTIME_ZE), "Level Zero"},
            {dnnl_runtime2str(DNNL_RUNTIME_SEQ), "sequential"},
            {dnnl_runtime2str(3), "unknown"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(cases[i].name, cases[i].wanted);
}

static void version(void **state) {
    (void)state;
    const dnnl_version_t *v = dnnl_version();
    assert_int_equal(v->major, 3);
    assert_int_equal(v->minor, 13);
    assert_int_equal(v->patch, DNNL_VERSION_PATCH);
    assert_int_equal(v->cpu_runtime, DNNL_RUNTIME_NONE);
    assert_int_equal(v->gpu_runtime, DNNL_RUNTIME_ZE);
    assert_true(strlen(v->hash) > 0);
    assert_ptr_equal(v, dnnl_version());
}

static void no_cpu_code(void **state) {
    (void)state;
    float a[1] = {1}, c[1] = {7};
    int8_t s[1] = {1};
    uint8_t u[1] = {1};
    int32_t sum[1] = {7};
    assert_int_equal(dnnl_sgemm('N', 'N', 1, 1, 1, 1.f, a, 1, a, 1, 0.f, c, 1), dnnl_unimplemented);
    assert_int_equal(
            dnnl_gemm_u8s8s32('N', 'N', 'F', 1, 1, 1, 1.f, u, 1, 0, s, 1, 0, 0.f, sum, 1, sum),
            dnnl_unimplemented);
    assert_int_equal(
            dnnl_gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, 1.f, s, 1, 0, s, 1, 0, 0.f, sum, 1, sum),
            dnnl_unimplemented);
    assert_true(c[0] == 7 && sum[0] == 7);
    assert_int_equal(dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2), dnnl_runtime_error);
    assert_int_equal(dnnl_get_effective_cpu_isa(), dnnl_cpu_isa_default);
    assert_int_equal(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm), dnnl_runtime_error);
    assert_int_equal(dnnl_get_cpu_isa_hints(), dnnl_cpu_isa_no_hints);
    assert_int_equal(dnnl_set_jit_profiling_flags(1), dnnl_unimplemented);
    assert_int_equal(dnnl_set_jit_profiling_jitdumpdir("/"), dnnl_unimplemented);
    assert_int_equal(dnnl_set_jit_dump(1), dnnl_success);
}

static void text_buffers(void **state) {
    (void)state;
    char buf[6] = "xxxxx";
    text_t t = text_start(buf, sizeof(buf));
    assert_string_equal(buf, "");
    text_add(&t, "ab%d", 12);
    text_add(&t, "cde");
    text_add(&t, "f");
    assert_string_equal(buf, "ab12c");
    assert_int_equal(t.len, 8);
    t = text_start(NULL, 0);
    text_add_dims(&t, DIMS(2, RT, -3), 3);
    assert_int_equal(t.len, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(names),
            cmocka_unit_test(version),
            cmocka_unit_test(no_cpu_code),
            cmocka_unit_test(text_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
