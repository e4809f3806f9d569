// SPDX-License-Identifier: Apache-2.0
// dnnl_graph_ocl.hpp: a ReLU on an engine with an allocator, between events.
#define CL_TARGET_OPENCL_VERSION 300
#include "../cpp/cpp_test.hpp"

#include "dnnl_graph_ocl.hpp"

extern "C" {
#include "app.h"
}

namespace {

using namespace dnnl::graph;
using lt = logical_tensor;

enum { N = 64 };
int allocations;

void *refuse(size_t, size_t, cl_device_id, cl_context) {
    allocations++;
    return nullptr;
}

void nothing_to_free(void *, cl_device_id, cl_context, cl_event) {}

// The memory of a tensor: a pointer that the device and dnnl::memory know.
struct data {
    dnnl::memory memory;

    data()
        : memory(dnnl::ocl_interop::make_memory({{1, N}, dnnl::memory::data_type::f32, {N, 1}},
                  dnnl::engine(app.engine, true), dnnl::ocl_interop::memory_kind::usm)) {}
    tensor of(const lt &desc, const engine &eng) const {
        return tensor(desc, eng, memory.get_data_handle());
    }
};

struct program {
    engine eng;
    lt in, out;
    compiled_partition compiled;

    explicit program(const engine &made)
        : eng(made), in(0, lt::data_type::f32, {1, N}, lt::layout_type::strided),
          out(1, lt::data_type::f32, {1, N}, lt::layout_type::strided) {
        const op relu(0, op::kind::ReLU, {in}, {out}, "relu");
        compiled = partition(relu, engine::kind::gpu).compile({in}, {out}, eng);
    }
};

void check_events(const engine &made) {
    const program p(made);
    const data src, middle, dst;
    stream strm = dnnl::ocl_interop::make_stream(p.eng, app.queue);
    float *x = src.memory.map_data<float>();
    for (int i = 0; i < N; i++) x[i] = static_cast<float>(i - 20);
    src.memory.unmap_data(x);
    const tensor a = src.of(p.in, p.eng), b = middle.of(p.out, p.eng);
    const cl_event first = ocl_interop::execute(p.compiled, strm, {a}, {b});
    // An empty scratchpad is none.
    const cl_event second = ocl_interop::execute(
            p.compiled, strm, {middle.of(p.in, p.eng)}, {dst.of(p.out, p.eng)}, tensor(), {first});
    assert_cl(clWaitForEvents(1, &second));
    float *y = dst.memory.map_data<float>();
    for (int i = 0; i < N; i++) assert_float_equal(y[i], i > 20 ? i - 20 : 0, 0);
    dst.memory.unmap_data(y);
    assert_cl(clReleaseEvent(first));
    assert_cl(clReleaseEvent(second));
}

void executions_return_events() {
    check_events(ocl_interop::make_engine_with_allocator(
            app.device, app.context, ocl_interop::make_allocator(nullptr, nullptr)));
}

void engines_come_from_a_blob() {
    const std::vector<uint8_t> blob =
            dnnl::ocl_interop::get_engine_cache_blob(dnnl::engine(app.engine, true));
    const allocator none = ocl_interop::make_allocator(nullptr, nullptr);
    check_events(ocl_interop::make_engine_with_allocator(app.device, app.context, none, blob));
    const std::vector<uint8_t> damaged(7, 1);
    check_throws(dnnl_invalid_arguments, [&] {
        ocl_interop::make_engine_with_allocator(app.device, app.context, none, damaged);
    });
}

void tensors_come_from_the_allocator() {
    const engine eng = ocl_interop::make_engine_with_allocator(
            app.device, app.context, ocl_interop::make_allocator(refuse, nothing_to_free));
    const lt desc(0, lt::data_type::f32, {1, N}, lt::layout_type::strided);
    allocations = 0;
    check_throws(dnnl_out_of_memory, [&] { tensor(desc, eng, DNNL_MEMORY_ALLOCATE); });
    assert_int_equal(allocations, 1);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
            TEST(executions_return_events),
            TEST(engines_come_from_a_blob),
            TEST(tensors_come_from_the_allocator),
    };
    return cmocka_run_group_tests(tests, open_app, close_app);
}
