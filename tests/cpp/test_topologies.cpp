/* SPDX-License-Identifier: Apache-2.0 */
/* A small convolutional network the way the developer guide builds one: convolution with ReLU,
 * max pooling, inner product, softmax; then its first layer in 8 bits, and a training step of it
 * all. A kind that the library does not have yet ends a test early, where nothing but
 * `unimplemented` is accepted. */
#include "cpp_test.hpp"

#include <algorithm>
#include <unordered_map>

using namespace dnnl;

namespace {

// Image 1 x 2 x 8 x 8, four 3 x 3 filters, windows of 2 x 2, three classes.
const memory::desc image_md({1, 2, 8, 8}, dt::f32, tag::nchw),
        filters_md({4, 2, 3, 3}, dt::f32, tag::oihw), bias_md({4}, dt::f32, tag::a),
        features_md({1, 4, 8, 8}, dt::f32, tag::nchw), pooled_md({1, 4, 4, 4}, dt::f32, tag::nchw),
        dense_md({3, 4, 4, 4}, dt::f32, tag::oihw), classes_md({1, 3}, dt::f32, tag::ab);
const dims one{1, 1}, two{2, 2}, zero{0, 0};

std::vector<float> scaled(size_t n, int seed, float factor) {
    std::vector<float> values = numbers(n, seed);
    for (size_t i = 0; i < n; i++) // no two products are equal, so that maxima are unique
        values[i] = factor * (values[i] + 0.013f * static_cast<float>(i % 17));
    return values;
}
const std::vector<float> image = scaled(128, 0, 0.1f), filters = scaled(72, 1, 0.1f),
                         bias = scaled(4, 2, 0.1f), dense = scaled(192, 3, 0.1f);

// The classes' values before softmax, by plain loops in double precision.
std::vector<double> reference(const std::vector<float> &w, const std::vector<float> &b = bias) {
    std::vector<double> features(256), out(3);
    for (int o = 0; o < 4; o++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                double sum = b[static_cast<size_t>(o)];
                for (int t = 0; t < 18; t++) {
                    const int c = t / 9, yy = y + t / 3 % 3 - 1, xx = x + t % 3 - 1;
                    if (yy < 0 || yy > 7 || xx < 0 || xx > 7) continue;
                    sum += static_cast<double>(w[static_cast<size_t>(o * 18 + t)]) *
                           static_cast<double>(image[static_cast<size_t>((c * 8 + yy) * 8 + xx)]);
                }
                features[static_cast<size_t>((o * 8 + y) * 8 + x)] = std::max(sum, 0.);
            }
    for (size_t i = 0; i < 64; i++) {
        const double *window = &features[i / 16 * 64 + i / 4 % 4 * 16 + i % 4 * 2];
        const double pooled =
                std::max(std::max(window[0], window[1]), std::max(window[8], window[9]));
        for (size_t n = 0; n < 3; n++) out[n] += pooled * static_cast<double>(dense[n * 64 + i]);
    }
    return out;
}

using arguments = std::unordered_map<int, memory>;
struct layer {
    primitive prim;
    arguments args;
};

void execute(device &dev, const std::vector<layer> &layers) {
    for (const layer &l : layers) l.prim.execute(dev.strm, l.args);
    dev.strm.wait();
}

void inference() {
    device dev;
    const engine &eng = dev.eng;
    const prop_kind fwd = prop_kind::forward_inference;
    primitive_attr relu;
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    relu.set_post_ops(ops);
    const convolution_forward::primitive_desc conv(eng, fwd, algorithm::convolution_direct,
            image_md, filters_md, bias_md, features_md, one, one, one, relu);
    const pooling_forward::primitive_desc pool(
            eng, fwd, algorithm::pooling_max, features_md, pooled_md, two, two, zero, zero, zero);
    const inner_product_forward::primitive_desc ip(eng, fwd, pooled_md, dense_md, classes_md);
    const softmax_forward::primitive_desc softmax(
            eng, fwd, algorithm::softmax_accurate, classes_md, classes_md, 1);

    memory x = make(eng, image_md, image), w = make(eng, filters_md, filters),
           b = make(eng, bias_md, bias), d = make(eng, dense_md, dense), features(features_md, eng),
           pooled(pooled_md, eng), classes(classes_md, eng);
    execute(dev,
            {{convolution_forward(conv), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w},
                                                 {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, features}}},
                    {pooling_forward(pool), {{DNNL_ARG_SRC, features}, {DNNL_ARG_DST, pooled}}},
                    {inner_product_forward(ip), {{DNNL_ARG_SRC, pooled}, {DNNL_ARG_WEIGHTS, d},
                                                        {DNNL_ARG_DST, classes}}},
                    {softmax_forward(softmax),
                            {{DNNL_ARG_SRC, classes}, {DNNL_ARG_DST, classes}}}});

    const std::vector<double> values = reference(filters);
    double sum = 0;
    for (const double v : values) sum += std::exp(v);
    std::vector<float> expected(3);
    for (size_t i = 0; i < 3; i++) expected[i] = static_cast<float>(std::exp(values[i]) / sum);
    check_near(read<float>(classes), expected, 1e-5f);
}

// Values are brought to 8 bits by reorders and back by another; scales are for tensors, and for
// each filter.
void inference_in_8_bits() {
    device dev;
    const engine &eng = dev.eng;
    const float image_scale = 1.f / 128, features_scale = 1.f / 32;
    std::vector<float> positive(image), filter_scales{1.f / 64, 1.f / 128, 1.f / 64, 1.f / 256};
    for (float &v : positive) v = std::fabs(v);
    const memory::desc u8_image({1, 2, 8, 8}, dt::u8, tag::nhwc),
            s8_filters({4, 2, 3, 3}, dt::s8, tag::any),
            u8_features({1, 4, 8, 8}, dt::u8, tag::nhwc), one_md({1}, dt::f32, tag::a),
            each_md({4}, dt::f32, tag::a);
    memory image_scales = make(eng, one_md, std::vector<float>{image_scale}),
           each_filter = make(eng, each_md, filter_scales),
           features_scales = make(eng, one_md, std::vector<float>{features_scale});
    const int filter_mask = 1 << 0;
    const auto scaled_by = [](int arg, int mask) {
        primitive_attr attr;
        attr.set_scales_mask(arg, mask);
        return attr;
    };

    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, filter_mask);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(ops);
    const convolution_forward::primitive_desc conv(eng, prop_kind::forward_inference,
            algorithm::convolution_direct, u8_image, s8_filters, bias_md, u8_features, one, one,
            one, attr);
    assert_true(conv.weights_desc().get_data_type() == dt::s8);

    memory x = make(eng, image_md, positive), w = make(eng, filters_md, filters),
           b = make(eng, bias_md, bias), x8(u8_image, eng), w8(conv.weights_desc(), eng),
           y8(u8_features, eng), y(features_md, eng);
    execute(dev, {{reorder(x, x8, scaled_by(DNNL_ARG_DST, 0)),
                          {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, x8},
                                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, image_scales}}},
                         {reorder(w, w8, scaled_by(DNNL_ARG_DST, filter_mask)),
                                 {{DNNL_ARG_FROM, w}, {DNNL_ARG_TO, w8},
                                         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, each_filter}}},
                         {convolution_forward(conv),
                                 {{DNNL_ARG_SRC, x8}, {DNNL_ARG_WEIGHTS, w8}, {DNNL_ARG_BIAS, b},
                                         {DNNL_ARG_DST, y8},
                                         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, image_scales},
                                         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, each_filter},
                                         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, features_scales}}},
                         {reorder(y8, y, scaled_by(DNNL_ARG_SRC, 0)),
                                 {{DNNL_ARG_FROM, y8}, {DNNL_ARG_TO, y},
                                         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, features_scales}}}});

    const auto rounded = [](float v, float low, float high) {
        return std::min(std::max(std::nearbyint(v), low), high);
    };
    std::vector<float> expected(256);
    for (size_t i = 0; i < expected.size(); i++) {
        const int out = static_cast<int>(i / 64), row = static_cast<int>(i / 8 % 8),
                  col = static_cast<int>(i % 8);
        const float filter_scale = filter_scales[static_cast<size_t>(out)];
        float sum = 0;
        for (int t = 0; t < 18; t++) {
            const int yy = row + t / 3 % 3 - 1, xx = col + t % 3 - 1;
            if (yy < 0 || yy > 7 || xx < 0 || xx > 7) continue;
            const float pixel = positive[static_cast<size_t>((t / 9 * 8 + yy) * 8 + xx)];
            sum += rounded(pixel / image_scale, 0.f, 255.f) *
                   rounded(filters[static_cast<size_t>(out * 18 + t)] / filter_scale, -128.f,
                           127.f);
        }
        const float value = sum * image_scale * filter_scale + bias[static_cast<size_t>(out)];
        expected[i] = rounded(std::max(value, 0.f) / features_scale, 0.f, 255.f) * features_scale;
    }
    check_equal(read<float>(y), expected);
}

// A step of training: the gradients of g * classes by the filters, the bias and the dense layer,
// against differences of the reference, which are exact up to rounding as long as no maximum moves.
void training() {
    device dev;
    const engine &eng = dev.eng;
    const prop_kind fwd = prop_kind::forward_training;
    const std::vector<float> gradient{1.f, -2.f, 0.5f};
    const convolution_forward::primitive_desc conv(eng, fwd, algorithm::convolution_direct,
            image_md, filters_md, bias_md, features_md, one, one, one);
    const eltwise_forward::primitive_desc relu(
            eng, fwd, algorithm::eltwise_relu, features_md, features_md);
    const pooling_forward::primitive_desc pool(
            eng, fwd, algorithm::pooling_max, features_md, pooled_md, two, two, zero, zero, zero);
    const inner_product_forward::primitive_desc ip(eng, fwd, pooled_md, dense_md, classes_md);

    memory x = make(eng, image_md, image), w = make(eng, filters_md, filters),
           b = make(eng, bias_md, bias), d = make(eng, dense_md, dense),
           g = make(eng, classes_md, gradient), sums(features_md, eng), features(features_md, eng),
           pooled(pooled_md, eng), classes(classes_md, eng), workspace(pool.workspace_desc(), eng),
           g_pooled(pooled_md, eng), g_dense(dense_md, eng), g_features(features_md, eng),
           g_sums(features_md, eng), g_filters(filters_md, eng), g_bias(bias_md, eng);
    execute(dev, {{convolution_forward(conv), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w},
                                                      {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, sums}}},
                         {eltwise_forward(relu), {{DNNL_ARG_SRC, sums}, {DNNL_ARG_DST, features}}},
                         {pooling_forward(pool), {{DNNL_ARG_SRC, features}, {DNNL_ARG_DST, pooled},
                                                         {DNNL_ARG_WORKSPACE, workspace}}},
                         {inner_product_forward(ip), {{DNNL_ARG_SRC, pooled}, {DNNL_ARG_WEIGHTS, d},
                                                             {DNNL_ARG_DST, classes}}}});
    const std::vector<double> values = reference(filters);
    check_near(read<float>(classes), std::vector<float>(values.begin(), values.end()), 1e-5f);

    as_far_as_implemented([&] {
        const inner_product_backward_data::primitive_desc ip_bwd(
                eng, pooled_md, dense_md, classes_md, ip);
        const inner_product_backward_weights::primitive_desc ip_bwd_w(
                eng, pooled_md, dense_md, classes_md, ip);
        const pooling_backward::primitive_desc pool_bwd(eng, algorithm::pooling_max, features_md,
                pooled_md, two, two, zero, zero, zero, pool);
        const eltwise_backward::primitive_desc relu_bwd(
                eng, algorithm::eltwise_relu, features_md, features_md, features_md, relu);
        const convolution_backward_weights::primitive_desc conv_bwd(eng,
                algorithm::convolution_direct, image_md, filters_md, bias_md, features_md, one, one,
                one, conv);
        execute(dev, {{inner_product_backward_weights(ip_bwd_w),
                              {{DNNL_ARG_DIFF_DST, g}, {DNNL_ARG_SRC, pooled},
                                      {DNNL_ARG_DIFF_WEIGHTS, g_dense}}},
                             {inner_product_backward_data(ip_bwd),
                                     {{DNNL_ARG_DIFF_DST, g}, {DNNL_ARG_WEIGHTS, d},
                                             {DNNL_ARG_DIFF_SRC, g_pooled}}},
                             {pooling_backward(pool_bwd), {{DNNL_ARG_DIFF_DST, g_pooled},
                                                                  {DNNL_ARG_WORKSPACE, workspace},
                                                                  {DNNL_ARG_DIFF_SRC, g_features}}},
                             {eltwise_backward(relu_bwd),
                                     {{DNNL_ARG_DIFF_DST, g_features}, {DNNL_ARG_SRC, sums},
                                             {DNNL_ARG_DIFF_SRC, g_sums}}},
                             {convolution_backward_weights(conv_bwd),
                                     {{DNNL_ARG_DIFF_DST, g_sums}, {DNNL_ARG_SRC, x},
                                             {DNNL_ARG_DIFF_WEIGHTS, g_filters},
                                             {DNNL_ARG_DIFF_BIAS, g_bias}}}});

        const auto loss = [&](const std::vector<float> &new_filters,
                                  const std::vector<float> &new_bias) {
            const std::vector<double> out = reference(new_filters, new_bias);
            return out[0] * static_cast<double>(gradient[0]) +
                   out[1] * static_cast<double>(gradient[1]) +
                   out[2] * static_cast<double>(gradient[2]);
        };
        std::vector<float> by_filters(72), by_bias(4), by_dense(192);
        for (size_t i = 0; i < 72; i++) {
            std::vector<float> more(filters), less(filters);
            more[i] += 1e-4f;
            less[i] -= 1e-4f;
            by_filters[i] = static_cast<float>(
                    (loss(more, bias) - loss(less, bias)) / static_cast<double>(more[i] - less[i]));
        }
        for (size_t i = 0; i < 4; i++) {
            std::vector<float> more(bias), less(bias);
            more[i] += 1e-4f;
            less[i] -= 1e-4f;
            by_bias[i] = static_cast<float>((loss(filters, more) - loss(filters, less)) /
                                            static_cast<double>(more[i] - less[i]));
        }
        const std::vector<float> inputs = read<float>(pooled);
        for (size_t i = 0; i < 192; i++) by_dense[i] = gradient[i / 64] * inputs[i % 64];
        check_near(read<float>(g_filters), by_filters, 2e-3f);
        check_near(read<float>(g_bias), by_bias, 2e-3f);
        check_near(read<float>(g_dense), by_dense, 1e-5f);
    });
}

} // namespace

int main() {
    const CMUnitTest topologies[] = {TEST(inference), TEST(inference_in_8_bits), TEST(training)};
    return RUN_ON_DEVICE(topologies);
}
