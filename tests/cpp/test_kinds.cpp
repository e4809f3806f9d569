/* SPDX-License-Identifier: Apache-2.0 */
/* One result of each kind of primitive, in each direction, through its C++ class. A kind that
 * the library does not have yet ends its test early. */
#include "cpp_test.hpp"

#include <algorithm>
#include <unordered_map>

using namespace dnnl;

namespace {

using floats = std::vector<float>;
const prop_kind training = prop_kind::forward_training, backward_all = prop_kind::backward;

// Two images of four channels, 2 x 3 each.
const size_t NC = 8, C = 4, S = 6;
const memory::desc md({2, 4, 2, 3}, dt::f32, tag::nchw), per_channel({4}, dt::f32, tag::a);

size_t channel(size_t i) {
    return i / S % C;
}

// Executes a primitive and returns what it wrote to memory objects.
struct runner {
    device dev;
    std::unordered_map<int, memory> args;

    void in(int arg, const memory::desc &desc, const floats &values) {
        args[arg] = make(dev.eng, desc, values);
    }
    void out(int arg, const memory::desc &desc) { args[arg] = memory(desc, dev.eng); }
    floats run(const primitive &prim, int arg) {
        prim.execute(dev.strm, args);
        dev.strm.wait();
        return read<float>(args[arg]);
    }
};

void eltwise_backward_is_the_derivative() {
    as_far_as_implemented([] {
        runner r;
        const floats x = numbers(48), g = numbers(48, 1);
        const eltwise_forward::primitive_desc fwd(
                r.dev.eng, training, algorithm::eltwise_square, md, md);
        const eltwise_backward::primitive_desc pd(
                r.dev.eng, algorithm::eltwise_square, md, md, md, fwd);
        assert_true(pd.get_prop_kind() == prop_kind::backward_data && pd.diff_src_desc() == md);
        r.in(DNNL_ARG_SRC, md, x);
        r.in(DNNL_ARG_DIFF_DST, md, g);
        r.out(DNNL_ARG_DIFF_SRC, md);
        floats expected(48);
        for (size_t i = 0; i < 48; i++) expected[i] = 2.f * x[i] * g[i];
        check_near(r.run(eltwise_backward(pd), DNNL_ARG_DIFF_SRC), expected, 1e-6f);
    });
}

void concat_puts_side_by_side() {
    as_far_as_implemented([] {
        runner r;
        const memory::desc a_md({2, 3}, dt::f32, tag::ab), b_md({2, 2}, dt::f32, tag::ab);
        const concat::primitive_desc pd(r.dev.eng, 1, {a_md, b_md});
        assert_true(pd.dst_desc().get_dims() == dims({2, 5}) && pd.src_desc(1) == b_md);
        r.in(DNNL_ARG_MULTIPLE_SRC, a_md, {1, 2, 3, 4, 5, 6});
        r.in(DNNL_ARG_MULTIPLE_SRC + 1, b_md, {7, 8, 9, 10});
        r.out(DNNL_ARG_DST, pd.dst_desc());
        check_equal(r.run(concat(pd), DNNL_ARG_DST), {1, 2, 3, 7, 8, 4, 5, 6, 9, 10});
        const memory::desc columns({2, 5}, dt::f32, tag::ba);
        r.out(DNNL_ARG_DST, columns);
        check_equal(r.run(concat(concat::primitive_desc(r.dev.eng, columns, 1, {a_md, b_md})),
                            DNNL_ARG_DST),
                {1, 4, 2, 5, 3, 6, 7, 9, 8, 10});
    });
}

void sum_adds_with_factors() {
    as_far_as_implemented([] {
        runner r;
        const floats x = numbers(48), y = numbers(48, 1);
        r.in(DNNL_ARG_MULTIPLE_SRC, md, x);
        r.in(DNNL_ARG_MULTIPLE_SRC + 1, md, y);
        r.out(DNNL_ARG_DST, md);
        floats expected(48);
        for (size_t i = 0; i < 48; i++) expected[i] = 2.f * x[i] - 0.5f * y[i];
        const floats scales{2.f, -0.5f};
        check_near(r.run(sum(sum::primitive_desc(r.dev.eng, scales, {md, md})), DNNL_ARG_DST),
                expected, 1e-6f);
        check_near(r.run(sum(sum::primitive_desc(r.dev.eng, md, scales, {md, md})), DNNL_ARG_DST),
                expected, 1e-6f);
    });
}

void shuffle_and_back() {
    as_far_as_implemented([] {
        runner r;
        const floats x = numbers(48);
        const shuffle_forward::primitive_desc fwd(r.dev.eng, training, md, md, 1, 2);
        assert_true(fwd.get_axis() == 1 && fwd.get_group_size() == 2);
        r.in(DNNL_ARG_SRC, md, x);
        r.out(DNNL_ARG_DST, md);
        floats expected(48); // channels 0 1 | 2 3 become 0 2 1 3: the transposed 2 x 2 matrix
        const size_t from[] = {0, 2, 1, 3};
        for (size_t i = 0; i < 48; i++) expected[i] = x[i / 24 * 24 + from[channel(i)] * S + i % S];
        check_equal(r.run(shuffle_forward(fwd), DNNL_ARG_DST), expected);
        const shuffle_backward::primitive_desc bwd(r.dev.eng, md, md, 1, 2, fwd);
        r.args = {{DNNL_ARG_DIFF_DST, r.args[DNNL_ARG_DST]}};
        r.out(DNNL_ARG_DIFF_SRC, md);
        check_equal(r.run(shuffle_backward(bwd), DNNL_ARG_DIFF_SRC), x);
    });
}

// Along the four channels; the gradient's sum along them is 0.
void softmax_and_back() {
    as_far_as_implemented([] {
        runner r;
        const floats x = numbers(48), g = numbers(48, 1);
        const softmax_forward::primitive_desc fwd(
                r.dev.eng, training, algorithm::softmax_accurate, md, md, 1);
        assert_true(fwd.get_axis() == 1 && fwd.get_algorithm() == algorithm::softmax_accurate);
        r.in(DNNL_ARG_SRC, md, x);
        r.out(DNNL_ARG_DST, md);
        floats y(48), gx(48);
        for (size_t n = 0; n < 2; n++)
            for (size_t s = 0; s < S; s++) {
                float total = 0, dot = 0;
                for (size_t c = 0; c < C; c++) total += std::exp(x[(n * C + c) * S + s]);
                for (size_t c = 0; c < C; c++) {
                    const size_t i = (n * C + c) * S + s;
                    y[i] = std::exp(x[i]) / total;
                    dot += y[i] * g[i];
                }
                for (size_t c = 0; c < C; c++) {
                    const size_t i = (n * C + c) * S + s;
                    gx[i] = y[i] * (g[i] - dot);
                }
            }
        check_near(r.run(softmax_forward(fwd), DNNL_ARG_DST), y, 1e-5f);
        const softmax_backward::primitive_desc bwd(
                r.dev.eng, algorithm::softmax_accurate, md, md, md, 1, fwd);
        r.in(DNNL_ARG_DIFF_DST, md, g);
        r.out(DNNL_ARG_DIFF_SRC, md);
        r.args.erase(DNNL_ARG_SRC);
        check_near(r.run(softmax_backward(bwd), DNNL_ARG_DIFF_SRC), gx, 1e-5f);
    });
}

// Mean and variance of groups of elements, and what normalizing makes of them.
struct statistics {
    floats mean, variance, normalized;
    statistics(const floats &x, size_t ngroups, const std::function<size_t(size_t)> &group)
        : mean(ngroups), variance(ngroups), normalized(x.size()) {
        const float count = static_cast<float>(x.size() / ngroups);
        for (size_t i = 0; i < x.size(); i++) mean[group(i)] += x[i] / count;
        for (size_t i = 0; i < x.size(); i++)
            variance[group(i)] += (x[i] - mean[group(i)]) * (x[i] - mean[group(i)]) / count;
        for (size_t i = 0; i < x.size(); i++)
            normalized[i] = (x[i] - mean[group(i)]) / std::sqrt(variance[group(i)] + epsilon);
    }
    static constexpr float epsilon = 1e-3f;
};
constexpr float statistics::epsilon;
const normalization_flags scale_shift =
        normalization_flags::use_scale | normalization_flags::use_shift;

// What normalizations have in common: scale and shift of each channel, statistics as results, and a
// backward pass in which gradients of shift are sums of gradients.
template <typename fwd, typename bwd>
void check_norm(const device &dev, const typename fwd::primitive_desc &pd,
        const typename bwd::primitive_desc &bwd_pd, const statistics &expected, const floats &x,
        const std::function<size_t(size_t)> &channel_of, size_t nchannels) {
    runner r{dev, {}};
    const floats scale = numbers(nchannels, 1), shift = numbers(nchannels, 2),
                 g = numbers(x.size(), 3);
    const memory::desc data_md = pd.src_desc(),
                       scale_md({static_cast<memory::dim>(nchannels)}, dt::f32, tag::a);
    assert_true(pd.get_flags() == scale_shift && pd.get_epsilon() == statistics::epsilon);
    r.in(DNNL_ARG_SRC, data_md, x);
    r.in(DNNL_ARG_SCALE, scale_md, scale);
    r.in(DNNL_ARG_SHIFT, scale_md, shift);
    r.out(DNNL_ARG_MEAN, pd.mean_desc());
    r.out(DNNL_ARG_VARIANCE, pd.variance_desc());
    r.out(DNNL_ARG_DST, data_md);
    floats y(x.size()), g_shift(nchannels), g_scale(nchannels);
    for (size_t i = 0; i < x.size(); i++) {
        y[i] = scale[channel_of(i)] * expected.normalized[i] + shift[channel_of(i)];
        g_shift[channel_of(i)] += g[i];
        g_scale[channel_of(i)] += g[i] * expected.normalized[i];
    }
    check_near(r.run(fwd(pd), DNNL_ARG_DST), y, 1e-4f);
    check_near(read<float>(r.args[DNNL_ARG_MEAN]), expected.mean, 1e-5f);
    check_near(read<float>(r.args[DNNL_ARG_VARIANCE]), expected.variance, 1e-5f);

    if (!bwd_pd) return;
    assert_true(
            bwd_pd.mean_desc() == pd.mean_desc() && bwd_pd.variance_desc() == pd.variance_desc());
    r.args.erase(DNNL_ARG_SHIFT);
    r.args.erase(DNNL_ARG_DST);
    r.in(DNNL_ARG_DIFF_DST, data_md, g);
    r.out(DNNL_ARG_DIFF_SRC, data_md);
    r.out(DNNL_ARG_DIFF_SCALE, scale_md);
    r.out(DNNL_ARG_DIFF_SHIFT, scale_md);
    check_near(r.run(bwd(bwd_pd), DNNL_ARG_DIFF_SHIFT), g_shift, 1e-4f);
    check_near(read<float>(r.args[DNNL_ARG_DIFF_SCALE]), g_scale, 1e-3f);
}

void batch_normalization_and_back() {
    as_far_as_implemented([] {
        device dev;
        const floats x = numbers(48);
        const batch_normalization_forward::primitive_desc pd(
                dev.eng, training, md, md, statistics::epsilon, scale_shift);
        const batch_normalization_backward::primitive_desc bwd(dev.eng, backward_all, md, md, md,
                statistics::epsilon, scale_shift, pd, primitive_attr(), true);
        check_norm<batch_normalization_forward, batch_normalization_backward>(
                dev, pd, bwd, statistics(x, C, channel), x, channel, C);
    });
}

void group_normalization_and_back() {
    as_far_as_implemented([] {
        device dev;
        const floats x = numbers(48);
        const group_normalization_forward::primitive_desc pd(
                dev.eng, training, md, md, 2, statistics::epsilon, scale_shift);
        const group_normalization_backward::primitive_desc bwd(dev.eng, backward_all, md, md, md, 2,
                statistics::epsilon, scale_shift, pd, primitive_attr(), true);
        assert_int_equal(pd.get_group_size(), 2);
        check_norm<group_normalization_forward, group_normalization_backward>(dev, pd, bwd,
                statistics(x, 4, [](size_t i) { return i / (2 * S); }), x, channel, C);
    });
}

void layer_normalization_and_back() {
    as_far_as_implemented([] {
        device dev;
        const memory::desc rows({5, 6}, dt::f32, tag::ab), stats({5}, dt::f32, tag::a);
        const floats x = numbers(30);
        const layer_normalization_forward::primitive_desc pd(
                dev.eng, training, rows, rows, stats, statistics::epsilon, scale_shift);
        const layer_normalization_backward::primitive_desc bwd(dev.eng, backward_all, rows, rows,
                rows, stats, statistics::epsilon, scale_shift, pd, primitive_attr(), true);
        check_norm<layer_normalization_forward, layer_normalization_backward>(
                dev, pd, bwd, statistics(x, 5, [](size_t i) { return i / 6; }), x,
                [](size_t i) { return i % 6; }, 6);
        const layer_normalization_backward::primitive_desc shift(dev.eng, backward_all, rows, rows,
                rows, stats, statistics::epsilon, normalization_flags::use_shift, pd,
                primitive_attr(), true);
        assert_true(shift.weights_desc() == memory::desc({6}, dt::f32, tag::a));
        assert_true(shift.diff_weights_desc() == shift.weights_desc());
    });
}

void inner_product_and_back() {
    as_far_as_implemented([] {
        runner r;
        const memory::desc weights_md({3, 4, 2, 3}, dt::f32, tag::oihw),
                bias_md({3}, dt::f32, tag::a), dst_md({2, 3}, dt::f32, tag::nc);
        const floats x = numbers(48), w = numbers(72, 1), b = numbers(3, 2), g = numbers(6, 3);
        floats y(6), gx(48), gw(72), gb(3);
        for (size_t n = 0; n < 2; n++)
            for (size_t o = 0; o < 3; o++) {
                y[n * 3 + o] = b[o];
                gb[o] += g[n * 3 + o];
                for (size_t i = 0; i < 24; i++) {
                    y[n * 3 + o] += x[n * 24 + i] * w[o * 24 + i];
                    gx[n * 24 + i] += g[n * 3 + o] * w[o * 24 + i];
                    gw[o * 24 + i] += g[n * 3 + o] * x[n * 24 + i];
                }
            }
        const inner_product_forward::primitive_desc fwd(
                r.dev.eng, training, md, weights_md, bias_md, dst_md);
        assert_true(fwd.bias_desc() == bias_md);
        r.in(DNNL_ARG_SRC, md, x);
        r.in(DNNL_ARG_WEIGHTS, weights_md, w);
        r.in(DNNL_ARG_BIAS, bias_md, b);
        r.out(DNNL_ARG_DST, dst_md);
        check_near(r.run(inner_product_forward(fwd), DNNL_ARG_DST), y, 1e-5f);

        const inner_product_backward_data::primitive_desc data(
                r.dev.eng, md, weights_md, dst_md, fwd);
        r.args = {
                {DNNL_ARG_WEIGHTS, r.args[DNNL_ARG_WEIGHTS]}, {DNNL_ARG_SRC, r.args[DNNL_ARG_SRC]}};
        const memory src = r.args[DNNL_ARG_SRC];
        r.args.erase(DNNL_ARG_SRC);
        r.in(DNNL_ARG_DIFF_DST, dst_md, g);
        r.out(DNNL_ARG_DIFF_SRC, md);
        check_near(r.run(inner_product_backward_data(data), DNNL_ARG_DIFF_SRC), gx, 1e-5f);

        const inner_product_backward_weights::primitive_desc weights(
                r.dev.eng, md, weights_md, bias_md, dst_md, fwd);
        assert_true(weights.diff_bias_desc() == bias_md);
        r.args = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, r.args[DNNL_ARG_DIFF_DST]}};
        r.out(DNNL_ARG_DIFF_WEIGHTS, weights_md);
        r.out(DNNL_ARG_DIFF_BIAS, bias_md);
        check_near(
                r.run(inner_product_backward_weights(weights), DNNL_ARG_DIFF_WEIGHTS), gw, 1e-5f);
        check_near(read<float>(r.args[DNNL_ARG_DIFF_BIAS]), gb, 1e-5f);
    });
}

// Neighbourhoods of three channels; the gradient against finite differences of the formula.
void lrn_and_back() {
    as_far_as_implemented([] {
        runner r;
        const float alpha = 0.3f, beta = 0.75f, k = 2.f;
        const floats x = numbers(48), g = numbers(48, 1);
        const auto formula = [&](const floats &v) {
            floats y(48);
            for (size_t i = 0; i < 48; i++) {
                double squares = 0;
                for (size_t c = channel(i) ? channel(i) - 1 : 0;
                        c <= std::min(channel(i) + 1, C - 1); c++) {
                    const double near = static_cast<double>(v[i / 24 * 24 + c * S + i % S]);
                    squares += near * near;
                }
                y[i] = static_cast<float>(
                        static_cast<double>(v[i]) *
                        std::pow(static_cast<double>(k) + static_cast<double>(alpha) / 3. * squares,
                                -static_cast<double>(beta)));
            }
            return y;
        };
        const lrn_forward::primitive_desc fwd(
                r.dev.eng, training, algorithm::lrn_across_channels, md, md, 3, alpha, beta, k);
        assert_true(fwd.get_local_size() == 3 && fwd.get_alpha() == alpha &&
                    fwd.get_beta() == beta && fwd.get_k() == k);
        r.in(DNNL_ARG_SRC, md, x);
        r.out(DNNL_ARG_DST, md);
        if (!fwd.workspace_desc().is_zero()) r.out(DNNL_ARG_WORKSPACE, fwd.workspace_desc());
        check_near(r.run(lrn_forward(fwd), DNNL_ARG_DST), formula(x), 1e-5f);

        const lrn_backward::primitive_desc bwd(
                r.dev.eng, algorithm::lrn_across_channels, md, md, md, 3, alpha, beta, k, fwd);
        r.args.erase(DNNL_ARG_DST);
        r.in(DNNL_ARG_DIFF_DST, md, g);
        r.out(DNNL_ARG_DIFF_SRC, md);
        floats expected(48);
        for (size_t i = 0; i < 48; i++) {
            floats more(x), less(x);
            more[i] += 0.0625f;
            less[i] -= 0.0625f;
            const floats high = formula(more), low = formula(less);
            for (size_t j = 0; j < 48; j++) expected[i] += g[j] * (high[j] - low[j]) / 0.125f;
        }
        check_near(r.run(lrn_backward(bwd), DNNL_ARG_DIFF_SRC), expected, 2e-2f);
    });
}

void pooling_and_back() {
    as_far_as_implemented([] {
        runner r;
        const memory::desc src_md({1, 1, 4, 4}, dt::f32, tag::nchw),
                dst_md({1, 1, 2, 2}, dt::f32, tag::nchw);
        const floats x{1, 2, 3, 4, 5, 16, 7, 8, 9, 10, 11, 12, 13, 14, 6, 15};
        const dims two{2, 2}, zero{0, 0};
        const pooling_forward::primitive_desc avg(r.dev.eng, prop_kind::forward_inference,
                algorithm::pooling_avg_exclude_padding, src_md, dst_md, two, two, zero, zero, zero);
        assert_true(
                avg.get_kernel() == two && avg.get_strides() == two && avg.get_dilations() == zero);
        r.in(DNNL_ARG_SRC, src_md, x);
        r.out(DNNL_ARG_DST, dst_md);
        check_near(r.run(pooling_forward(avg), DNNL_ARG_DST), {6.f, 5.5f, 11.5f, 11.f}, 1e-6f);

        const pooling_forward::primitive_desc max(r.dev.eng, training, algorithm::pooling_max,
                src_md, dst_md, two, two, zero, zero, zero);
        r.out(DNNL_ARG_WORKSPACE, max.workspace_desc());
        check_equal(r.run(pooling_forward(max), DNNL_ARG_DST), {16, 8, 14, 15});
        const pooling_backward::primitive_desc bwd(
                r.dev.eng, algorithm::pooling_max, src_md, dst_md, two, two, zero, zero, zero, max);
        r.args = {{DNNL_ARG_WORKSPACE, r.args[DNNL_ARG_WORKSPACE]}};
        r.in(DNNL_ARG_DIFF_DST, dst_md, {1, 2, 3, 4});
        r.out(DNNL_ARG_DIFF_SRC, src_md);
        check_equal(r.run(pooling_backward(bwd), DNNL_ARG_DIFF_SRC),
                {0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4});
    });
}

void prelu_and_back() {
    as_far_as_implemented([] {
        runner r;
        const memory::desc weights_md({1, 4, 1, 1}, dt::f32, tag::nchw);
        const floats x = numbers(48), w = numbers(4, 1), g = numbers(48, 2);
        floats y(48), gx(48), gw(4);
        for (size_t i = 0; i < 48; i++) {
            y[i] = x[i] > 0 ? x[i] : x[i] * w[channel(i)];
            gx[i] = x[i] > 0 ? g[i] : g[i] * w[channel(i)];
            gw[channel(i)] += x[i] > 0 ? 0.f : g[i] * x[i];
        }
        const prelu_forward::primitive_desc fwd(r.dev.eng, training, md, weights_md, md);
        r.in(DNNL_ARG_SRC, md, x);
        r.in(DNNL_ARG_WEIGHTS, weights_md, w);
        r.out(DNNL_ARG_DST, md);
        check_near(r.run(prelu_forward(fwd), DNNL_ARG_DST), y, 1e-6f);
        const prelu_backward::primitive_desc bwd(
                r.dev.eng, md, weights_md, md, weights_md, md, fwd);
        r.args.erase(DNNL_ARG_DST);
        r.in(DNNL_ARG_DIFF_DST, md, g);
        r.out(DNNL_ARG_DIFF_SRC, md);
        r.out(DNNL_ARG_DIFF_WEIGHTS, weights_md);
        check_near(r.run(prelu_backward(bwd), DNNL_ARG_DIFF_SRC), gx, 1e-6f);
        check_near(read<float>(r.args[DNNL_ARG_DIFF_WEIGHTS]), gw, 1e-6f);
    });
}

void resampling_and_back() {
    as_far_as_implemented([] {
        runner r;
        const memory::desc small({1, 1, 1, 2}, dt::f32, tag::nchw),
                large({1, 1, 2, 4}, dt::f32, tag::nchw);
        const floats factors{2.f, 2.f};
        const resampling_forward::primitive_desc nearest(
                r.dev.eng, training, algorithm::resampling_nearest, factors, small);
        assert_true(nearest.dst_desc().get_dims() == large.get_dims() &&
                    nearest.get_factors() == factors);
        r.in(DNNL_ARG_SRC, small, {1, 3});
        r.out(DNNL_ARG_DST, nearest.dst_desc());
        check_equal(r.run(resampling_forward(nearest), DNNL_ARG_DST), {1, 1, 3, 3, 1, 1, 3, 3});
        const resampling_forward::primitive_desc linear(
                r.dev.eng, training, algorithm::resampling_linear, small, large);
        r.out(DNNL_ARG_DST, large);
        check_near(r.run(resampling_forward(linear), DNNL_ARG_DST),
                {1, 1.5f, 2.5f, 3, 1, 1.5f, 2.5f, 3}, 1e-6f);
        const resampling_backward::primitive_desc bwd(
                r.dev.eng, algorithm::resampling_linear, small, large, linear);
        r.args.clear();
        r.in(DNNL_ARG_DIFF_DST, large, {1, 2, 3, 4, 5, 6, 7, 8});
        r.out(DNNL_ARG_DIFF_SRC, small);
        check_near(r.run(resampling_backward(bwd), DNNL_ARG_DIFF_SRC), {14.5f, 21.5f}, 1e-6f);
    });
}

void reduction_joins_elements() {
    as_far_as_implemented([] {
        runner r;
        const memory::desc dst_md({2, 4, 1, 1}, dt::f32, tag::nchw);
        const floats x = numbers(48);
        r.in(DNNL_ARG_SRC, md, x);
        r.out(DNNL_ARG_DST, dst_md);
        floats mean(NC), norm(NC);
        for (size_t i = 0; i < 48; i++) {
            mean[i / S] += x[i] / static_cast<float>(S);
            norm[i / S] += x[i] * x[i];
        }
        for (float &v : norm) v = std::sqrt(v + 0.5f);
        const reduction::primitive_desc pd(
                r.dev.eng, algorithm::reduction_norm_lp_sum, md, dst_md, 2.f, 0.5f);
        assert_true(pd.get_p() == 2.f && pd.get_epsilon() == 0.5f);
        check_near(r.run(reduction(pd), DNNL_ARG_DST), norm, 1e-5f);
        check_near(r.run(reduction(reduction::primitive_desc(
                                 r.dev.eng, algorithm::reduction_mean, md, dst_md, 0.f, 0.f)),
                           DNNL_ARG_DST),
                mean, 1e-5f);
    });
}

} // namespace

int main() {
    const CMUnitTest kinds[] = {
            TEST(eltwise_backward_is_the_derivative),
            TEST(concat_puts_side_by_side),
            TEST(sum_adds_with_factors),
            TEST(shuffle_and_back),
            TEST(softmax_and_back),
            TEST(batch_normalization_and_back),
            TEST(group_normalization_and_back),
            TEST(layer_normalization_and_back),
            TEST(inner_product_and_back),
            TEST(lrn_and_back),
            TEST(pooling_and_back),
            TEST(prelu_and_back),
            TEST(resampling_and_back),
            TEST(reduction_joins_elements),
    };
    return RUN_ON_DEVICE(kinds);
}
