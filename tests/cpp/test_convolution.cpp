/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and deconvolution through their C++ classes: all ways to make their descriptors,
 * and results.
 */
#include "cpp_test.hpp"

#include <utility>

using namespace dnnl;

namespace {

// One image: IC x I x I to OC x O x O, with a K x K kernel.
struct shape {
    memory::dim ic, oc, in, out, kernel, stride, dilation, padding;
    dims src() const { return {1, ic, in, in}; }
    dims weights() const { return {oc, ic, kernel, kernel}; }
    dims dst() const { return {1, oc, out, out}; }
    dims both(memory::dim v) const { return {v, v}; }
};
const shape plain{5, 7, 9, 9, 3, 1, 0, 1}, strided{3, 4, 11, 4, 3, 2, 1, 0};

size_t index(const dims &d, memory::dim c, memory::dim y, memory::dim x) {
    return static_cast<size_t>((c * d[2] + y) * d[3] + x);
}

// Calls f(source, weights, destination) with the offsets of each product in a convolution.
template <typename F> void for_each_product(const shape &s, const F &f) {
    const dims src = s.src(), dst = s.dst();
    for (memory::dim oc = 0; oc < s.oc; oc++)
        for (memory::dim ic = 0; ic < s.ic; ic++)
            for (memory::dim at = 0; at < s.out * s.out * s.kernel * s.kernel; at++) {
                const memory::dim kx = at % s.kernel, ky = at / s.kernel % s.kernel,
                                  ox = at / s.kernel / s.kernel % s.out,
                                  oy = at / s.kernel / s.kernel / s.out;
                const memory::dim y = oy * s.stride - s.padding + ky * (s.dilation + 1),
                                  x = ox * s.stride - s.padding + kx * (s.dilation + 1);
                if (y < 0 || y >= s.in || x < 0 || x >= s.in) continue;
                const size_t w =
                        static_cast<size_t>(((oc * s.ic + ic) * s.kernel + ky) * s.kernel + kx);
                f(index(src, ic, y, x), w, index(dst, oc, oy, ox));
            }
}

size_t volume(const dims &d) {
    size_t n = 1;
    for (const memory::dim v : d) n *= static_cast<size_t>(v);
    return n;
}

const memory::desc bias_md({7}, dt::f32, tag::a);

void forward_with_bias_and_relu() {
    device dev;
    const shape &s = plain;
    const memory::desc src_md(s.src(), dt::f32, tag::nchw),
            weights_md(s.weights(), dt::f32, tag::oihw), dst_md(s.dst(), dt::f32, tag::nchw);
    const std::vector<float> x = numbers(volume(s.src())), w = numbers(volume(s.weights()), 1),
                             b = numbers(7, 2);
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const convolution_forward::primitive_desc pd(dev.eng, prop_kind::forward_inference,
            algorithm::convolution_direct, src_md, weights_md, bias_md, dst_md, s.both(s.stride),
            s.both(s.padding), s.both(s.padding), attr);
    assert_true(pd.bias_desc() == bias_md && pd.get_algorithm() == algorithm::convolution_direct);
    assert_true(pd.get_strides() == dims({1, 1}) && pd.get_dilations() == dims({0, 0}));
    assert_true(pd.get_padding_l() == dims({1, 1}) && pd.get_padding_r() == dims({1, 1}));

    memory src = make(dev.eng, src_md, x), weights = make(dev.eng, weights_md, w),
           bias = make(dev.eng, bias_md, b), dst(dst_md, dev.eng);
    convolution_forward(pd).execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                                      {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();

    std::vector<float> expected(volume(s.dst()));
    for (size_t i = 0; i < expected.size(); i++) expected[i] = b[i / 81];
    for_each_product(s, [&](size_t i, size_t j, size_t o) { expected[o] += x[i] * w[j]; });
    for (float &v : expected) v = v > 0 ? v : 0;
    check_near(read<float>(dst), expected, 1e-5f);
}

// All layouts are the library's choice, and reorders stand at the ends.
void forward_in_chosen_layouts() {
    device dev;
    const shape &s = strided;
    const memory::desc user_src_md(s.src(), dt::f32, tag::nchw),
            user_weights_md(s.weights(), dt::f32, tag::oihw),
            user_dst_md(s.dst(), dt::f32, tag::nchw);
    const std::vector<float> x = numbers(volume(s.src())), w = numbers(volume(s.weights()), 1);
    const convolution_forward::primitive_desc pd(dev.eng, prop_kind::forward_training,
            algorithm::convolution_auto, memory::desc(s.src(), dt::f32, tag::any),
            memory::desc(s.weights(), dt::f32, tag::any), memory::desc(s.dst(), dt::f32, tag::any),
            s.both(s.stride), s.both(s.dilation), s.both(s.padding), s.both(s.padding));
    assert_true(pd.get_dilations() == dims({1, 1}) && pd.bias_desc().is_zero());

    memory user_src = make(dev.eng, user_src_md, x),
           user_weights = make(dev.eng, user_weights_md, w), user_dst(user_dst_md, dev.eng);
    memory src(pd.src_desc(), dev.eng), weights(pd.weights_desc(), dev.eng),
            dst(pd.dst_desc(), dev.eng);
    reorder(user_src, src).execute(dev.strm, user_src, src);
    reorder(user_weights, weights).execute(dev.strm, user_weights, weights);
    convolution_forward(pd).execute(
            dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    reorder(dst, user_dst).execute(dev.strm, dst, user_dst);
    dev.strm.wait();

    std::vector<float> expected(volume(s.dst()));
    for_each_product(s, [&](size_t i, size_t j, size_t o) { expected[o] += x[i] * w[j]; });
    check_near(read<float>(user_dst), expected, 1e-5f);
}

// Weights of another type than the usual ones: small integers, which every type has.
void forward_with_mixed_types(dt src_dt, dt weights_dt, dt dst_dt) {
    device dev;
    const shape &s = plain;
    const auto f32 = [](const dims &d) { return memory::desc(d, dt::f32, tag::abcd); };
    std::vector<float> x(volume(s.src())), w(volume(s.weights()));
    for (size_t i = 0; i < x.size(); i++) x[i] = static_cast<float>(i % 7);
    for (size_t i = 0; i < w.size(); i++) w[i] = static_cast<float>(i % 5);
    const convolution_forward::primitive_desc pd(dev.eng, prop_kind::forward_inference,
            algorithm::convolution_direct, memory::desc(s.src(), src_dt, tag::any),
            memory::desc(s.weights(), weights_dt, tag::any),
            memory::desc(s.dst(), dst_dt, tag::any), s.both(s.stride), s.both(s.padding),
            s.both(s.padding));
    assert_true(pd.src_desc().get_data_type() == src_dt);
    assert_true(pd.weights_desc().get_data_type() == weights_dt);
    assert_true(pd.dst_desc().get_data_type() == dst_dt);

    memory user_src = make(dev.eng, f32(s.src()), x), user_dst(f32(s.dst()), dev.eng),
           user_weights = make(dev.eng, f32(s.weights()), w);
    memory src(pd.src_desc(), dev.eng), weights(pd.weights_desc(), dev.eng),
            dst(pd.dst_desc(), dev.eng);
    reorder(user_src, src).execute(dev.strm, user_src, src);
    reorder(user_weights, weights).execute(dev.strm, user_weights, weights);
    convolution_forward(pd).execute(
            dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    reorder(dst, user_dst).execute(dev.strm, dst, user_dst);
    dev.strm.wait();

    std::vector<float> expected(volume(s.dst()));
    for_each_product(s, [&](size_t i, size_t j, size_t o) { expected[o] += x[i] * w[j]; });
    check_near(read<float>(user_dst), expected, 0.f);
}

void forward_of_bytes() {
    forward_with_mixed_types(dt::u8, dt::u8, dt::s32);
}

void forward_of_floats() {
    forward_with_mixed_types(dt::f32, dt::f16, dt::f32);
}

// The three directions of a layer without bias, of which the backward ones may be missing.
template <typename fwd, typename bwd_data, typename bwd_weights>
void check_layer(algorithm alg, const shape &s, const dims &src_dims, const dims &dst_dims,
        bool transposed) {
    device dev;
    const memory::desc src_md(src_dims, dt::f32, tag::nchw), dst_md(dst_dims, dt::f32, tag::nchw),
            weights_md({dst_dims[1], src_dims[1], s.kernel, s.kernel}, dt::f32,
                    transposed ? tag::iohw : tag::oihw);
    const std::vector<float> x = numbers(volume(src_dims)), w = numbers(volume(s.weights()), 1),
                             g = numbers(volume(dst_dims), 3);
    const dims strides = s.both(s.stride), dilates = s.both(s.dilation),
               padding = s.both(s.padding);
    std::vector<float> y(volume(dst_dims)), gx(volume(src_dims)), gw(w.size());
    for_each_product(s, [&](size_t i, size_t j, size_t o) {
        if (transposed) std::swap(i, o); // a deconvolution goes the other way
        y[o] += x[i] * w[j];
        gx[i] += g[o] * w[j];
        gw[j] += g[o] * x[i];
    });

    const typename fwd::primitive_desc forward(dev.eng, prop_kind::forward_training, alg, src_md,
            weights_md, dst_md, strides, dilates, padding, padding);
    memory x_mem = make(dev.eng, src_md, x), w_mem = make(dev.eng, weights_md, w),
           g_mem = make(dev.eng, dst_md, g), y_mem(dst_md, dev.eng), gx_mem(src_md, dev.eng),
           gw_mem(weights_md, dev.eng);
    fwd(forward).execute(
            dev.strm, {{DNNL_ARG_SRC, x_mem}, {DNNL_ARG_WEIGHTS, w_mem}, {DNNL_ARG_DST, y_mem}});
    dev.strm.wait();
    check_near(read<float>(y_mem), y, 1e-5f);

    const typename bwd_data::primitive_desc data(dev.eng, alg, src_md, weights_md, dst_md, strides,
            dilates, padding, padding, forward, primitive_attr(), true);
    if (data) {
        assert_true(
                data.get_prop_kind() == prop_kind::backward_data && data.get_strides() == strides);
        bwd_data(data).execute(dev.strm, {{DNNL_ARG_DIFF_DST, g_mem}, {DNNL_ARG_WEIGHTS, w_mem},
                                                 {DNNL_ARG_DIFF_SRC, gx_mem}});
        dev.strm.wait();
        check_near(read<float>(gx_mem), gx, 1e-5f);
    }
    const typename bwd_weights::primitive_desc weights(dev.eng, alg, src_md, weights_md, dst_md,
            strides, dilates, padding, padding, forward, primitive_attr(), true);
    if (weights) {
        assert_true(
                weights.diff_weights_desc() == weights_md && weights.diff_bias_desc().is_zero());
        bwd_weights(weights).execute(dev.strm, {{DNNL_ARG_DIFF_DST, g_mem}, {DNNL_ARG_SRC, x_mem},
                                                       {DNNL_ARG_DIFF_WEIGHTS, gw_mem}});
        dev.strm.wait();
        check_near(read<float>(gw_mem), gw, 1e-5f);
    }
}

void convolution_layer() {
    check_layer<convolution_forward, convolution_backward_data, convolution_backward_weights>(
            algorithm::convolution_direct, strided, strided.src(), strided.dst(), false);
}

void deconvolution_layer() {
    check_layer<deconvolution_forward, deconvolution_backward_data, deconvolution_backward_weights>(
            algorithm::deconvolution_direct, strided, strided.dst(), strided.src(), true);
}

} // namespace

int main() {
    const CMUnitTest convolutions[] = {
            TEST(forward_with_bias_and_relu),
            TEST(forward_in_chosen_layouts),
            TEST(forward_of_bytes),
            TEST(forward_of_floats),
            TEST(convolution_layer),
            TEST(deconvolution_layer),
    };
    return RUN_ON_DEVICE(convolutions);
}
