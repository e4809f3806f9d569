/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl::graph::ze_interop: allocators and engines with one, and execution between events. */
#include "cpp_test.hpp"

#include <set>

#include "dnnl_graph_ze.hpp"
#include "dnnl_ze.hpp"

using namespace dnnl::graph;
using dnnl::engine;
using dnnl::stream;

namespace {

using lt = logical_tensor;
enum { ROWS = 24, COLUMNS = 10 };

// What the allocator handed out and has not got back, and how often it was asked.
std::set<void *> live;
int allocations;
bool refuses;

void *allocate(
        size_t size, size_t alignment, ze_device_handle_t device, ze_context_handle_t context) {
    ze_device_mem_alloc_desc_t on_device = {};
    ze_host_mem_alloc_desc_t on_host = {};
    void *pointer = nullptr;
    on_device.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    on_host.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    allocations++;
    if (refuses) return nullptr;
    assert_int_equal(zeMemAllocShared(context, &on_device, &on_host, size,
                             alignment ? alignment : 64, device, &pointer),
            ZE_RESULT_SUCCESS);
    live.insert(pointer);
    return pointer;
}

void deallocate(
        void *pointer, ze_device_handle_t, ze_context_handle_t context, ze_event_handle_t event) {
    assert_int_equal(live.erase(pointer), 1);
    if (event) assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_int_equal(zeMemFree(context, pointer), ZE_RESULT_SUCCESS);
}

// A ReLU on an engine.
struct program {
    engine eng;
    lt in, out;
    compiled_partition compiled;

    explicit program(const engine &made)
        : eng(made), in(0, lt::data_type::f32, {ROWS, COLUMNS}, lt::layout_type::strided),
          out(1, lt::data_type::f32, {ROWS, COLUMNS}, lt::layout_type::strided) {
        const op relu(0, op::kind::ReLU, {in}, {out}, "relu");
        const partition part(relu, engine::kind::gpu);
        compiled = part.compile({in}, {out}, eng);
    }
    tensor make(const lt &desc) const { return tensor(desc, eng, DNNL_MEMORY_ALLOCATE); }
};

void check(const tensor &src, const tensor &dst) {
    const float *x = static_cast<const float *>(src.get_data_handle());
    const float *y = static_cast<const float *>(dst.get_data_handle());
    for (int i = 0; i < ROWS * COLUMNS; i++) assert_float_equal(y[i], x[i] > 0 ? x[i] : 0, 0);
}

void fill(const tensor &src, float shift) {
    float *x = static_cast<float *>(src.get_data_handle());
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = static_cast<float>(i % 17) - shift;
}

engine plain() {
    return engine(engine::kind::gpu, 0);
}

engine with_allocator(const allocator &alloc) {
    const engine eng = plain();
    return ze_interop::make_engine_with_allocator(dnnl::ze_interop::get_driver(eng),
            dnnl::ze_interop::get_device(eng), dnnl::ze_interop::get_context(eng), alloc);
}

void tensors_come_from_the_allocator() {
    allocations = 0;
    {
        const program p(with_allocator(ze_interop::make_allocator(allocate, deallocate)));
        stream strm(p.eng);
        const tensor src = p.make(p.in), dst = p.make(p.out);
        assert_int_equal(allocations, 2);
        assert_int_equal(live.size(), 2);
        assert_int_equal(live.count(src.get_data_handle()), 1);
        fill(src, 8);
        const ze_event_handle_t done = ze_interop::execute(p.compiled, strm, {src}, {dst});
        assert_non_null(done);
        assert_int_equal(zeEventHostSynchronize(done, UINT64_MAX), ZE_RESULT_SUCCESS);
        check(src, dst);
        refuses = true;
        check_throws(dnnl_out_of_memory, [&] { p.make(p.in); });
        refuses = false;
    }
    assert_int_equal(live.size(), 0);
}

void executions_wait_for_events() {
    const program p(with_allocator(ze_interop::make_allocator(allocate, deallocate)));
    stream first(p.eng), second(p.eng, stream::flags::out_of_order);
    const tensor a = p.make(p.in), b = p.make(p.out), c = p.make(p.out);
    fill(a, 3);
    ze_event_handle_t event = ze_interop::execute(p.compiled, first, {a}, {b});
    event = ze_interop::execute(p.compiled, second, {b}, {c}, {event});
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_SUCCESS);
    check(a, c);
    // An empty scratchpad is none.
    event = ze_interop::execute(p.compiled, first, {c}, {b}, tensor(), {event});
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_SUCCESS);
    check(a, b);
    const std::vector<ze_event_handle_t> none;
    check_throws(
            dnnl_invalid_arguments, [&] { ze_interop::execute(p.compiled, first, {}, {b}, none); });
}

void default_functions_are_the_librarys() {
    allocations = 0;
    const program p(with_allocator(ze_interop::make_allocator(nullptr, nullptr)));
    const tensor src = p.make(p.in);
    assert_non_null(src.get_data_handle());
    assert_int_equal(allocations, 0);
}

void engines_come_from_a_blob() {
    const engine eng = plain();
    const std::vector<uint8_t> blob = dnnl::ze_interop::get_engine_cache_blob(eng);
    allocations = 0;
    {
        const program p(ze_interop::make_engine_with_allocator(dnnl::ze_interop::get_driver(eng),
                dnnl::ze_interop::get_device(eng), dnnl::ze_interop::get_context(eng),
                ze_interop::make_allocator(allocate, deallocate), blob));
        stream strm(p.eng);
        const tensor src = p.make(p.in), dst = p.make(p.out);
        assert_int_equal(allocations, 2);
        fill(src, 8);
        ze_interop::execute(p.compiled, strm, {src}, {dst});
        strm.wait();
        check(src, dst);
    }
    assert_int_equal(live.size(), 0);
    const std::vector<uint8_t> damaged(7, 1);
    check_throws(dnnl_invalid_arguments, [&] {
        ze_interop::make_engine_with_allocator(dnnl::ze_interop::get_driver(eng),
                dnnl::ze_interop::get_device(eng), dnnl::ze_interop::get_context(eng),
                ze_interop::make_allocator(allocate, deallocate), damaged);
    });
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
            TEST(tensors_come_from_the_allocator),
            TEST(executions_wait_for_events),
            TEST(default_functions_are_the_librarys),
            TEST(engines_come_from_a_blob),
    };
    return RUN_ON_DEVICE(tests);
}
