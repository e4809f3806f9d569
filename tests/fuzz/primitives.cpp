/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: bytes become a constructor of primitive descriptors, descriptors, parameters and
 * attributes. Whatever they are, there is a documented status; what the constructor accepts is
 * made into a primitive and executed between guard pages.
 *
 * A primitive of backward propagation is drawn alone, or together with the forward one whose
 * descriptor is its hint.
 *
 * FUZZ_EXECUTE=0 in the environment leaves out primitives; FUZZ_COMPILE_MS=n and
 * FUZZ_COMPILE_SHARE=s limit the time for building kernels (execute.h). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "dnnl_debug.h"
#include "dnnl_ze.h"
#include "dnnl_ze_sdpa.h"
#include "draw.hpp"
#include "problem.hpp"
#include "target.hpp"
extern "C" {
#include "execute.h"
}

namespace {

executor_t executor;

/* The arguments of one call, taken from the problem in the order of its lists. */
struct supply_t {
    problem_t problem;
    dnnl_primitive_attr_t attr;
    size_t md, dims, ints, longs;
    std::vector<const_dnnl_memory_desc_t> array;
    float floats[DNNL_MAX_NDIMS + 80];
    dnnl_ze_attn_weights_t weights;
    md_t weight_mds[2];
    const_dnnl_primitive_desc_t hint;
    bool is_backward;
    /* Backward propagation has the forward primitive's numbers: those drawn, and the next one. */
    std::vector<double> numbers;
    size_t number;
} *supply;

template <class T> T same_as_forward(T drawn()) {
    supply_t &s = *supply;
    if (s.number == s.numbers.size()) s.numbers.push_back((double)drawn());
    return (T)s.numbers[s.number++];
}

template <class T> bool is_absent() {
    return below(128) == 127;
}

template <class T, class = void> struct arg {
    static T get() { return draw<T>::get(); }
};
template <> struct arg<dnnl_engine_t> {
    static dnnl_engine_t get() { return is_absent<int>() ? nullptr : executor.engine; }
};
template <> struct arg<dnnl_prop_kind_t> {
    static dnnl_prop_kind_t get() {
        if (below(16) == 15) return draw<dnnl_prop_kind_t>::get();
        if (supply->is_backward) return below(2) ? dnnl_backward : dnnl_backward_data;
        return below(2) ? dnnl_forward_training : dnnl_forward_inference;
    }
};
template <> struct arg<dnnl_alg_kind_t> {
    static dnnl_alg_kind_t get() {
        return below(32) == 31 ? draw<dnnl_alg_kind_t>::get() : supply->problem.alg;
    }
};
template <> struct arg<const_dnnl_memory_desc_t> {
    static const_dnnl_memory_desc_t get() {
        const auto &mds = supply->problem.mds;
        const md_t *md = &mds[supply->md++ % mds.size()];
        return is_absent<md_t>() || (md_is_zero(md) && below(2)) ? nullptr : md;
    }
};
template <> struct arg<const const_dnnl_memory_desc_t *> { /* all that are left */
    static const const_dnnl_memory_desc_t *get() {
        const auto &mds = supply->problem.mds;
        for (; supply->md < mds.size(); supply->md++)
            supply->array.push_back(is_absent<md_t>() ? nullptr : &mds[supply->md]);
        /* A count that is too large finds descriptors too. */
        supply->array.resize(80, supply->array.empty() ? nullptr : supply->array.back());
        return is_absent<int>() ? nullptr : supply->array.data();
    }
};
template <> struct arg<const dnnl_dim_t *> {
    static const dnnl_dim_t *get() {
        const auto &dims = supply->problem.dims;
        return is_absent<int>() || dims.empty() ? nullptr
                                                : dims[supply->dims++ % dims.size()].data();
    }
};
template <> struct arg<int> {
    static int get() {
        const auto &ints = supply->problem.ints;
        const int value = supply->ints < ints.size() ? ints[supply->ints] : (int)below(6) - 1;
        supply->ints++;
        return value > 75 ? 75 : value;
    }
};
template <> struct arg<dnnl_dim_t> {
    static dnnl_dim_t get() {
        const auto &longs = supply->problem.longs;
        return supply->longs < longs.size() ? longs[supply->longs++] : (dnnl_dim_t)below(6);
    }
};
template <> struct arg<dnnl_ze_attn_mask_t> {
    static dnnl_ze_attn_mask_t get() { return (dnnl_ze_attn_mask_t)arg<int>::get(); }
};
/* What the weights are rounded to, or that they are not. */
template <> struct arg<const dnnl_ze_attn_weights_t *> {
    static const dnnl_ze_attn_weights_t *get() {
        static const dnnl_data_type_t types[] = {
                dnnl_s8, dnnl_u8, dnnl_f8_e4m3, dnnl_f8_e5m2, dnnl_data_type_undef};
        supply_t &s = *supply;
        const auto number = [](md_t *md) -> const_dnnl_memory_desc_t {
            const dnnl_dim_t one = 1;
            if (below(2)) return nullptr;
            md_init_strides(md, 1, &one, below(2) ? dnnl_f32 : draw<dnnl_data_type_t>::get(), NULL);
            return md;
        };
        if (below(4)) return nullptr;
        s.weights.data_type = below(8) == 7 ? draw<dnnl_data_type_t>::get() : one_of(types);
        s.weights.scale_desc = number(&s.weight_mds[0]);
        s.weights.zero_point_desc = number(&s.weight_mds[1]);
        return &s.weights;
    }
};
unsigned draw_flags() {
    return (unsigned)below(below(16) == 15 ? 1024 : 32);
}
template <> struct arg<unsigned> {
    static unsigned get() { return same_as_forward(draw_flags); }
};
template <> struct arg<float> {
    static float get() { return same_as_forward(draw<float>::get); }
};
template <> struct arg<dnnl_rnn_direction_t> {
    static dnnl_rnn_direction_t get() { return same_as_forward(draw<dnnl_rnn_direction_t>::get); }
};
template <> struct arg<const float *> {
    static const float *get() {
        for (float &f : supply->floats) f = draw<float>::get();
        return below(2) ? supply->floats : nullptr;
    }
};
template <> struct arg<const_dnnl_primitive_desc_t> {
    static const_dnnl_primitive_desc_t get() {
        return supply->hint && below(16) != 15 ? supply->hint : nullptr;
    }
};
template <> struct arg<const_dnnl_primitive_attr_t> {
    static const_dnnl_primitive_attr_t get() { return supply->attr; }
};

template <class... A>
dnnl_status_t construct(
        dnnl_status_t (*f)(dnnl_primitive_desc_t *, A...), dnnl_primitive_desc_t *out) {
    std::tuple<A...> args{arg<A>::get()...}; /* braces: from left to right */
    return std::apply([&](A... a) { return f(out, a...); }, args);
}
template <class R, class... A> dnnl_status_t construct(R (*)(A...), dnnl_primitive_desc_t *) {
    return dnnl_unimplemented; /* another function of the list */
}

struct constructor_t {
    const char *name;
    dnnl_status_t (*call)(dnnl_primitive_desc_t *);
};
#define F(ret, name, params)                                                                       \
    {#name, [](dnnl_primitive_desc_t *out) { return construct(name, out); }},
const constructor_t functions[] = {
#include "../abi/functions.def"
};
#undef F
#define CONSTRUCTOR(f) {#f, [](dnnl_primitive_desc_t *out) { return construct(f, out); }}
/* Are not in the list, whose order inputs that are kept depend on. */
const constructor_t attentions[] = {CONSTRUCTOR(dnnl_ze_sdpa_primitive_desc_create),
        CONSTRUCTOR(dnnl_ze_sdpa_primitive_desc_create),
        CONSTRUCTOR(dnnl_ze_sdpa_primitive_desc_create),
        CONSTRUCTOR(dnnl_ze_sdpa_forward_primitive_desc_create_v3),
        CONSTRUCTOR(dnnl_ze_sdpa_forward_primitive_desc_create_v4),
        CONSTRUCTOR(dnnl_ze_sdpa_backward_primitive_desc_create)};

/* A forward constructor and a backward one, and which of the forward descriptors, in its order, are
 * the backward one's. Those from DATA on are tensors themselves, not their gradients. */
enum { DATA = 32 };
struct pair_t {
    constructor_t forward, backward;
    std::vector<size_t> mds;
};
#define C(name) CONSTRUCTOR(dnnl_##name##_primitive_desc_create)
const pair_t pairs[] = {
        {C(convolution_forward), C(convolution_backward_data), {0, DATA + 1, 3}},
        {C(convolution_forward), C(convolution_backward_weights), {DATA, 1, 2, 3}},
        {C(deconvolution_forward), C(deconvolution_backward_data), {0, DATA + 1, 3}},
        {C(deconvolution_forward), C(deconvolution_backward_weights), {DATA, 1, 2, 3}},
        {C(inner_product_forward), C(inner_product_backward_data), {0, DATA + 1, 3}},
        {C(inner_product_forward), C(inner_product_backward_weights), {DATA, 1, 2, 3}},
        {C(pooling_forward), C(pooling_backward), {0, 1}},
        {C(eltwise_forward), C(eltwise_backward), {0, 1, DATA}},
        {C(softmax_forward), C(softmax_backward), {0, 1, DATA + 1}},
        {C(shuffle_forward), C(shuffle_backward), {0, 1}},
        {C(prelu_forward), C(prelu_backward), {DATA, DATA + 1, 0, 1, 2}},
        {C(lrn_forward), C(lrn_backward), {0, 1, DATA}},
        {C(resampling_forward), C(resampling_backward), {0, 1}},
        {C(batch_normalization_forward), C(batch_normalization_backward), {0, 1, DATA}},
        {C(group_normalization_forward), C(group_normalization_backward), {0, 1, DATA}},
        {C(layer_normalization_forward), C(layer_normalization_backward), {0, 1, DATA, 2}},
        {CONSTRUCTOR(dnnl_layer_normalization_forward_primitive_desc_create_v2),
                CONSTRUCTOR(dnnl_layer_normalization_backward_primitive_desc_create_v2),
                {0, 1, DATA, 2}},
};

/* Of a recurrent network: all tensors, then their gradients. */
std::vector<size_t> network(size_t tensors) {
    std::vector<size_t> mds;
    for (size_t i = 0; i < 2 * tensors; i++) mds.push_back(i < tensors ? DATA + i : i);
    return mds;
}
/* Are not in the list, for the same reason. */
const pair_t networks[] = {
        {C(vanilla_rnn_forward), C(vanilla_rnn_backward), network(7)},
        {C(lstm_forward), C(lstm_backward), network(11)},
        {C(gru_forward), C(gru_backward), network(7)},
        {C(lbr_gru_forward), C(lbr_gru_backward), network(7)},
        {C(augru_forward), C(augru_backward), network(8)},
        {C(lbr_augru_forward), C(lbr_augru_backward), network(8)},
};
#undef CONSTRUCTOR
#undef C

std::vector<constructor_t> constructors() {
    std::vector<constructor_t> list;
    for (const constructor_t &f : functions)
        if (strstr(f.name, "primitive_desc_create")) list.push_back(f);
    /* Forward kinds first and again: the other ones have no implementation, or few. */
    const size_t n = list.size();
    for (size_t i = 0; i < n; i++)
        if (!strstr(list[i].name, "backward") && !strstr(list[i].name, "rnn") &&
                !strstr(list[i].name, "gru") && !strstr(list[i].name, "lstm"))
            for (int k = 0; k < 3; k++) list.push_back(list[i]);
    return list;
}

dnnl_primitive_desc_t call(const constructor_t &c) {
    dnnl_primitive_desc_t desc = nullptr;
    const dnnl_status_t status = c.call(&desc);
    if ((int)status < 0 || (int)status > (int)dnnl_not_required ||
            (status == dnnl_success) != (desc != nullptr)) {
        fprintf(stderr, "%s answered %d\n", c.name, (int)status);
        abort();
    }
    return desc;
}

void run(const constructor_t &c, bool executes) {
    const problem_t &p = supply->problem;
    const dnnl_primitive_desc_t desc = call(c);
    if (!desc) return;
    skip_implementations(desc);
    if (executes) execute(&executor, desc, p.mds.data(), p.real.data(), (int)p.mds.size());
    dnnl_primitive_desc_destroy(desc);
}

/* The descriptors of the backward constructor. Tensors themselves mostly have a layout. */
problem_t backward_problem(const pair_t &pair, const problem_t &forward) {
    problem_t p = forward;
    p.mds.clear();
    p.real.clear();
    for (const size_t entry : pair.mds) {
        const size_t i = entry % DATA;
        const bool placed = entry >= DATA && below(8) != 7 && md_is_any(&forward.mds[i]);
        p.mds.push_back(placed ? forward.real[i] : forward.mds[i]);
        p.real.push_back(forward.real[i]);
    }
    return p;
}

/* A primitive of backward propagation whose hint is the forward one of the same problem. */
void run_backward(const pair_t &pair, bool executes) {
    supply_t &s = *supply;
    s.problem = draw_problem(pair.forward.name);
    const dnnl_primitive_desc_t hint = call(pair.forward);
    const problem_t problem = backward_problem(pair, s.problem);
    const std::vector<double> numbers = s.numbers;
    s = {};
    s.problem = problem;
    s.hint = hint;
    s.is_backward = true;
    if (below(16) != 15) s.numbers = numbers;
    if (below(8) == 7) s.attr = draw_attr(problem);
    run(pair.backward, executes);
    dnnl_primitive_attr_destroy(s.attr);
    if (hint) dnnl_primitive_desc_destroy(hint);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    executor_open(&executor);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const std::vector<constructor_t> list = constructors();
    static const bool executes = executor_is_wanted();
    draw_from(data, size);
    const uint64_t which = below(256);
    supply_t s = {};
    supply = &s;
    if (which >= 240 && which < 250) {
        run_backward(which == 249 ? one_of(networks) : one_of(pairs), executes);
        return 0;
    }
    const constructor_t &c = which >= 250 ? attentions[which - 250] : list[which % list.size()];
    s.problem = draw_problem(c.name);
    s.attr = draw_attr(s.problem);
    run(c, executes);
    dnnl_primitive_attr_destroy(s.attr);
    return 0;
}

/* For a program that ends in order. */
bool finish_target() {
    executor_close(&executor);
    return true;
}
