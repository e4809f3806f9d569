/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways of working with Level Zero from C++: library objects on the application's
 * handles, and the handles of objects that the library made. Both compute y = relu(x * w). */
#include <cstdio>
#include <vector>

extern "C" {
#include "common.h"
}
#include "dnnl_ze.hpp"

namespace {

// Waits before the objects that are declared ahead of it are destroyed. It matters if an exception
// is thrown: kernels of a primitive that could not be submitted as a whole may still run.
struct wait_at_end_t {
    const dnnl::stream &stream;
    ~wait_at_end_t() { dnnl_stream_wait(stream.get()); }
};

const int M = 64, K = 32, N = 16;
const dnnl::memory::desc x_md({M, K}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
const dnnl::memory::desc w_md({K, N}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
const dnnl::memory::desc y_md({M, N}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);

dnnl::matmul relu_matmul(const dnnl::engine &engine) {
    dnnl::post_ops ops;
    ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    return dnnl::matmul::primitive_desc(engine, x_md, w_md, y_md, attr);
}

// The value of row m in x is m, and of column n in w it is n - 8: y(m, n) = relu(K * m * (n - 8)).
void fill(float *x, float *w) {
    for (int i = 0; i < M * K; i++) x[i] = static_cast<float>(i / K);
    for (int i = 0; i < K * N; i++) w[i] = static_cast<float>(i % N - 8);
}

int count_wrong(const float *y) {
    int wrong = 0;
    for (int i = 0; i < M * N; i++)
        wrong += y[i] != static_cast<float>(i % N > 8 ? K * (i / N) * (i % N - 8) : 0);
    return wrong;
}

// The application has everything, and the library works on it. What the application made stays its
// own.
int with_handles_of_the_application() {
    app_t app;
    app_open(&app);
    ze_command_list_handle_t list = app_immediate_list(&app);
    auto *x = static_cast<float *>(app_alloc_host(&app, x_md.get_size()));
    auto *w = static_cast<float *>(app_alloc_host(&app, w_md.get_size()));
    auto *y = static_cast<float *>(app_alloc_host(&app, y_md.get_size()));
    fill(x, w);
    int wrong;
    { // library objects go before what they were made on
        const dnnl::engine engine =
                dnnl::ze_interop::make_engine(app.driver, app.device, app.context);
        const dnnl::stream stream = dnnl::ze_interop::make_stream(engine, list);
        const dnnl::memory x_mem = dnnl::ze_interop::make_memory(x_md, engine, x);
        const dnnl::memory w_mem = dnnl::ze_interop::make_memory(w_md, engine, w);
        const dnnl::memory y_mem = dnnl::ze_interop::make_memory(y_md, engine, y);
        const wait_at_end_t wait_at_end{stream};

        // The event is signalled when y is there. It belongs to the stream.
        const ze_event_handle_t done = dnnl::ze_interop::execute(relu_matmul(engine), stream,
                {{DNNL_ARG_SRC, x_mem}, {DNNL_ARG_WEIGHTS, w_mem}, {DNNL_ARG_DST, y_mem}});
        CHECK_ZE(zeEventHostSynchronize(done, UINT64_MAX));
        wrong = count_wrong(y);
    }
    app_free(&app, y);
    app_free(&app, w);
    app_free(&app, x);
    CHECK_ZE(zeCommandListDestroy(list));
    app_close(&app);
    return wrong;
}

// The library has everything, and the application adds commands of its own between the library's.
int with_handles_of_the_library() {
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0);
    const dnnl::memory x_mem(x_md, engine), w_mem(w_md, engine), y_mem(y_md, engine);
    std::vector<float> x(M * K), w(K * N), y(M * N);
    fill(x.data(), w.data());
    dnnl::stream stream(
            engine); // after what it works on: it goes first, and waits, also when something fails

    // All on one in-order list: copies by the application, the primitive, and a copy back.
    ze_command_list_handle_t list = dnnl::ze_interop::get_list(stream);
    const auto copy = [&](void *to, const void *from, size_t size) {
        CHECK_ZE(zeCommandListAppendMemoryCopy(list, to, from, size, nullptr, 0, nullptr));
    };
    copy(x_mem.get_data_handle(), x.data(), x_md.get_size());
    copy(w_mem.get_data_handle(), w.data(), w_md.get_size());
    const dnnl::matmul matmul = relu_matmul(engine);
    matmul.execute(
            stream, {{DNNL_ARG_SRC, x_mem}, {DNNL_ARG_WEIGHTS, w_mem}, {DNNL_ARG_DST, y_mem}});
    copy(y.data(), y_mem.get_data_handle(), y_md.get_size());
    stream.wait();

    ze_device_properties_t properties = {};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    CHECK_ZE(zeDeviceGetProperties(dnnl::ze_interop::get_device(engine), &properties));
    std::printf("on %s\n", properties.name);
    return count_wrong(y.data());
}

} // namespace

int main() {
    try {
        const int wrong = with_handles_of_the_application() + with_handles_of_the_library();
        std::printf("%d wrong values\n", wrong);
        return wrong != 0;
    } catch (const dnnl::error &e) {
        std::fprintf(stderr, "%s (status %d)\n", e.what(), static_cast<int>(e.status));
        return 1;
    }
}
