/* SPDX-License-Identifier: Apache-2.0 */
/* What the SYCL programs share: the application's own kernels, and checks. The programs use
 * oneDNN's interface only, so that they can be built with oneDNN as well (TEST_ONEDNN). */
#ifndef TESTS_SYCL_PROGRAM_HPP
#define TESTS_SYCL_PROGRAM_HPP

#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "oneapi/dnnl/dnnl_graph.hpp"
#include "oneapi/dnnl/dnnl_graph_sycl.hpp"
#include "oneapi/dnnl/dnnl_sycl.hpp"

using dims = dnnl::memory::dims;
using dt = dnnl::memory::data_type;
using tag = dnnl::memory::format_tag;
namespace syclexp = sycl::ext::oneapi::experimental;
namespace interop = dnnl::sycl_interop;

// Drivers without a device behind them run everything, and compute nothing.
inline bool computes() {
    static const bool answer = !std::getenv("TEST_DRY");
    return answer;
}

inline void expect(bool condition, const char *sentence) {
    if (!condition) throw std::runtime_error(sentence);
}

inline void expect_throws(dnnl_status_t status, const std::function<void()> &call) {
    dnnl_status_t found = dnnl_success;
    try {
        call();
    } catch (const dnnl::error &e) {
        found = e.status;
    }
    if (found != status)
        throw std::runtime_error(
                "expected status " + std::to_string(status) + ", found " + std::to_string(found));
}

// Prints a result that is the same for all libraries, and compares it.
inline void check(const char *what, const float *found, const std::vector<float> &expected) {
    if (!computes()) return;
    double sum = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        sum += (1 + i % 7) * static_cast<double>(found[i]);
        if (found[i] == expected[i]) continue;
        throw std::runtime_error(std::string(what) + ": element " + std::to_string(i) + " is " +
                                 std::to_string(found[i]) + " and not " +
                                 std::to_string(expected[i]));
    }
    std::printf("  %s: %.1f\n", what, sum);
}

// A device with a context, and the kernels of the application: compiled in the process.
struct application {
    sycl::device device;
    sycl::context context{device};
    sycl::kernel_bundle<sycl::bundle_state::executable> bundle = build();
    sycl::kernel fill_kernel = bundle.ext_oneapi_get_kernel("fill_numbers");
    sycl::kernel scale_kernel = bundle.ext_oneapi_get_kernel("scale_slowly");
    dnnl::engine engine = interop::make_engine(device, context);

    sycl::kernel_bundle<sycl::bundle_state::executable> build() const {
        const std::string source = R"(
            #include <sycl/sycl.hpp>
            namespace syclexp = sycl::ext::oneapi::experimental;
            // x[i] = i % 17 - 8 + round
            extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
            void fill_numbers(float *x, int n, int round) {
                const int i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
                if (i < n) x[i] = i % 17 - 8 + round;
            }
            // y[i] = x[i] * 2 + 1, after some work, so that what does not wait is wrong
            extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
            void scale_slowly(float *y, const float *x, int n, int turns) {
                const int i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
                if (i >= n) return;
                float slow = x[i];
                for (int t = 0; t < turns; t++) slow = slow * 0.5f + x[i] * 0.5f;
                y[i] = slow * 2 + 1;
            }
        )";
        auto text = syclexp::create_kernel_bundle_from_source(
                context, syclexp::source_language::sycl, source);
        return syclexp::build(text);
    }

    sycl::queue queue(bool in_order) const {
        return in_order ? sycl::queue(context, device, sycl::property::queue::in_order())
                        : sycl::queue(context, device);
    }

    float *floats(const sycl::queue &q, size_t n) const {
        float *p = sycl::malloc_shared<float>(n, q);
        expect(p, "no memory");
        return p;
    }

    static sycl::nd_range<1> range(size_t n) { return {{(n + 31) / 32 * 32}, {32}}; }

    template <typename X>
    sycl::event fill(sycl::queue &q, X x, size_t n, int round,
            const std::vector<sycl::event> &deps = {}) const {
        return q.submit([&](sycl::handler &h) {
            h.depends_on(deps);
            h.set_args(x, static_cast<int>(n), round);
            h.parallel_for(range(n), fill_kernel);
        });
    }

    sycl::event scale(sycl::queue &q, float *y, float *x, size_t n,
            const std::vector<sycl::event> &deps = {}) const {
        return q.submit([&](sycl::handler &h) {
            h.depends_on(deps);
            h.set_args(y, x, static_cast<int>(n), 2000);
            h.parallel_for(range(n), scale_kernel);
        });
    }
};

inline float filled(size_t i, int round) {
    return static_cast<float>(static_cast<int>(i % 17) - 8 + round);
}

inline dnnl::primitive new_relu(const dnnl::engine &engine, const dnnl::memory::desc &md) {
    return dnnl::eltwise_forward(dnnl::eltwise_forward::primitive_desc(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, md, md, 0.f));
}

inline dnnl::memory usm(const dnnl::memory::desc &md, const dnnl::engine &engine, void *pointer) {
    return interop::make_memory(md, engine, interop::memory_kind::usm, pointer);
}

struct scenario {
    const char *name;
    void (*run)(const application &);
};

int run_all(int argc, char **argv, const std::vector<scenario> &scenarios);

#endif
