/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix multiplication the ways the developer guide uses it: bias and post-ops, weights in a
 * layout of the library's choice, sizes known at execution, scales on the host, and 8-bit
 * inference. */
#include "cpp_test.hpp"

#include <algorithm>
#include <unordered_map>

using namespace dnnl;

namespace {

const memory::dim M = 12, K = 40, N = 20;
const memory::desc src_md({M, K}, dt::f32, tag::ab), weights_md({K, N}, dt::f32, tag::ab),
        dst_md({M, N}, dt::f32, tag::ab), bias_md({1, N}, dt::f32, tag::ab);

struct operands {
    std::vector<float> a = numbers(M * K), b = numbers(K * N, 1), bias = numbers(N, 2);
    std::vector<float> c = product(a, b, M, K, N);
};

void bias_and_post_ops() {
    device dev;
    operands data;
    memory src = make(dev.eng, src_md, data.a), weights = make(dev.eng, weights_md, data.b),
           bias = make(dev.eng, bias_md, data.bias), dst = make(dev.eng, dst_md, numbers(M * N, 4));
    post_ops ops;
    ops.append_sum(0.5f);
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const matmul::primitive_desc pd(dev.eng, src_md, weights_md, bias_md, dst_md, attr);
    assert_true(pd.bias_desc() == bias_md && pd.weights_desc() == weights_md);
    matmul(pd).execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                         {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();

    std::vector<float> expected = data.c;
    const std::vector<float> old = numbers(M * N, 4);
    for (size_t i = 0; i < expected.size(); i++)
        expected[i] = std::max(expected[i] + data.bias[i % N] + 0.5f * old[i], 0.f);
    check_near(read<float>(dst), expected, 1e-5f);
}

// The library chooses a layout for the weights, and a reorder brings them into it once.
void weights_in_a_chosen_layout() {
    device dev;
    operands data;
    memory src = make(dev.eng, src_md, data.a), weights = make(dev.eng, weights_md, data.b),
           dst(dst_md, dev.eng);
    const matmul::primitive_desc pd(
            dev.eng, src_md, memory::desc({K, N}, dt::f32, tag::any), dst_md);
    assert_true(pd.weights_desc().get_format_kind() != memory::format_kind::any);
    memory chosen = weights;
    if (pd.weights_desc() != weights.get_desc()) {
        chosen = memory(pd.weights_desc(), dev.eng);
        reorder(weights, chosen).execute(dev.strm, weights, chosen);
    }
    matmul(pd).execute(
            dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, chosen}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    check_near(read<float>(dst), data.c, 1e-5f);
}

void transposed_batches() {
    device dev;
    const size_t batch = 3, m = 4, k = 6, n = 5;
    const memory::desc a_md({3, 4, 6}, dt::f32, tag::acb), b_md({1, 6, 5}, dt::f32, tag::abc),
            c_md({3, 4, 5}, dt::f32, tag::abc);
    const std::vector<float> a = numbers(batch * m * k), b = numbers(k * n, 1);
    memory src = make(dev.eng, a_md, a), weights = make(dev.eng, b_md, b), dst(c_md, dev.eng);
    matmul(matmul::primitive_desc(dev.eng, a_md, b_md, c_md))
            .execute(dev.strm,
                    {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    const std::vector<float> c = read<float>(dst);
    for (size_t i = 0; i < batch; i++) {
        std::vector<float> rows(m * k);
        for (size_t r = 0; r < m; r++)
            for (size_t s = 0; s < k; s++) rows[r * k + s] = a[(i * k + s) * m + r];
        const auto first = c.begin() + static_cast<std::ptrdiff_t>(i * m * n);
        check_near(std::vector<float>(first, first + static_cast<std::ptrdiff_t>(m * n)),
                product(rows, b, m, k, n), 1e-5f);
    }
}

// One primitive for any number of rows.
void rows_known_at_execution() {
    device dev;
    operands data;
    const memory::dim any = DNNL_RUNTIME_DIM_VAL;
    const matmul mm(matmul::primitive_desc(dev.eng, memory::desc({any, K}, dt::f32, dims{K, 1}),
            weights_md, memory::desc({any, N}, dt::f32, dims{N, 1})));
    memory weights = make(dev.eng, weights_md, data.b);
    for (const memory::dim rows : {memory::dim(1), memory::dim(5), M}) {
        const std::vector<float> a(data.a.begin(), data.a.begin() + rows * K);
        memory src = make(dev.eng, memory::desc({rows, K}, dt::f32, tag::ab), a),
               dst(memory::desc({rows, N}, dt::f32, tag::ab), dev.eng);
        mm.execute(
                dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
        dev.strm.wait();
        check_near(read<float>(dst), product(a, data.b, static_cast<size_t>(rows), K, N), 1e-5f);
    }
}

// Scales that live on the host change between executions of one primitive.
void scales_on_the_host() {
    device dev;
    operands data;
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC);
    attr.set_host_scale(DNNL_ARG_WEIGHTS);
    attr.set_host_scale(DNNL_ARG_DST);
    const matmul mm(matmul::primitive_desc(dev.eng, src_md, weights_md, dst_md, attr));
    memory src = make(dev.eng, src_md, data.a), weights = make(dev.eng, weights_md, data.b),
           dst(dst_md, dev.eng);
    const memory::desc scalar_md = memory::desc::host_scalar(dt::f32);
    const memory src_scale(scalar_md, 2.f), weights_scale(scalar_md, 0.5f),
            dst_scale(scalar_md, 4.f);
    std::unordered_map<int, memory> args{{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
            {DNNL_ARG_DST, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, weights_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, dst_scale}};
    for (const float factor : {2.f, -3.f}) {
        src_scale.set_host_scalar_value(factor);
        mm.execute(dev.strm, args);
        dev.strm.wait();
        std::vector<float> expected(data.c);
        for (float &x : expected) x *= factor * 0.5f / 4.f;
        check_near(read<float>(dst), expected, 1e-5f);
    }
}

// u8 activations with a zero point, s8 weights with a scale for each column, ReLU, s8 results.
void int8_inference() {
    device dev;
    const memory::desc u8_md({M, K}, dt::u8, tag::ab), s8_md({K, N}, dt::s8, tag::ab),
            out_md({M, N}, dt::s8, tag::ab), scale_md({1}, dt::f32, tag::a),
            scales_md({N}, dt::f32, tag::a), zero_md({1}, dt::s32, tag::a);
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points_mask(DNNL_ARG_DST, 0);
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(ops);
    const matmul::primitive_desc pd(dev.eng, u8_md, s8_md, bias_md, out_md, attr);

    std::vector<uint8_t> a(M * K);
    for (size_t i = 0; i < a.size(); i++) a[i] = static_cast<uint8_t>((i * 11) % 30);
    const std::vector<int8_t> b = numbers<int8_t>(K * N, 1);
    const std::vector<float> bias = numbers(N, 2);
    std::vector<float> scales(N);
    for (size_t n = 0; n < scales.size(); n++) scales[n] = n % 2 ? 0.25f : 0.5f;
    const float src_scale = 0.5f, dst_scale = 2.f;
    const int32_t src_zero = 12, dst_zero = -5;

    memory dst(out_md, dev.eng);
    // Memory objects live until the stream is done with them.
    const std::unordered_map<int, memory> args{{DNNL_ARG_SRC, make(dev.eng, u8_md, a)},
            {DNNL_ARG_WEIGHTS, make(dev.eng, s8_md, b)},
            {DNNL_ARG_BIAS, make(dev.eng, bias_md, bias)}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                    make(dev.eng, scale_md, std::vector<float>{src_scale})},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, make(dev.eng, scales_md, scales)},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
                    make(dev.eng, scale_md, std::vector<float>{dst_scale})},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
                    make(dev.eng, zero_md, std::vector<int32_t>{src_zero})},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST,
                    make(dev.eng, zero_md, std::vector<int32_t>{dst_zero})}};
    matmul(pd).execute(dev.strm, args);
    dev.strm.wait();

    std::vector<int8_t> expected(M * N);
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            int32_t sum = 0;
            for (size_t k = 0; k < K; k++) sum += (a[m * K + k] - src_zero) * b[k * N + n];
            const float real = static_cast<float>(sum) * src_scale * scales[n] + bias[n];
            const float q =
                    std::nearbyint(std::max(real, 0.f) / dst_scale + static_cast<float>(dst_zero));
            expected[m * N + n] = static_cast<int8_t>(std::min(std::max(q, -128.f), 127.f));
        }
    check_equal(read<int8_t>(dst), expected);
}

} // namespace

int main() {
    const CMUnitTest matmuls[] = {
            TEST(bias_and_post_ops),
            TEST(weights_in_a_chosen_layout),
            TEST(transposed_batches),
            TEST(rows_known_at_execution),
            TEST(scales_on_the_host),
            TEST(int8_inference),
    };
    return RUN_ON_DEVICE(matmuls);
}
