/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives of each kind through their C++ classes: results where the library has the kind, and
 * otherwise the error that says so. */
#include "cpp_test.hpp"

#include <utility>

using namespace dnnl;

namespace {

// Where a program starts: ReLU on an image whose channels come last.
void relu_of_an_image() {
    device dev;
    const int N = 1, H = 13, W = 13, C = 3;
    const memory::desc image_md({N, C, H, W}, dt::f32, tag::nhwc);
    const std::vector<float> image = numbers(N * H * W * C);
    memory src = make(dev.eng, image_md, image);
    memory dst(image_md, dev.eng);

    const eltwise_forward::primitive_desc pd(dev.eng, prop_kind::forward_inference,
            algorithm::eltwise_relu, src.get_desc(), dst.get_desc(), 0.f);
    const eltwise_forward relu(pd);
    relu.execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();

    std::vector<float> expected(image);
    for (float &x : expected) x = x > 0 ? x : 0;
    check_equal(read<float>(dst), expected);

    assert_true(pd.get_kind() == primitive::kind::eltwise &&
                relu.get_kind() == primitive::kind::eltwise);
    assert_true(pd.get_algorithm() == algorithm::eltwise_relu && pd.get_alpha() == 0.f);
    assert_true(pd.get_prop_kind() == prop_kind::forward_inference);
    assert_true(
            pd.src_desc() == image_md && pd.dst_desc() == image_md && pd.weights_desc().is_zero());
    assert_true(pd.get_engine().get() == dev.eng.get() && src.get_engine() == dev.eng);
    assert_true(pd.impl_info_str()[0] && pd.get_axis() == -1 && pd.get_strides().empty());
}

void eltwise_works_in_place() {
    device dev;
    const memory::desc md({5, 7}, dt::f32, tag::ab);
    std::vector<float> x = numbers(35);
    memory data = make(dev.eng, md, x);
    const eltwise_forward::primitive_desc pd(
            dev.eng, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, 2.f, -1.f);
    eltwise_forward(pd).execute(dev.strm, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
    dev.strm.wait();
    for (float &v : x) v = 2.f * v - 1.f;
    check_equal(read<float>(data), x);
}

// As eltwise and as post-op: exp of relu.
void algorithms_for_backward_by_destination() {
    device dev;
    const memory::desc md({35}, dt::f32, tag::a);
    std::vector<float> x = numbers(35);
    memory src = make(dev.eng, md, x), dst(md, dev.eng);
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_exp_use_dst_for_bwd, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const eltwise_forward::primitive_desc pd(dev.eng, prop_kind::forward_training,
            algorithm::eltwise_relu_use_dst_for_bwd, md, md, 0.f, 0.f, attr);
    assert_true(pd.get_algorithm() == algorithm::eltwise_relu_use_dst_for_bwd);
    eltwise_forward(pd).execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    for (float &v : x) v = std::exp(v > 0 ? v : 0);
    check_near(read<float>(dst), x, 1e-5f);
}

void binary_broadcasts() {
    device dev;
    const memory::desc md({2, 3, 4}, dt::f32, tag::abc), row_md({1, 3, 1}, dt::f32, tag::abc);
    const std::vector<float> x = numbers(24), y = numbers(3, 2);
    memory src0 = make(dev.eng, md, x), src1 = make(dev.eng, row_md, y), dst(md, dev.eng);

    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_abs, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const binary::primitive_desc pd(dev.eng, algorithm::binary_sub, md, row_md, md, attr);
    assert_true(pd.src0_desc() == md && pd.src1_desc() == row_md && pd.src2_desc().is_zero());
    assert_int_equal(pd.get_primitive_attr().get_post_ops().len(), 1);
    binary(pd).execute(
            dev.strm, {{DNNL_ARG_SRC_0, src0}, {DNNL_ARG_SRC_1, src1}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();

    std::vector<float> expected(24);
    for (size_t i = 0; i < 24; i++) expected[i] = std::fabs(x[i] - y[i / 4 % 3]);
    check_equal(read<float>(dst), expected);
}

void binary_selects_by_a_third_source() {
    device dev;
    const memory::desc md({12}, dt::f32, tag::a), cond_md({12}, dt::s8, tag::a);
    const std::vector<float> x = numbers(12), y = numbers(12, 3);
    std::vector<int8_t> c(12);
    for (size_t i = 0; i < 12; i++) c[i] = i % 3 == 0;
    memory src0 = make(dev.eng, md, x), src1 = make(dev.eng, md, y),
           cond = make(dev.eng, cond_md, c), dst(md, dev.eng);
    const binary::primitive_desc pd(dev.eng, algorithm::binary_select, md, md, cond_md, md);
    binary(pd).execute(dev.strm, {{DNNL_ARG_SRC_0, src0}, {DNNL_ARG_SRC_1, src1},
                                         {DNNL_ARG_SRC_2, cond}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    std::vector<float> expected(12);
    for (size_t i = 0; i < 12; i++) expected[i] = c[i] ? x[i] : y[i];
    check_equal(read<float>(dst), expected);
}

void reorder_changes_layout_and_type() {
    device dev;
    const memory::desc src_md({2, 20, 3, 3}, dt::f32, tag::nchw),
            dst_md({2, 20, 3, 3}, dt::s8, tag::nChw16c);
    const std::vector<float> x = numbers(360);
    memory src = make(dev.eng, src_md, x), blocked(dst_md, dev.eng), back(src_md, dev.eng);
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC);
    const memory scale(memory::desc::host_scalar(dt::f32), 3.f);

    const reorder::primitive_desc pd(dev.eng, src_md, dev.eng, dst_md, attr);
    assert_true(pd.get_src_engine().get() == dev.eng.get() && pd.dst_desc() == dst_md);
    reorder(pd).execute(dev.strm, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, blocked},
                                          {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scale}});
    reorder(blocked, back).execute(dev.strm, blocked, back);
    dev.strm.wait();

    std::vector<float> expected(x);
    for (float &v : expected) v *= 3.f;
    check_equal(read<float>(back), expected);
    const std::vector<int8_t> stored = read<int8_t>(blocked);
    for (size_t i = 0; i < 9; i++)
        for (size_t c = 0; c < 20; c++) // image 0: c / 16, i, c % 16
            assert_true(stored[(c / 16 * 9 + i) * 16 + c % 16] ==
                        static_cast<int8_t>(expected[c * 9 + i]));
}

// A primitive on a part of a tensor takes the memory of the whole.
void reorder_into_a_part() {
    device dev;
    const memory::desc src_md({2, 3}, dt::f32, tag::ab), whole_md({5, 7}, dt::f32, tag::ab);
    const memory::desc part_md = whole_md.submemory_desc({2, 3}, {1, 4});
    memory src = make(dev.eng, src_md, numbers(6)),
           whole = make(dev.eng, whole_md, std::vector<float>(35, 9.f));
    const reorder prim(reorder::primitive_desc(dev.eng, src_md, dev.eng, part_md));
    prim.execute(dev.strm, src, whole);
    dev.strm.wait();
    std::vector<float> expected(35, 9.f);
    for (size_t i = 0; i < 6; i++) expected[(1 + i / 3) * 7 + 4 + i % 3] = numbers(6)[i];
    check_equal(read<float>(whole), expected);

    // A part that ends with the whole.
    const memory::desc corner_md = whole_md.submemory_desc({2, 3}, {3, 4});
    reorder(reorder::primitive_desc(dev.eng, src_md, dev.eng, corner_md))
            .execute(dev.strm, src, whole);
    dev.strm.wait();
    std::vector<float> both(expected);
    for (size_t i = 0; i < 6; i++) both[(3 + i / 3) * 7 + 4 + i % 3] = numbers(6)[i];
    check_equal(read<float>(whole), both);

    // The part ends with element 21. A memory object may have other strides, but not be too small.
    memory other = make(dev.eng, {{3, 7}, dt::s32, tag::ab}, std::vector<int32_t>(21)),
           small({{2, 10}, dt::f32, tag::ab}, dev.eng);
    prim.execute(dev.strm, src, other);
    dev.strm.wait();
    expected.resize(21);
    for (float &v : expected) v = v == 9.f ? 0.f : v;
    check_equal(read<float>(other), expected);
    check_throws(dnnl_invalid_arguments, [&] { prim.execute(dev.strm, src, small); });
}

void bytes_count_and_not_their_description() {
    device dev;
    const memory::desc blocked_md({2, 16, 3, 3}, dt::f32, tag::nChw8c),
            row_md({2 * 16 * 9}, dt::f32, tag::a);
    const std::vector<float> x = numbers(288);
    memory src = make(dev.eng, row_md, x), dst(row_md, dev.eng);
    eltwise_forward(eltwise_forward::primitive_desc(dev.eng, prop_kind::forward_inference,
                            algorithm::eltwise_linear, blocked_md, blocked_md, 2.f, 1.f))
            .execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    std::vector<float> expected(x);
    for (float &v : expected) v = 2.f * v + 1.f;
    check_equal(read<float>(dst), expected);

    // A layout with padding needs room for it: 9 channels are 16.
    const memory::desc padded_md({2, 9, 4, 4}, dt::f32, tag::nChw16c),
            plain_md({2, 9, 4, 4}, dt::f32, tag::nchw);
    const reorder pad(reorder::primitive_desc(dev.eng, plain_md, dev.eng, padded_md));
    memory plain = make(dev.eng, plain_md, numbers(288)), padded(padded_md, dev.eng),
           half(plain_md, dev.eng);
    pad.execute(dev.strm, plain, padded);
    check_throws(dnnl_invalid_arguments, [&] { pad.execute(dev.strm, plain, half); });
    dev.strm.wait();
}

// Engines that the library made for a device work on each other's memory.
void reorder_between_engines() {
    device a, b;
    const memory::desc ab({16, 32}, dt::f32, tag::ab), ba({16, 32}, dt::f32, tag::ba);
    const std::vector<float> x = numbers(512);
    memory src = make(a.eng, ab, x), dst(ba, b.eng);
    const reorder::primitive_desc pd(src, dst);
    assert_true(pd.get_engine().get() == a.eng.get());
    assert_true(pd.get_src_engine().get() == a.eng.get());
    assert_true(pd.get_dst_engine().get() == b.eng.get());
    std::vector<float> expected(512);
    for (size_t i = 0; i < 512; i++) expected[i % 32 * 16 + i / 32] = x[i];
    for (device *dev : {&a, &b}) {
        write(dst, std::vector<float>(512));
        const reorder prim(pd);
        prim.execute(dev->strm, src, dst);
        dev->strm.wait();
        check_equal(read<float>(dst), expected);
    }
    // Other primitives stay with their engine.
    const eltwise_forward relu(eltwise_forward::primitive_desc(
            a.eng, prop_kind::forward_inference, algorithm::eltwise_relu, ab, ab));
    check_throws(dnnl_invalid_arguments,
            [&] { relu.execute(b.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, src}}); });
}

void primitives_are_made_of_c_descriptors() {
    device dev;
    const memory::desc md({4, 4}, dt::f32, tag::ab);
    const matmul::primitive_desc pd(dev.eng, md, md, md);
    dnnl_primitive_desc_t c_pd;
    assert_int_equal(dnnl_primitive_desc_clone(&c_pd, pd.get()), dnnl_success);
    const matmul::primitive_desc copy(c_pd);
    assert_ptr_not_equal(copy.get(), c_pd); // the caller keeps what was passed
    check_throws(dnnl_invalid_arguments, [&] { eltwise_forward::primitive_desc wrong(c_pd); });
    assert_int_equal(dnnl_primitive_desc_destroy(c_pd), dnnl_success);
    assert_false(
            static_cast<bool>(matmul::primitive_desc(static_cast<dnnl_primitive_desc_t>(nullptr))));

    const matmul mm(copy);
    assert_true(primitive_desc(const_cast<dnnl_primitive_desc_t>(mm.get_primitive_desc()), true)
                        .get_kind() == primitive::kind::matmul);
    const eltwise_forward::primitive_desc fwd(
            dev.eng, prop_kind::forward_inference, algorithm::eltwise_relu, md, md);
    check_throws(
            dnnl_invalid_arguments, [&] { eltwise_backward::primitive_desc wrong(fwd.get()); });
}

void refused_primitives_throw_or_are_empty() {
    device dev;
    const memory::desc a({4, 4}, dt::f32, tag::ab), b({5, 4}, dt::f32, tag::ab);
    check_throws(dnnl_invalid_arguments, [&] { matmul::primitive_desc(dev.eng, a, b, a); });
    const memory::desc sparse = memory::desc::csr({4, 4}, dt::f32, 3, dt::s32, dt::s32);
    check_throws(dnnl_unimplemented, [&] { matmul::primitive_desc(dev.eng, sparse, sparse, a); });
    assert_true(static_cast<bool>(
            matmul::primitive_desc(dev.eng, sparse, a, a, primitive_attr(), true)));
    const matmul::primitive_desc empty(dev.eng, a, b, a, primitive_attr(), true);
    assert_false(static_cast<bool>(empty));
    check_throws(dnnl_invalid_arguments, [&] { matmul mm(empty); });

    // As many values as spatial dimensions.
    const memory::desc image({1, 1, 4, 4}, dt::f32, tag::nchw);
    const dims two{1, 1}, one{1};
    check_throws(dnnl_invalid_arguments, [&] {
        convolution_forward::primitive_desc(dev.eng, prop_kind::forward_inference,
                algorithm::convolution_direct, image, image, image, one, two, two);
    });
    check_throws(dnnl_invalid_arguments,
            [&] { sum::primitive_desc(dev.eng, std::vector<float>{1.f}, {a, a}); });
    check_throws(dnnl_invalid_arguments,
            [&] { matmul::primitive_desc(dev.eng, a, a, a).query_md(query::alg_kind); });
    // An argument is missing.
    check_throws(dnnl_invalid_arguments, [&] {
        matmul(matmul::primitive_desc(dev.eng, a, a, a))
                .execute(dev.strm, {{DNNL_ARG_SRC, memory(a, dev.eng)}});
    });
}

} // namespace

int main() {
    const CMUnitTest primitives[] = {
            TEST(relu_of_an_image),
            TEST(eltwise_works_in_place),
            TEST(algorithms_for_backward_by_destination),
            TEST(binary_broadcasts),
            TEST(binary_selects_by_a_third_source),
            TEST(reorder_changes_layout_and_type),
            TEST(reorder_into_a_part),
            TEST(bytes_count_and_not_their_description),
            TEST(reorder_between_engines),
            TEST(primitives_are_made_of_c_descriptors),
            TEST(refused_primitives_throw_or_are_empty),
    };
    return RUN_ON_DEVICE(primitives);
}
