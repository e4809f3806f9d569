/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the C++ interface share: cmocka's tests as functions that may throw, memory
 * objects with values, and comparisons. */
#ifndef TESTS_CPP_CPP_TEST_HPP
#define TESTS_CPP_CPP_TEST_HPP

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dnnl.hpp"

// After the headers of C++, which have members called like its macros.
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
}

using dt = dnnl::memory::data_type;
using tag = dnnl::memory::format_tag;
using dims = dnnl::memory::dims;
using dnnl::algorithm;
using dnnl::prop_kind;

// Whether something that the test wanted has no implementation yet.
inline bool &ended_early() {
    static bool value;
    return value;
}

// A test is a function without arguments; an exception makes it fail. One that ended early counts
// as skipped, whatever it has found to be right before.
template <void (*function)()> void guarded(void **) {
    ended_early() = false;
    try {
        function();
    } catch (const std::exception &e) {
        fail_msg("exception: %s", e.what());
    }
    if (ended_early()) skip();
}
#define TEST(function) {#function, guarded<function>, nullptr, nullptr, nullptr}

// Asserts that a call throws dnnl::error with a status.
inline void check_throws(dnnl_status_t expected, const std::function<void()> &call) {
    int status = dnnl_success;
    try {
        call();
    } catch (const dnnl::error &e) {
        status = e.status;
    }
    assert_int_equal(status, expected);
}

// Runs a test up to the first primitive that the library does not have yet. No other error is
// accepted.
inline void as_far_as_implemented(const std::function<void()> &test) {
    try {
        test();
    } catch (const dnnl::error &e) {
        if (e.status != dnnl_unimplemented) throw;
        print_message("ends early: %s\n", e.what());
        ended_early() = true;
    }
}

// The one device of these tests; 77 where there is none.
inline int run_on_device(const char *name, const CMUnitTest *tests, size_t count) {
    if (!dnnl::engine::get_count(dnnl::engine::kind::gpu)) {
        std::printf("skipped: no Level Zero device\n");
        return 77;
    }
    return _cmocka_run_group_tests(name, tests, count, nullptr, nullptr);
}
#define RUN_ON_DEVICE(tests) run_on_device(#tests, tests, sizeof(tests) / sizeof((tests)[0]))

struct device {
    dnnl::engine eng{dnnl::engine::kind::gpu, 0};
    dnnl::stream strm{eng};
};

template <typename T> void write(const dnnl::memory &mem, const std::vector<T> &values) {
    assert_int_equal(mem.get_desc().get_size(), values.size() * sizeof(T));
    T *mapped = mem.map_data<T>();
    for (size_t i = 0; i < values.size(); i++) mapped[i] = values[i];
    mem.unmap_data(mapped);
}

template <typename T> std::vector<T> read(const dnnl::memory &mem) {
    T *mapped = mem.map_data<T>();
    const std::vector<T> values(mapped, mapped + mem.get_desc().get_size() / sizeof(T));
    mem.unmap_data(mapped);
    return values;
}

template <typename T>
dnnl::memory make(
        const dnnl::engine &eng, const dnnl::memory::desc &md, const std::vector<T> &values) {
    dnnl::memory mem(md, eng);
    write(mem, values);
    return mem;
}

// n small numbers of both signs, exact in every floating-point type: no two runs differ.
template <typename T = float> std::vector<T> numbers(size_t n, int seed = 0) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; i++)
        values[i] = static_cast<T>(
                static_cast<int>((i * 7 + static_cast<size_t>(seed) * 5 + 3) % 13) - 6);
    return values;
}

inline void check_near(
        const std::vector<float> &actual, const std::vector<float> &expected, float tolerance) {
    assert_int_equal(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); i++)
        if (!(std::fabs(actual[i] - expected[i]) <= tolerance * (1.f + std::fabs(expected[i]))))
            fail_msg("element %zu: %g, expected %g", i, static_cast<double>(actual[i]),
                    static_cast<double>(expected[i]));
}

template <typename T>
void check_equal(const std::vector<T> &actual, const std::vector<T> &expected) {
    assert_int_equal(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); i++)
        if (actual[i] != expected[i])
            fail_msg("element %zu: %g, expected %g", i, static_cast<double>(actual[i]),
                    static_cast<double>(expected[i]));
}

// Row-major matrix product: M x K times K x N.
inline std::vector<float> product(
        const std::vector<float> &a, const std::vector<float> &b, size_t M, size_t K, size_t N) {
    std::vector<float> c(M * N);
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += static_cast<double>(a[m * K + k]) * static_cast<double>(b[k * N + n]);
            c[m * N + n] = static_cast<float>(sum);
        }
    return c;
}

#endif
