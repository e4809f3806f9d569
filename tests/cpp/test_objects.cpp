/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that need no device: errors, handles, memory descriptors, attributes, post-ops,
 * library functions.
 */
#include "cpp_test.hpp"

using dnnl::memory;
using dnnl::post_ops;
using dnnl::primitive_attr;

namespace {

const memory::desc plain({2, 3, 4, 5}, dt::f32, tag::nchw);

void errors_carry_status_and_message() {
    try {
        memory::desc({1, 2}, dt::f32, tag::nchw);
        fail_msg("nothing was thrown");
    } catch (const std::exception &e) {
        const auto *error = dynamic_cast<const dnnl::error *>(&e);
        assert_non_null(error);
        assert_int_equal(error->status, dnnl_invalid_arguments);
        assert_true(error->what() == error->message && error->message[0]);
    }
    dnnl::error::wrap_c_api(dnnl_success, "nothing");
    check_throws(
            dnnl_runtime_error, [] { dnnl::error::wrap_c_api(dnnl_runtime_error, "something"); });
}

void empty_handles_are_errors_when_used() {
    dnnl::engine none;
    assert_false(static_cast<bool>(none));
    assert_null(none.get(true));
    assert_null(static_cast<dnnl_engine_t>(none));
    check_throws(dnnl_invalid_arguments, [&] { none.get(); });
    check_throws(dnnl_invalid_arguments, [&] { none.get_kind(); });
    check_throws(dnnl_invalid_arguments, [] { dnnl::stream().wait(); });
    check_throws(dnnl_invalid_arguments, [] { dnnl::primitive().get_kind(); });
    check_throws(dnnl_invalid_arguments, [] { memory().get_desc(); });
    check_throws(dnnl_invalid_arguments, [] { dnnl::matmul::primitive_desc().src_desc(); });
}

void copies_share_an_object() {
    memory::desc a = plain, b({2, 3, 4, 5}, dt::f32, tag::nchw), moved(std::move(a));
    assert_ptr_equal(moved.get(), plain.get());
    assert_false(static_cast<bool>(a));
    assert_ptr_not_equal(b.get(), plain.get());
    assert_true(b == plain); // descriptors compare by value
    a = b;
    b = memory::desc();
    assert_true(a == plain && b.is_zero());

    post_ops ops; // other objects by identity
    post_ops same = ops;
    same.append_sum();
    assert_true(ops == same && ops != post_ops());
    assert_int_equal(ops.len(), 1);
}

void weak_handles_do_not_destroy() {
    dnnl_post_ops_t c_ops;
    assert_int_equal(dnnl_post_ops_create(&c_ops), dnnl_success);
    {
        post_ops weak(c_ops, true);
        weak.append_prelu(0);
    }
    post_ops owner;
    owner.reset(c_ops);
    assert_int_equal(owner.len(), 1);
}

void descriptors_answer_queries() {
    assert_int_equal(plain.get_ndims(), 4);
    assert_true(plain.get_dims() == dims({2, 3, 4, 5}));
    assert_true(plain.get_strides() == dims({60, 20, 5, 1}));
    assert_true(plain.get_padded_dims() == plain.get_dims());
    assert_true(plain.get_padded_offsets() == dims({0, 0, 0, 0}));
    assert_true(plain.get_data_type() == dt::f32 && plain.get_data_type() == dnnl_f32);
    assert_true(plain.get_format_kind() == memory::format_kind::blocked);
    assert_int_equal(plain.get_size(), 480);
    assert_int_equal(plain.get_num_handles(), 1);
    assert_int_equal(plain.get_inner_nblks(), 0);
    assert_true(plain.get_inner_blks().empty() && plain.get_inner_idxs().empty());
    assert_int_equal(plain.get_submemory_offset(), 0);
    assert_true(plain == memory::desc({2, 3, 4, 5}, dt::f32, dims{60, 20, 5, 1}));
    assert_true(plain == memory::desc({2, 3, 4, 5}, dt::f32, dims{}));

    const memory::desc blocked({2, 17, 3}, dt::f16, tag::nCw16c);
    assert_int_equal(blocked.get_inner_nblks(), 1);
    assert_true(blocked.get_inner_blks() == dims({16}) && blocked.get_inner_idxs() == dims({1}));
    assert_true(blocked.get_padded_dims() == dims({2, 32, 3}));
    assert_int_equal(blocked.get_size(), 2 * 32 * 3 * memory::data_type_size(dt::f16));

    const memory::desc zero;
    assert_true(zero.is_zero() && zero.get_dims().empty() && zero.get_size() == 0);
    const memory::desc any({4, 4}, dt::s8, tag::any);
    assert_true(any.get_format_kind() == memory::format_kind::any && any.get_strides().empty());
    assert_true(any != plain);
}

void descriptors_make_others() {
    const memory::desc part = plain.submemory_desc({1, 3, 2, 5}, {1, 0, 1, 0});
    assert_int_equal(part.get_submemory_offset(), 65);
    assert_true(part.get_strides() == plain.get_strides());
    assert_true(plain.reshape({6, 20}) == memory::desc({6, 20}, dt::f32, tag::ab));
    assert_true(plain.permute_axes({0, 3, 1, 2}).get_dims() == dims({2, 4, 5, 3}));
    assert_true(memory::desc(plain).get_blob() == plain.get_blob());
    assert_true(memory::desc(plain.get_blob()) == plain);

    const memory::desc csr = memory::desc::csr({8, 8}, dt::f32, 5, dt::s32, dt::s32);
    assert_true(csr.get_format_kind() == memory::format_kind::sparse);
    assert_true(csr.get_sparse_encoding() == memory::sparse_encoding::csr);
    assert_int_equal(csr.get_nnz(), 5);
    assert_int_equal(csr.get_num_handles(), 3);
    assert_true(csr.get_data_type(0) == dt::f32 && csr.get_data_type(1) == dt::s32);
    assert_int_equal(csr.get_size(0), 20);
    assert_int_equal(csr.get_size(2), 36);
    assert_int_equal(memory::desc::coo({8, 8}, dt::f32, 5, dt::s32).get_num_handles(), 3);
    assert_true(memory::desc::packed({8, 8}, dt::f32, 5).get_sparse_encoding() ==
                memory::sparse_encoding::packed);
    assert_true(memory::desc::host_scalar(dt::f32).get_format_kind() ==
                memory::format_kind::host_scalar);
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
    assert_true(memory::desc::grouped({8, 4}, dt::f32, 0, 2).get_sparse_encoding() ==
                memory::sparse_encoding::grouped);
#endif
}

void refused_descriptors_throw_or_are_empty() {
    check_throws(dnnl_invalid_arguments, [] { memory::desc({-2}, dt::f32, tag::a); });
    assert_false(static_cast<bool>(memory::desc({-2}, dt::f32, tag::a, true)));
    assert_false(static_cast<bool>(memory::desc({-2}, dt::f32, dims{1}, true)));
    assert_false(static_cast<bool>(memory::desc::coo({-2}, dt::f32, 1, dt::s32, true)));
    check_throws(dnnl_invalid_arguments, [] { memory::desc(dims(13, 1), dt::f32, dims{}); });
    check_throws(dnnl_invalid_arguments, [] { memory::desc({2, 2}, dt::f32, dims{1}); });
    check_throws(dnnl_invalid_arguments, [] { plain.submemory_desc({1, 1}, {0, 0}); });
    check_throws(dnnl_invalid_arguments, [] { plain.reshape({7}); });
    assert_false(static_cast<bool>(plain.reshape({7}, true)));
    check_throws(dnnl_invalid_arguments, [] { plain.permute_axes({0, 0, 1, 2}); });
    assert_false(static_cast<bool>(plain.permute_axes({0, 0, 1, 2}, true)));
    check_throws(dnnl_invalid_arguments, [] { plain.permute_axes({0}); });
}

void host_scalars_hold_a_value() {
    const memory scalar(memory::desc::host_scalar(dt::f32), 2.5f);
    assert_true(scalar.get_host_scalar_value<float>() == 2.5f);
    scalar.set_host_scalar_value(-1.f);
    assert_true(scalar.get_host_scalar_value<float>() == -1.f);
    assert_true(scalar.get_desc() == memory::desc::host_scalar(dt::f32));
    assert_false(static_cast<bool>(scalar.get_engine()));
    check_throws(dnnl_invalid_arguments, [&] { scalar.get_host_scalar_value<int8_t>(); });
    check_throws(dnnl_invalid_arguments, [&] { scalar.set_host_scalar_value(1.0); });
    check_throws(dnnl_invalid_arguments, [] { memory(memory::desc::host_scalar(dt::s8), 1.f); });
}

void post_ops_keep_their_parameters() {
    post_ops ops;
    ops.append_sum(2.f, 3, dt::s8);
    ops.append_eltwise(algorithm::eltwise_linear, 0.5f, 0.25f);
    ops.append_dw(dt::s8, dt::f32, dt::u8, 3, 2, 1);
    ops.append_binary(algorithm::binary_mul, plain);
    ops.append_binary(
            algorithm::binary_select, plain, memory::desc({2, 3, 4, 5}, dt::s8, tag::nchw));
    ops.append_prelu(2);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const post_ops copy = attr.get_post_ops();
    assert_int_equal(copy.len(), 6);
    assert_true(copy.kind(0) == dnnl::primitive::kind::sum &&
                copy.kind(5) == dnnl::primitive::kind::prelu);
    check_throws(dnnl_invalid_arguments, [&] { copy.kind(6); });
    check_throws(dnnl_invalid_arguments, [&] { copy.kind(-1); });

    float alpha, beta;
    int32_t zero_point;
    dt type;
    copy.get_params_sum(0, alpha, zero_point, type);
    assert_true(alpha == 2.f && zero_point == 3 && type == dt::s8);
    copy.get_params_sum(0, beta);
    copy.get_params_sum(0, alpha, type);
    assert_true(alpha == 2.f && beta == 2.f && type == dt::s8);
    algorithm alg;
    copy.get_params_eltwise(1, alg, alpha, beta);
    assert_true(alg == algorithm::eltwise_linear && alpha == 0.5f && beta == 0.25f);
    dt weights, bias, dst;
    memory::dim kernel, stride, padding;
    copy.get_params_dw(2, weights, bias, dst, kernel, stride, padding);
    assert_true(weights == dt::s8 && bias == dt::f32 && dst == dt::u8);
    assert_true(kernel == 3 && stride == 2 && padding == 1);
    memory::desc src1, src2;
    copy.get_params_binary(3, alg, src1);
    assert_true(alg == algorithm::binary_mul && src1 == plain);
    copy.get_params_binary(4, alg, src1, src2);
    assert_true(alg == algorithm::binary_select && src2.get_data_type() == dt::s8);
    int mask;
    copy.get_params_prelu(5, mask);
    assert_int_equal(mask, 2);
    check_throws(dnnl_invalid_arguments, [&] { copy.get_params_prelu(0, mask); });
}

void attributes_keep_their_values() {
    primitive_attr attr;
    attr.set_fpmath_mode(dnnl::fpmath_mode::bf16, true);
    dnnl::fpmath_mode mode;
    bool to_int;
    attr.get_fpmath_mode(mode, to_int);
    assert_true(mode == dnnl::fpmath_mode::bf16 && to_int);
    assert_true(attr.get_fpmath_mode() == dnnl::fpmath_mode::bf16);
    attr.set_accumulation_mode(dnnl::accumulation_mode::f16);
    assert_true(attr.get_accumulation_mode() == dnnl::accumulation_mode::f16);
    attr.set_deterministic(true);
    assert_true(attr.get_deterministic());
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    assert_true(attr.get_scratchpad_mode() == dnnl::scratchpad_mode::user);
    attr.set_rounding_mode(DNNL_ARG_DST, dnnl::rounding_mode::stochastic);
    assert_true(attr.get_rounding_mode(DNNL_ARG_DST) == dnnl::rounding_mode::stochastic);
    assert_true(attr.get_rounding_mode(DNNL_ARG_DIFF_SRC) == dnnl::rounding_mode::environment);

    const memory::desc mask_md({2, 2}, dt::u8, tag::ab);
    memory::desc mask;
    attr.get_dropout(mask);
    assert_true(mask.is_zero());
    attr.set_dropout(mask_md, dt::s64, true, false);
    dt seed;
    bool offset, host;
    attr.get_dropout(mask, seed, offset, host);
    assert_true(mask == mask_md && seed == dt::s64 && offset && !host);
    attr.set_dropout(mask_md);

    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {32, 1}, dt::f16);
    attr.set_host_scale(DNNL_ARG_DST);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {32, 1}, dt::s8);
    attr.set_host_zero_point(DNNL_ARG_DST);
    check_throws(dnnl_invalid_arguments, [&] { attr.set_scales_mask(DNNL_ARG_SRC, -1); });
    check_throws(dnnl_invalid_arguments, [&] { attr.set_scales(DNNL_ARG_WEIGHTS, 3, {-1, 1}); });

    float scale, shift;
    attr.set_rnn_data_qparams(2.f, 128.f);
    attr.get_rnn_data_qparams(scale, shift);
    assert_true(scale == 2.f && shift == 128.f);
    int qmask;
    std::vector<float> scales;
    attr.set_rnn_weights_qparams(24, {1.f, 2.f});
    attr.get_rnn_weights_qparams(qmask, scales);
    assert_true(qmask == 24 && scales == std::vector<float>({1.f, 2.f}));
    attr.set_rnn_weights_projection_qparams(8, {3.f});
    attr.get_rnn_weights_projection_qparams(qmask, scales);
    assert_true(qmask == 8 && scales == std::vector<float>({3.f}));
}

void library_functions_answer() {
    assert_int_equal(dnnl::version()->major, DNNL_VERSION_MAJOR);
    assert_int_equal(dnnl::version()->gpu_runtime, DNNL_RUNTIME_ZE);
    assert_int_equal(dnnl::engine::get_count(dnnl::engine::kind::cpu), 0);
    check_throws(dnnl_invalid_arguments, [] { dnnl::engine(dnnl::engine::kind::cpu, 0); });
    assert_true(dnnl::set_verbose(0) == dnnl::status::success);
    assert_true(dnnl::set_verbose(-7) == dnnl::status::invalid_arguments);

    const dnnl::fpmath_mode mode = dnnl::get_default_fpmath_mode();
    assert_true(dnnl::set_default_fpmath_mode(dnnl::fpmath_mode::tf32) == dnnl::status::success);
    assert_true(dnnl::get_default_fpmath_mode() == dnnl::fpmath_mode::tf32);
    assert_true(primitive_attr().get_fpmath_mode() == dnnl::fpmath_mode::tf32);
    assert_true(dnnl::set_default_fpmath_mode(mode) == dnnl::status::success);

    const int capacity = dnnl::get_primitive_cache_capacity();
    dnnl::set_primitive_cache_capacity(7);
    assert_int_equal(dnnl::get_primitive_cache_capacity(), 7);
    check_throws(dnnl_invalid_arguments, [] { dnnl::set_primitive_cache_capacity(-1); });
    dnnl::set_primitive_cache_capacity(capacity);

    assert_true(dnnl::set_jit_dump(1) == dnnl::status::success);
    assert_true(
            dnnl::set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE) == dnnl::status::unimplemented);
    assert_true(dnnl::set_jit_profiling_jitdumpdir(".") == dnnl::status::unimplemented);
    assert_true(dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2) == dnnl::status::runtime_error);
    assert_true(dnnl::get_effective_cpu_isa() == dnnl::cpu_isa::isa_default);
    assert_true(dnnl::set_cpu_isa_hints(dnnl::cpu_isa_hints::prefer_ymm) ==
                dnnl::status::runtime_error);
    assert_true(dnnl::get_cpu_isa_hints() == dnnl::cpu_isa_hints::no_hints);
    float x = 0;
    assert_true(dnnl::sgemm('N', 'N', 1, 1, 1, 1.f, &x, 1, &x, 1, 0.f, &x, 1) ==
                dnnl::status::unimplemented);
    const uint8_t a = 0;
    const int8_t b = 0;
    int32_t c = 0;
    assert_true(dnnl::gemm_u8s8s32('N', 'N', 'F', 1, 1, 1, 1.f, &a, 1, 0, &b, 1, 0, 0.f, &c, 1,
                        &c) == dnnl::status::unimplemented);
    assert_true(dnnl::gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, 1.f, &b, 1, 0, &b, 1, 0, 0.f, &c, 1,
                        &c) == dnnl::status::unimplemented);
}

} // namespace

int main() {
    const CMUnitTest objects[] = {
            TEST(errors_carry_status_and_message),
            TEST(empty_handles_are_errors_when_used),
            TEST(copies_share_an_object),
            TEST(weak_handles_do_not_destroy),
            TEST(descriptors_answer_queries),
            TEST(descriptors_make_others),
            TEST(refused_descriptors_throw_or_are_empty),
            TEST(host_scalars_hold_a_value),
            TEST(post_ops_keep_their_parameters),
            TEST(attributes_keep_their_values),
            TEST(library_functions_answer),
    };
    return cmocka_run_group_tests(objects, nullptr, nullptr);
}
