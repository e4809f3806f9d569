/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and parameters for each kind of primitive. */
#include "problem.hpp"

#include <algorithm>
#include <cstring>

#include "draw.hpp"

static int64_t dim(int64_t most = 20) {
    static const int64_t dims[] = {2, 1, 3, 4, 5, 7, 8, 15, 16, 17, 20, 33, 0, 64};
    const int64_t d = one_of(dims);
    return d > most ? d % most + 1 : d;
}

static shape_t some_shape(int most_dims = 5) {
    shape_t shape;
    for (uint64_t n = 1 + below((uint64_t)most_dims); n; n--)
        shape.push_back(dim(shape.size() < 2 ? 64 : 7));
    return shape;
}

static dnnl_data_type_t number_type() {
    static const dnnl_data_type_t types[] = {
            dnnl_f32, dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s8, dnnl_u8, dnnl_s32, dnnl_f64};
    return below(32) == 31 ? draw<dnnl_data_type_t>::get() : one_of(types);
}

/* Types of the operands of a product. */
struct types_t {
    dnnl_data_type_t src, weights, bias, dst;
};

static types_t product_types() {
    static const types_t types[] = {{dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_f32},
            {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8}, {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32},
            {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64}, {dnnl_f32, dnnl_s8, dnnl_f32, dnnl_f32}};
    if (below(12) == 11) return {number_type(), number_type(), number_type(), number_type()};
    return one_of(types);
}

/* Adds a tensor. */
static void add(problem_t &p, const shape_t &shape, dnnl_data_type_t dt, bool may_be_any = true) {
    const md_t md = draw_md(shape, dt, may_be_any);
    md_t real = md;
    if (md_is_any(&real)) md_set_plain(&real);
    p.mds.push_back(md);
    p.real.push_back(real);
}

static void add_nothing(problem_t &p) {
    p.mds.push_back(md_t());
    p.real.push_back(md_t());
}

static void add_bias(problem_t &p, const shape_t &shape, dnnl_data_type_t dt) {
    if (below(2)) add(p, shape, dt);
    else add_nothing(p);
}

static void add_dims(problem_t &p, const std::vector<dnnl_dim_t> &values) {
    std::array<dnnl_dim_t, DNNL_MAX_NDIMS> all = {};
    std::copy(values.begin(), values.end(), all.begin());
    p.dims.push_back(all);
}

/* ---- kinds ---- */

struct window_t {
    std::vector<dnnl_dim_t> in, out, kernel, stride, dilation, left, right;
};

static window_t draw_window(bool transposed) {
    window_t w;
    for (uint64_t n = 1 + below(3); n; n--) {
        const dnnl_dim_t k = 1 + (dnnl_dim_t)below(4), s = 1 + (dnnl_dim_t)below(3),
                         dilation = below(4) == 3 ? 1 + (dnnl_dim_t)below(2) : 0;
        const dnnl_dim_t extent = (k - 1) * (dilation + 1) + 1;
        dnnl_dim_t left = (dnnl_dim_t)below((uint64_t)k), right = (dnnl_dim_t)below((uint64_t)k);
        dnnl_dim_t in = dim(n > 1 ? 7 : 20);
        if (!transposed && in + left + right < extent) in = extent;
        if (transposed && in < 1) in = 1;
        dnnl_dim_t out = transposed ? (in - 1) * s + extent - left - right
                                    : (in + left + right - extent) / s + 1;
        if (out < 1) {
            left = right = 0;
            out = (in - 1) * s + extent;
        }
        w.in.push_back(in);
        w.out.push_back(out);
        w.kernel.push_back(k);
        w.stride.push_back(s);
        w.dilation.push_back(dilation);
        w.left.push_back(left);
        w.right.push_back(right);
    }
    return w;
}

static shape_t join(std::initializer_list<dnnl_dim_t> head, const shape_t &tail) {
    shape_t all(head);
    all.insert(all.end(), tail.begin(), tail.end());
    return all;
}

static void convolve(problem_t &p, bool transposed) {
    const window_t w = draw_window(transposed);
    const types_t t = product_types();
    static const int group_counts[] = {1, 1, 1, 2, 3, 16, 17};
    const dnnl_dim_t mb = 1 + (dnnl_dim_t)below(3), g = one_of(group_counts);
    dnnl_dim_t ic = dim(g > 1 ? 4 : 33), oc = dim(g > 1 ? 4 : 33);
    if (g > 1 && below(2)) ic = oc = 1;
    add(p, join({mb, g * ic}, w.in), t.src);
    add(p, g > 1 || below(8) == 7 ? join({g, oc, ic}, w.kernel) : join({oc, ic}, w.kernel),
            t.weights);
    add_bias(p, {g * oc}, t.bias);
    p.dst = join({mb, g * oc}, w.out);
    add(p, p.dst, t.dst);
    for (const auto *values : {&w.stride, &w.dilation, &w.left, &w.right}) add_dims(p, *values);
    p.alg = transposed ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    if (below(6) == 5) p.alg = transposed ? dnnl_deconvolution_winograd : dnnl_convolution_auto;
}
static void convolution(problem_t &p) {
    convolve(p, false);
}
static void deconvolution(problem_t &p) {
    convolve(p, true);
}

static void pooling(problem_t &p) {
    static const dnnl_alg_kind_t algs[] = {
            dnnl_pooling_max, dnnl_pooling_avg_include_padding, dnnl_pooling_avg_exclude_padding};
    const window_t w = draw_window(false);
    const dnnl_dim_t mb = dim(3), c = dim(40);
    const dnnl_data_type_t dt = number_type();
    add(p, join({mb, c}, w.in), dt);
    p.dst = join({mb, c}, w.out);
    add(p, p.dst, below(4) ? dt : number_type());
    for (const auto *values : {&w.stride, &w.kernel, &w.dilation, &w.left, &w.right})
        add_dims(p, *values);
    p.alg = one_of(algs);
}

static void matmul(problem_t &p) {
    const types_t t = product_types();
    const dnnl_dim_t m = dim(64), k = dim(64), n = dim(64);
    shape_t src, weights, bias;
    for (uint64_t batches = below(4) == 3 ? 1 + below(3) : 0; batches; batches--) {
        const dnnl_dim_t b = dim(3);
        src.push_back(below(4) == 3 ? 1 : b);
        weights.push_back(below(4) == 3 ? 1 : b);
        p.dst.push_back(std::max(src.back(), weights.back()));
    }
    src.insert(src.end(), {m, k});
    weights.insert(weights.end(), {k, n});
    p.dst.insert(p.dst.end(), {m, n});
    for (dnnl_dim_t d : p.dst) bias.push_back(below(2) ? d : 1);
    add(p, src, t.src);
    add(p, weights, t.weights);
    add_bias(p, bias, t.bias);
    add(p, p.dst, t.dst);
}

static void inner_product(problem_t &p) {
    const types_t t = product_types();
    shape_t spatial;
    for (uint64_t n = below(4); n; n--) spatial.push_back(dim(4));
    const dnnl_dim_t mb = dim(20), ic = dim(33), oc = dim(33);
    add(p, join({mb, ic}, spatial), t.src);
    add(p, join({oc, ic}, spatial), t.weights);
    add_bias(p, {oc}, t.bias);
    p.dst = {mb, oc};
    add(p, p.dst, t.dst);
}

/* Tensors of one shape. */
static void same(problem_t &p, int tensors) {
    const shape_t shape = some_shape();
    const dnnl_data_type_t dt = number_type();
    p.dst = shape;
    for (int i = 0; i < tensors; i++) add(p, shape, below(4) ? dt : number_type());
}

static void eltwise(problem_t &p) {
    same(p, 2);
    const int count = dnnl_eltwise_clip_v2_use_dst_for_bwd - dnnl_eltwise_relu + 1;
    p.alg = (dnnl_alg_kind_t)(dnnl_eltwise_relu + (int)below((uint64_t)count));
}

static shape_t broadcast(const shape_t &shape) {
    shape_t part = shape;
    for (dnnl_dim_t &d : part)
        if (below(3) == 2) d = 1;
    return part;
}

static void binary(problem_t &p) {
    p.dst = some_shape();
    p.alg = (dnnl_alg_kind_t)(dnnl_binary_add +
                              (int)below(dnnl_binary_select - dnnl_binary_add + 1));
    add(p, broadcast(p.dst), number_type());
    add(p, broadcast(p.dst), number_type());
    add(p, p.dst, number_type());
}

static void binary_v2(problem_t &p) {
    binary(p);
    if (below(2)) p.alg = dnnl_binary_select;
    const md_t dst = p.mds.back(), real = p.real.back();
    p.mds.pop_back();
    p.real.pop_back();
    add(p, p.dst, dnnl_s8);
    p.mds.push_back(dst);
    p.real.push_back(real);
}

static void reorder(problem_t &p) {
    p.dst = some_shape();
    add(p, p.dst, number_type(), false);
    add(p, p.dst, number_type(), false);
}

/* Forward as it was first; of_v4: with a soft cap and a fill value, mostly as primitives take them;
 * backward: its gradients first. */
enum class attention_t { first, of_v4, backward };
static void attend(problem_t &p, attention_t form) {
    static const dnnl_data_type_t types[] = {
            dnnl_f16, dnnl_f16, dnnl_f16, dnnl_bf16, dnnl_bf16, dnnl_f32};
    const dnnl_data_type_t dt = one_of(types);
    const auto type = [&] { return below(8) == 7 ? number_type() : dt; };
    const dnnl_dim_t queries = dim(40), keys = dim(80), size = dim(70), width = dim(70),
                     key_heads = 1 + (dnnl_dim_t)below(3);
    const uint64_t mask = below(form == attention_t::first ? 4 : 6);
    shape_t q, k, v;
    for (uint64_t batches = below(3); batches; batches--) q.push_back(dim(3));
    k = q;
    q.push_back(key_heads * (1 + (dnnl_dim_t)below(3)));
    k.push_back(key_heads);
    v = k;
    p.dst = q;
    shape_t scores = q;
    q.insert(q.end(), {queries, size});
    k.insert(k.end(), {size, keys});
    v.insert(v.end(), {keys, width});
    p.dst.insert(p.dst.end(), {queries, width});
    scores.insert(scores.end(), {queries, keys});
    const auto add_factor = [&] {
        if (below(2)) add(p, {1}, below(2) ? dnnl_f32 : dt);
        else add_nothing(p);
    };
    if (form == attention_t::backward) {
        for (const shape_t *shape : {&q, &k, &v, &p.dst}) add(p, *shape, type());
        if (below(4) == 3) add(p, scores, type());
        else add_nothing(p);
    }
    add(p, q, type());
    add(p, k, type());
    add(p, v, type());
    add(p, p.dst, type());
    if (mask == 1 || mask > 3) add(p, broadcast(scores), below(2) ? dt : number_type());
    else add_nothing(p);
    add_factor();
    if (form != attention_t::first) add_factor(), add_factor();
    p.ints = {(int)below(2), (int)mask};
    p.longs = {key_heads};
}
static void attention(problem_t &p) {
    attend(p, attention_t::first);
}
static void attention_v4(problem_t &p) {
    attend(p, attention_t::of_v4);
}
static void attention_backward(problem_t &p) {
    attend(p, attention_t::backward);
}

static void softmax(problem_t &p) {
    same(p, 2);
    p.alg = (dnnl_alg_kind_t)(dnnl_softmax_accurate + (int)below(3));
    p.ints.push_back((int)below(p.dst.size()));
}

static void shuffle(problem_t &p) {
    same(p, 2);
    const uint64_t axis = below(p.dst.size());
    p.ints.push_back((int)axis);
    p.longs.push_back(
            below(2) ? 1 : std::max<dnnl_dim_t>(p.dst[axis] / (1 + (dnnl_dim_t)below(4)), 1));
}

static void prelu(problem_t &p) {
    const dnnl_data_type_t dt = number_type();
    p.dst = some_shape();
    add(p, p.dst, dt);
    add(p, broadcast(p.dst), below(2) ? dt : number_type());
    add(p, p.dst, dt);
}

static void lrn(problem_t &p) {
    same(p, 2);
    p.alg = below(2) ? dnnl_lrn_across_channels : dnnl_lrn_within_channel;
    p.longs.push_back(1 + (dnnl_dim_t)below(7));
}

static void normalization(problem_t &p) {
    same(p, 2);
    p.longs.push_back(1 + (dnnl_dim_t)below(4));
}

static void layer_normalization(problem_t &p) {
    same(p, 2);
    shape_t statistics(p.dst.begin(), p.dst.end() - 1);
    if (statistics.empty() || below(3) == 0) add_nothing(p);
    else add(p, statistics, dnnl_f32);
}

static void resampling(problem_t &p) {
    const dnnl_dim_t mb = dim(3), c = dim(33);
    shape_t in, out;
    for (uint64_t n = 1 + below(3); n; n--) {
        in.push_back(dim(9));
        out.push_back(dim(9));
    }
    p.dst = join({mb, c}, out);
    p.alg = below(2) ? dnnl_resampling_nearest : dnnl_resampling_linear;
    add(p, join({mb, c}, in), number_type());
    add(p, p.dst, number_type());
}

static void reduction(problem_t &p) {
    const shape_t src = some_shape();
    p.dst = broadcast(src);
    p.alg = (dnnl_alg_kind_t)(dnnl_reduction_max + (int)below(9));
    add(p, src, number_type());
    add(p, p.dst, number_type());
}

/* Destination first, then the sources. */
static void concat(problem_t &p) {
    shape_t shape = some_shape();
    const uint64_t axis = below(shape.size()), n = 1 + below(below(16) == 15 ? 40 : 4);
    const dnnl_data_type_t dt = number_type();
    p.dst = shape;
    p.dst[axis] = 0;
    p.ints = {(int)n, (int)axis};
    add_nothing(p);
    for (uint64_t i = 0; i < n; i++) {
        shape[axis] = dim(17);
        p.dst[axis] += shape[axis];
        add(p, shape, dt, false);
    }
    const md_t dst = draw_md(p.dst, below(4) ? dt : number_type(), true);
    if (below(3)) p.mds[0] = p.real[0] = dst;
}

static void sum(problem_t &p) {
    p.dst = some_shape();
    const uint64_t n = 1 + below(below(16) == 15 ? 70 : 4);
    p.ints = {(int)n};
    add_nothing(p);
    for (uint64_t i = 0; i < n; i++) add(p, p.dst, number_type(), false);
    const md_t dst = draw_md(p.dst, number_type(), true);
    if (below(3)) p.mds[0] = p.real[0] = dst;
}

/* A layer of recurrent cells; `extra` says what a kind has between the usual tensors. */
static void cells(
        problem_t &p, dnnl_dim_t gates, dnnl_dim_t bias_gates, bool lstm, bool attention) {
    const dnnl_data_type_t dt = below(2) ? dnnl_f32 : number_type();
    const dnnl_dim_t layers = 1 + (dnnl_dim_t)below(2), directions = 1 + (dnnl_dim_t)below(2),
                     steps = 1 + (dnnl_dim_t)below(3), mb = dim(5), channels = dim(9);
    const shape_t state = {layers, directions, mb, channels}, sequence = {steps, mb, channels};
    add(p, sequence, dt);
    if (below(2)) add(p, state, dt);
    else add_nothing(p);
    if (lstm) add(p, state, below(2) ? dt : dnnl_f32);
    if (attention) add(p, {steps, mb, 1}, dt);
    add(p, {layers, directions, channels, gates, channels}, dt);
    add(p, {layers, directions, channels, gates, channels}, dt);
    for (int i = 0; lstm && i < 2; i++) { /* peephole, projection */
        if (below(4)) add_nothing(p);
        else
            add(p,
                    i ? shape_t{layers, directions, channels, channels}
                      : shape_t{layers, directions, 3, channels},
                    i ? dt : dnnl_f32);
    }
    add_bias(p, {layers, directions, bias_gates, channels}, dnnl_f32);
    add(p, {steps, mb, directions * channels}, dt);
    if (below(2)) add(p, state, dt);
    else add_nothing(p);
    if (lstm) add(p, state, below(2) ? dt : dnnl_f32);
    const size_t n = p.mds.size(); /* backward propagation: the differences of all of them */
    for (size_t i = 0; i < n; i++) {
        p.mds.push_back(md_t(p.mds[i]));
        p.real.push_back(md_t(p.real[i]));
        if (below(8) == 7 || !p.mds[i].ndims) continue;
        p.mds.back().data_type = p.real.back().data_type = dnnl_f32;
    }
    p.alg = dnnl_eltwise_tanh;
}
static void vanilla_rnn(problem_t &p) {
    cells(p, 1, 1, false, false);
}
static void lstm(problem_t &p) {
    cells(p, 4, 4, true, false);
}
static void gru(problem_t &p) {
    cells(p, 3, 3, false, false);
}
static void lbr_gru(problem_t &p) {
    cells(p, 3, 4, false, false);
}
static void augru(problem_t &p) {
    cells(p, 3, 3, false, true);
}
static void lbr_augru(problem_t &p) {
    cells(p, 3, 4, false, true);
}

/* The first whose name occurs in the constructor's. */
static const struct {
    const char *name;
    void (*draw)(problem_t &);
} kinds[] = {{"deconvolution", deconvolution}, {"convolution", convolution}, {"pooling", pooling},
        {"matmul", matmul}, {"inner_product", inner_product}, {"eltwise", eltwise},
        {"binary_primitive_desc_create_v2", binary_v2}, {"binary", binary}, {"reorder", reorder},
        {"softmax", softmax}, {"shuffle", shuffle}, {"prelu", prelu}, {"lrn", lrn},
        {"layer_normalization", layer_normalization}, {"normalization", normalization},
        {"resampling", resampling}, {"reduction", reduction}, {"concat", concat}, {"sum", sum},
        {"vanilla_rnn", vanilla_rnn}, {"lstm", lstm}, {"lbr_gru", lbr_gru},
        {"lbr_augru", lbr_augru}, {"augru", augru}, {"gru", gru},
        {"sdpa_forward_primitive_desc_create_v4", attention_v4},
        {"sdpa_backward", attention_backward}, {"sdpa", attention}};

/* Dimensions that are known at execution only: all of them, or some of some tensor. */
static void forget_dims(problem_t &p) {
    const bool all = below(2);
    for (size_t i = 0; i < p.mds.size(); i++) {
        md_t &md = p.mds[i];
        if (!md_is_blocked(&md) || (!all && below(3))) continue;
        const uint64_t which = all ? 0xfff : below(256);
        dnnl_dims_t dims = {}, strides = {};
        for (int d = 0; d < md.ndims; d++) {
            dims[d] = which >> d & 1 ? DNNL_RUNTIME_DIM_VAL : md.dims[d];
            strides[d] = which ? DNNL_RUNTIME_DIM_VAL : md.format_desc.blocking.strides[d];
        }
        md_t open;
        if (!md_init_strides(&open, md.ndims, dims, md.data_type, below(2) ? strides : nullptr))
            md = open;
    }
}

problem_t draw_problem(const char *constructor) {
    problem_t p;
    for (const auto &kind : kinds)
        if (strstr(constructor, kind.name)) {
            kind.draw(p);
            break;
        }
    if (strstr(constructor, "tion_backward_data") || strstr(constructor, "product_backward_data"))
        p.mds.erase(p.mds.begin() + 2), p.real.erase(p.real.begin() + 2);
    switch (below(16)) {
    case 14: forget_dims(p); break;
    case 15:
        for (uint64_t n = 1 + below(2); n; n--) {
            const uint64_t what = below(8);
            if (what == 7 && !p.dims.empty()) p.dims[below(p.dims.size())][below(3)] = odd_dim();
            else if (what == 6 && !p.longs.empty()) p.longs[below(p.longs.size())] = odd_dim();
            else if (what == 5 && !p.ints.empty()) p.ints[below(p.ints.size())] = (int)odd_dim();
            else {
                const size_t i = below(p.mds.size());
                damage(&p.mds[i]);
                p.real[i] = md_t();
            }
        }
        break;
    default: break;
    }
    return p;
}
