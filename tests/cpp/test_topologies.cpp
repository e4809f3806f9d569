/* SPDX-License-Identifier: Apache-2.0 */
/* A small convolutional network the way the developer guide builds one: convolution with ReLU, max pooling,
 * inner product, softmax; then the same with a backward pass. A kind that the library does not have yet ends
 * a test early, where nothing but `unimplemented` is accepted. */
#include "cpp_test.hpp"

#include <algorithm>
#include <unordered_map>

using namespace dnnl;

namespace {

// Image 1 x 2 x 8 x 8, four 3 x 3 filters, windows of 2 x 2, three classes.
const memory::desc image_md({1, 2, 8, 8}, dt::f32, tag::nchw), filters_md({4, 2, 3, 3}, dt::f32, tag::oihw),
        bias_md({4}, dt::f32, tag::a), features_md({1, 4, 8, 8}, dt::f32, tag::nchw),
        pooled_md({1, 4, 4, 4}, dt::f32, tag::nchw), dense_md({3, 4, 4, 4}, dt::f32, tag::oihw),
        classes_md({1, 3}, dt::f32, tag::ab);
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
std::vector<double> reference(const std::vector<float> &w) {
    std::vector<double> features(256), out(3);
    for (int o = 0; o < 4; o++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                double sum = bias[static_cast<size_t>(o)];
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
        const double pooled = std::max(std::max(window[0], window[1]), std::max(window[8], window[9]));
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
    as_far_as_implemented([] {
        device dev;
        const engine &eng = dev.eng;
        const prop_kind fwd = prop_kind::forward_inference;
        primitive_attr relu;
        post_ops ops;
        ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
        relu.set_post_ops(ops);
        const convolution_forward::primitive_desc conv(eng, fwd, algorithm::convolution_direct, image_md,
                filters_md, bias_md, features_md, one, one, one, relu);
        const pooling_forward::primitive_desc pool(
                eng, fwd, algorithm::pooling_max, features_md, pooled_md, two, two, zero, zero, zero);
        const inner_product_forward::primitive_desc ip(eng, fwd, pooled_md, dense_md, classes_md);
        const softmax_forward::primitive_desc softmax(
                eng, fwd, algorithm::softmax_accurate, classes_md, classes_md, 1);

        memory x = make(eng, image_md, image), w = make(eng, filters_md, filters),
               b = make(eng, bias_md, bias), d = make(eng, dense_md, dense), features(features_md, eng),
               pooled(pooled_md, eng), classes(classes_md, eng);
        execute(dev, {{convolution_forward(conv), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w},
                                                          {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, features}}},
                             {pooling_forward(pool), {{DNNL_ARG_SRC, features}, {DNNL_ARG_DST, pooled}}},
                             {inner_product_forward(ip), {{DNNL_ARG_SRC, pooled}, {DNNL_ARG_WEIGHTS, d},
                                                                 {DNNL_ARG_DST, classes}}},
                             {softmax_forward(softmax), {{DNNL_ARG_SRC, classes}, {DNNL_ARG_DST, classes}}}});

        const std::vector<double> values = reference(filters);
        double sum = 0;
        for (const double v : values) sum += std::exp(v);
        std::vector<float> expected(3);
        for (size_t i = 0; i < 3; i++) expected[i] = static_cast<float>(std::exp(values[i]) / sum);
        check_near(read<float>(classes), expected, 1e-5f);
    });
}

// The gradient of g * classes by the filters, against finite differences of the reference.
void training() {
    as_far_as_implemented([] {
        device dev;
        const engine &eng = dev.eng;
        const prop_kind fwd = prop_kind::forward_training;
        const std::vector<float> gradient{1.f, -2.f, 0.5f};
        const convolution_forward::primitive_desc conv(eng, fwd, algorithm::convolution_direct, image_md,
                filters_md, bias_md, features_md, one, one, one);
        const eltwise_forward::primitive_desc relu(
                eng, fwd, algorithm::eltwise_relu, features_md, features_md);
        const pooling_forward::primitive_desc pool(
                eng, fwd, algorithm::pooling_max, features_md, pooled_md, two, two, zero, zero, zero);
        const inner_product_forward::primitive_desc ip(eng, fwd, pooled_md, dense_md, classes_md);
        const inner_product_backward_data::primitive_desc ip_bwd(eng, pooled_md, dense_md, classes_md, ip);
        const pooling_backward::primitive_desc pool_bwd(
                eng, algorithm::pooling_max, features_md, pooled_md, two, two, zero, zero, zero, pool);
        const eltwise_backward::primitive_desc relu_bwd(
                eng, algorithm::eltwise_relu, features_md, features_md, features_md, relu);
        const convolution_backward_weights::primitive_desc conv_bwd(eng, algorithm::convolution_direct,
                image_md, filters_md, bias_md, features_md, one, one, one, conv);

        memory x = make(eng, image_md, image), w = make(eng, filters_md, filters),
               b = make(eng, bias_md, bias), d = make(eng, dense_md, dense),
               g = make(eng, classes_md, gradient), sums(features_md, eng), features(features_md, eng),
               pooled(pooled_md, eng), classes(classes_md, eng), workspace(pool.workspace_desc(), eng),
               g_pooled(pooled_md, eng), g_features(features_md, eng), g_sums(features_md, eng),
               g_filters(filters_md, eng), g_bias(bias_md, eng);
        execute(dev,
                {{convolution_forward(conv), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b},
                                                     {DNNL_ARG_DST, sums}}},
                        {eltwise_forward(relu), {{DNNL_ARG_SRC, sums}, {DNNL_ARG_DST, features}}},
                        {pooling_forward(pool), {{DNNL_ARG_SRC, features}, {DNNL_ARG_DST, pooled},
                                                        {DNNL_ARG_WORKSPACE, workspace}}},
                        {inner_product_forward(ip),
                                {{DNNL_ARG_SRC, pooled}, {DNNL_ARG_WEIGHTS, d}, {DNNL_ARG_DST, classes}}},
                        {inner_product_backward_data(ip_bwd), {{DNNL_ARG_DIFF_DST, g}, {DNNL_ARG_WEIGHTS, d},
                                                                      {DNNL_ARG_DIFF_SRC, g_pooled}}},
                        {pooling_backward(pool_bwd),
                                {{DNNL_ARG_DIFF_DST, g_pooled}, {DNNL_ARG_WORKSPACE, workspace},
                                        {DNNL_ARG_DIFF_SRC, g_features}}},
                        {eltwise_backward(relu_bwd), {{DNNL_ARG_DIFF_DST, g_features}, {DNNL_ARG_SRC, sums},
                                                             {DNNL_ARG_DIFF_SRC, g_sums}}},
                        {convolution_backward_weights(conv_bwd),
                                {{DNNL_ARG_DIFF_DST, g_sums}, {DNNL_ARG_SRC, x},
                                        {DNNL_ARG_DIFF_WEIGHTS, g_filters}, {DNNL_ARG_DIFF_BIAS, g_bias}}}});

        const auto loss = [&](const std::vector<float> &weights) {
            const std::vector<double> values = reference(weights);
            double sum = 0;
            for (size_t i = 0; i < 3; i++) sum += static_cast<double>(gradient[i]) * values[i];
            return sum;
        };
        std::vector<float> expected(72);
        for (size_t i = 0; i < 72; i++) {
            std::vector<float> more(filters), less(filters);
            more[i] += 1e-4f;
            less[i] -= 1e-4f;
            expected[i] =
                    static_cast<float>((loss(more) - loss(less)) / static_cast<double>(more[i] - less[i]));
        }
        check_near(read<float>(g_filters), expected, 2e-3f);
    });
}

} // namespace

int main() {
    const CMUnitTest topologies[] = {TEST(inference), TEST(training)};
    return RUN_ON_DEVICE(topologies);
}
