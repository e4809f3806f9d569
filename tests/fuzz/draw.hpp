/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the interface's plain types, in and out of range. All of them are drawn from one
 * source of numbers, which a program provides: a generator with a seed, or the bytes of a
 * fuzzer's input. */
#ifndef TESTS_FUZZ_DRAW_HPP
#define TESTS_FUZZ_DRAW_HPP

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "dnnl.h"

extern "C" uint64_t below(uint64_t n); /* 0 .. n - 1; provided by the program */

template <class T, int n> T one_of(const T (&values)[n]) {
    return values[below(n)];
}

/* A dimension that no tensor can have, or none that fits into memory. */
inline int64_t odd_dim() {
    static const int64_t odd[] = {-1, 0, DNNL_RUNTIME_DIM_VAL, INT64_MAX, INT64_MAX / 8,
            (int64_t)1 << 40, (int64_t)1 << 32, (int64_t)1 << 31, INT32_MAX, INT64_MIN + 1, 13, 17};
    return one_of(odd);
}

template <class T, class = void> struct draw;

template <class T> struct draw<T, typename std::enable_if<std::is_enum<T>::value>::type> {
    static T get() {
        if (below(16) == 15) return (T)(int)(below(2) ? -1 : 0x7fff);
        /* Enumerators start at 0, at 1, or at the kind's own base. */
        static const int bases[] = {0, 0, 0, 1, 0x20, 0x40, 0x80, 0x1fff0, 0x2fff0, 0x3fff0};
        const int base = one_of(bases);
        return (T)(int)(base + (int)below(24));
    }
};
template <> struct draw<dnnl_data_type_t> {
    static dnnl_data_type_t get() { return (dnnl_data_type_t)below(18); }
};
template <> struct draw<dnnl_rnn_direction_t> {
    static dnnl_rnn_direction_t get() {
        static const dnnl_rnn_direction_t directions[] = {dnnl_unidirectional_left2right,
                dnnl_unidirectional_right2left, dnnl_bidirectional_concat, dnnl_bidirectional_sum,
                dnnl_bidirectional_concat, dnnl_rnn_direction_undef};
        return one_of(directions);
    }
};
template <> struct draw<dnnl_prop_kind_t> {
    static dnnl_prop_kind_t get() {
        static const dnnl_prop_kind_t kinds[] = {
                dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_prop_kind_undef};
        return one_of(kinds);
    }
};
template <> struct draw<dnnl_alg_kind_t> {
    static dnnl_alg_kind_t get() {
        static const int bases[] = {dnnl_convolution_direct, dnnl_eltwise_relu,
                dnnl_eltwise_relu_use_dst_for_bwd, dnnl_pooling_max, dnnl_lrn_across_channels,
                dnnl_vanilla_rnn, dnnl_binary_add, dnnl_resampling_nearest, dnnl_reduction_max,
                dnnl_softmax_accurate};
        const int base = one_of(bases);
        return (dnnl_alg_kind_t)(base + (int)below(22));
    }
};
template <> struct draw<float> {
    static float get() {
        static const float values[] = {0, 1, -1, 0.5f, 1e30f, NAN, INFINITY, 2};
        return one_of(values);
    }
};

#endif
