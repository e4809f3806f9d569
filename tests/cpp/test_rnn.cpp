/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of RNNs through their C++ classes: one layer, two steps of time, against the formulas of
 * dnnl.h. A cell that the library does not have yet ends its test early. */
#include "cpp_test.hpp"

#include <unordered_map>

using namespace dnnl;

namespace {

using floats = std::vector<float>;
const size_t T = 2, N = 2, H = 3; // all channel counts are H
const memory::desc layer_md({2, 2, 3}, dt::f32, tag::tnc),
        state_md({1, 1, 2, 3}, dt::f32, tag::ldnc), attention_md({2, 2, 1}, dt::f32, tag::tnc);
const rnn_direction l2r = rnn_direction::unidirectional_left2right;
const prop_kind inference = prop_kind::forward_inference;

memory::desc weights_md(memory::dim gates) {
    return memory::desc({1, 1, 3, gates, 3}, dt::f32, tag::ldigo);
}
memory::desc bias_md(memory::dim gates) {
    return memory::desc({1, 1, gates, 3}, dt::f32, tag::ldgo);
}
floats small(size_t n, int seed) {
    floats values = numbers(n, seed);
    for (float &v : values) v *= 0.1f;
    return values;
}
float sigmoid(float x) {
    return 1.f / (1.f + std::exp(-x));
}

// Data of a cell with some number of gates, and of biases.
struct cell {
    size_t gates;
    floats x = small(T * N * H, 0), h0 = small(N * H, 1), c0 = small(N * H, 2),
           attention = small(T * N, 3);
    floats w, u, b;
    cell(size_t ngates, size_t nbiases)
        : gates(ngates), w(small(H * ngates * H, 4)), u(small(H * ngates * H, 5)),
          b(small(nbiases * H, 6)) {}

    float product(const floats &weights, const float *in, size_t gate, size_t o) const {
        float sum = 0;
        for (size_t i = 0; i < H; i++) sum += in[i] * weights[(i * gates + gate) * H + o];
        return sum;
    }
    // W x + U h + b of a gate.
    float gate(const float *in, const float *h, size_t g, size_t o) const {
        return product(w, in, g, o) + product(u, h, g, o) + b[g * H + o];
    }
    // Applies step(x, h, t, n, o) over time, and returns all states.
    floats unroll(
            const std::function<float(const float *, const float *, size_t, size_t, size_t)> &step)
            const {
        floats h = h0, all;
        for (size_t t = 0; t < T; t++) {
            floats next(N * H);
            for (size_t n = 0; n < N; n++)
                for (size_t o = 0; o < H; o++)
                    next[n * H + o] = step(&x[(t * N + n) * H], &h[n * H], t, n, o);
            h = next;
            all.insert(all.end(), h.begin(), h.end());
        }
        return all;
    }
    float att(size_t t, size_t n) const { return attention[t * N + n]; }
};

template <typename P>
void check_cell(
        device &dev, const cell &c, const typename P::primitive_desc &pd, const floats &expected) {
    const memory::dim gates = static_cast<memory::dim>(c.gates),
                      biases = static_cast<memory::dim>(c.b.size() / H);
    assert_true(pd.get_kind() == primitive::kind::rnn && pd.get_direction() == l2r);
    assert_true(pd.src_layer_desc() == layer_md && pd.dst_iter_desc() == state_md);
    std::unordered_map<int, memory> args{{DNNL_ARG_SRC_LAYER, make(dev.eng, layer_md, c.x)},
            {DNNL_ARG_SRC_ITER, make(dev.eng, state_md, c.h0)},
            {DNNL_ARG_WEIGHTS_LAYER, make(dev.eng, weights_md(gates), c.w)},
            {DNNL_ARG_WEIGHTS_ITER, make(dev.eng, weights_md(gates), c.u)},
            {DNNL_ARG_BIAS, make(dev.eng, bias_md(biases), c.b)},
            {DNNL_ARG_DST_LAYER, memory(layer_md, dev.eng)},
            {DNNL_ARG_DST_ITER, memory(state_md, dev.eng)}};
    const bool lstm = pd.get_cell_kind() == algorithm::vanilla_lstm;
    if (lstm) {
        args[DNNL_ARG_SRC_ITER_C] = make(dev.eng, state_md, c.c0);
        args[DNNL_ARG_DST_ITER_C] = memory(state_md, dev.eng);
    }
    if (!pd.augru_attention_desc().is_zero())
        args[DNNL_ARG_AUGRU_ATTENTION] = make(dev.eng, attention_md, c.attention);
    P(pd).execute(dev.strm, args);
    dev.strm.wait();
    check_near(read<float>(args[DNNL_ARG_DST_LAYER]), expected, 1e-5f);
    check_near(read<float>(args[DNNL_ARG_DST_ITER]), floats(expected.end() - N * H, expected.end()),
            1e-5f);
}

void vanilla() {
    as_far_as_implemented([] {
        device dev;
        const cell c(1, 1);
        const vanilla_rnn_forward::primitive_desc pd(dev.eng, inference, algorithm::eltwise_tanh,
                l2r, layer_md, state_md, weights_md(1), weights_md(1), bias_md(1), layer_md,
                state_md);
        assert_true(pd.get_activation_kind() == algorithm::eltwise_tanh);
        check_cell<vanilla_rnn_forward>(
                dev, c, pd, c.unroll([&](const float *x, const float *h, size_t, size_t, size_t o) {
                    return std::tanh(c.gate(x, h, 0, o));
                }));
    });
}

void lstm() {
    as_far_as_implemented([] {
        device dev;
        const cell c(4, 4);
        floats state = c.c0;
        const lstm_forward::primitive_desc pd(dev.eng, inference, l2r, layer_md, state_md, state_md,
                weights_md(4), weights_md(4), bias_md(4), layer_md, state_md, state_md);
        assert_true(pd.dst_iter_c_desc() == state_md && pd.weights_peephole_desc().is_zero());
        check_cell<lstm_forward>(dev, c, pd,
                c.unroll([&](const float *x, const float *h, size_t, size_t n, size_t o) {
                    float &s = state[n * H + o];
                    s = sigmoid(c.gate(x, h, 1, o)) * s +
                        sigmoid(c.gate(x, h, 0, o)) * std::tanh(c.gate(x, h, 2, o));
                    return sigmoid(c.gate(x, h, 3, o)) * std::tanh(s);
                }));
    });
}

// With the reset gate before the product, and an update gate that attention may scale.
float gru_step(const cell &c, const float *x, const float *h, float keep, size_t o) {
    float reset[H];
    for (size_t i = 0; i < H; i++) reset[i] = sigmoid(c.gate(x, h, 1, i)) * h[i];
    const float u = keep * sigmoid(c.gate(x, h, 0, o));
    return u * h[o] + (1.f - u) * std::tanh(c.gate(x, reset, 2, o));
}

// With the reset gate after it, which has a bias of its own.
float lbr_step(const cell &c, const float *x, const float *h, float keep, size_t o) {
    const float inner = c.product(c.u, h, 2, o) + c.b[3 * H + o];
    const float candidate = std::tanh(
            c.product(c.w, x, 2, o) + c.b[2 * H + o] + sigmoid(c.gate(x, h, 1, o)) * inner);
    const float u = keep * sigmoid(c.gate(x, h, 0, o));
    return u * h[o] + (1.f - u) * candidate;
}

void gru() {
    as_far_as_implemented([] {
        device dev;
        const cell c(3, 3);
        const gru_forward::primitive_desc pd(dev.eng, inference, l2r, layer_md, state_md,
                weights_md(3), weights_md(3), bias_md(3), layer_md, state_md);
        check_cell<gru_forward>(
                dev, c, pd, c.unroll([&](const float *x, const float *h, size_t, size_t, size_t o) {
                    return gru_step(c, x, h, 1.f, o);
                }));
    });
}

void lbr_gru() {
    as_far_as_implemented([] {
        device dev;
        const cell c(3, 4);
        const lbr_gru_forward::primitive_desc pd(dev.eng, inference, l2r, layer_md, state_md,
                weights_md(3), weights_md(3), bias_md(4), layer_md, state_md);
        check_cell<lbr_gru_forward>(
                dev, c, pd, c.unroll([&](const float *x, const float *h, size_t, size_t, size_t o) {
                    return lbr_step(c, x, h, 1.f, o);
                }));
    });
}

void augru() {
    as_far_as_implemented([] {
        device dev;
        const cell c(3, 3);
        const augru_forward::primitive_desc pd(dev.eng, inference, l2r, layer_md, state_md,
                attention_md, weights_md(3), weights_md(3), bias_md(3), layer_md, state_md);
        assert_true(pd.attention_desc() == attention_md);
        check_cell<augru_forward>(dev, c, pd,
                c.unroll([&](const float *x, const float *h, size_t t, size_t n, size_t o) {
                    return gru_step(c, x, h, 1.f - c.att(t, n), o);
                }));
    });
}

void lbr_augru() {
    as_far_as_implemented([] {
        device dev;
        const cell c(3, 4);
        const lbr_augru_forward::primitive_desc pd(dev.eng, inference, l2r, layer_md, state_md,
                attention_md, weights_md(3), weights_md(3), bias_md(4), layer_md, state_md);
        check_cell<lbr_augru_forward>(dev, c, pd,
                c.unroll([&](const float *x, const float *h, size_t t, size_t n, size_t o) {
                    return lbr_step(c, x, h, 1.f - c.att(t, n), o);
                }));
    });
}

} // namespace

int main() {
    const CMUnitTest cells[] = {
            TEST(vanilla), TEST(lstm), TEST(gru), TEST(lbr_gru), TEST(augru), TEST(lbr_augru)};
    return RUN_ON_DEVICE(cells);
}
