/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl::ze_interop: objects on given handles, handles of given objects, events, and blobs of
 * engines. */
#include "cpp_test.hpp"

#include <memory>

#include "dnnl_ze.hpp"

using namespace dnnl;
using namespace dnnl::ze_interop;

namespace {

const memory::desc md({100}, dt::f32, tag::a);

// The application's own objects, which the library must leave alone.
struct application {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;

    application() {
        const engine eng(engine::kind::gpu, 0); // only to find a device that the library can use
        driver = get_driver(eng);
        device = get_device(eng);
        ze_context_desc_t desc = {};
        desc.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
        assert_int_equal(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    }
    ~application() { zeContextDestroy(context); }

    ze_command_list_handle_t new_list() const {
        ze_command_queue_desc_t desc = {};
        desc.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
        ze_command_list_handle_t list = nullptr;
        assert_int_equal(
                zeCommandListCreateImmediate(context, device, &desc, &list), ZE_RESULT_SUCCESS);
        return list;
    }
    float *new_floats(size_t count) const {
        ze_host_mem_alloc_desc_t desc = {};
        desc.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
        void *pointer = nullptr;
        assert_int_equal(zeMemAllocHost(context, &desc, count * sizeof(float), 64, &pointer),
                ZE_RESULT_SUCCESS);
        return static_cast<float *>(pointer);
    }
};

eltwise_forward new_linear(const engine &eng, float alpha, float beta) {
    return eltwise_forward::primitive_desc(
            eng, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, alpha, beta);
}

void objects_have_the_given_handles() {
    application app;
    ze_command_list_handle_t list = app.new_list();
    {
        const engine eng = make_engine(app.driver, app.device, app.context);
        assert_true(eng.get_kind() == engine::kind::gpu);
        assert_ptr_equal(get_driver(eng), app.driver);
        assert_ptr_equal(get_device(eng), app.device);
        assert_ptr_equal(get_context(eng), app.context);
        const stream strm = make_stream(eng, list);
        assert_ptr_equal(get_list(strm), list);
        assert_ptr_equal(get_context(strm.get_engine()), app.context);
        float *buffer = app.new_floats(100);
        memory mem = make_memory(md, eng, buffer);
        assert_ptr_equal(mem.get_data_handle(), buffer);
        assert_ptr_equal(mem.map_data(), buffer);
        mem.unmap_data(buffer);
        mem.set_data_handle(DNNL_MEMORY_NONE);
        assert_null(mem.get_data_handle());
        assert_null(make_memory(md, eng, DNNL_MEMORY_NONE).get_data_handle());
        assert_non_null(make_memory(md, eng).get_data_handle());
        assert_non_null(make_memory(md, eng, DNNL_MEMORY_ALLOCATE).get_data_handle());
        assert_int_equal(zeMemFree(app.context, buffer), ZE_RESULT_SUCCESS);
    }
    // What the application made is still there.
    assert_int_equal(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

void sparse_memory_has_a_buffer_for_each_array() {
    application app;
    const engine eng = make_engine(app.driver, app.device, app.context);
    const memory::desc csr = memory::desc::csr({4, 4}, dt::f32, 3, dt::s32, dt::s32);
    float *values = app.new_floats(3), *columns = app.new_floats(3), *rows = app.new_floats(5);
    {
        const memory mem = make_memory(csr, eng, std::vector<void *>{values, columns, rows});
        assert_ptr_equal(mem.get_data_handle(0), values);
        assert_ptr_equal(mem.get_data_handle(1), columns);
        assert_ptr_equal(mem.get_data_handle(2), rows);
        assert_non_null(make_memory(csr, eng).get_data_handle(2));
    }
    check_throws(
            dnnl_invalid_arguments, [&] { make_memory(csr, eng, std::vector<void *>{values}); });
    for (float *p : {values, columns, rows})
        assert_int_equal(zeMemFree(app.context, p), ZE_RESULT_SUCCESS);
}

void events_order_streams() {
    application app;
    ze_command_list_handle_t lists[] = {app.new_list(), app.new_list()};
    {
        const engine eng = make_engine(app.driver, app.device, app.context);
        const stream first = make_stream(eng, lists[0]), second = make_stream(eng, lists[1]);
        const std::vector<float> x = numbers(100);
        memory a = make(eng, md, x), b(md, eng), c(md, eng);
        const eltwise_forward twice = new_linear(eng, 2.f, 0.f),
                              plus_one = new_linear(eng, 1.f, 1.f);
        const ze_event_handle_t doubled =
                execute(twice, first, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}});
        const ze_event_handle_t done =
                execute(plus_one, second, {{DNNL_ARG_SRC, b}, {DNNL_ARG_DST, c}}, {doubled});
        assert_non_null(doubled);
        assert_int_equal(zeEventHostSynchronize(done, UINT64_MAX), ZE_RESULT_SUCCESS);
        assert_int_equal(zeEventQueryStatus(doubled), ZE_RESULT_SUCCESS);
        std::vector<float> expected(x);
        for (float &v : expected) v = 2.f * v + 1.f;
        check_equal(read<float>(c), expected);
    }
    for (ze_command_list_handle_t list : lists)
        assert_int_equal(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

void reorders_stay_in_a_context() {
    application app;
    const engine here = make_engine(app.driver, app.device, app.context),
                 same = make_engine(app.driver, app.device, app.context),
                 elsewhere(engine::kind::gpu, 0);
    const std::vector<float> x = numbers(100);
    memory src = make(here, md, x), dst(md, same);
    stream strm(here);
    reorder(src, dst).execute(strm, src, dst);
    strm.wait();
    check_equal(read<float>(dst), x);
    check_throws(dnnl_unimplemented, [&] { reorder::primitive_desc(here, md, elsewhere, md); });
    assert_null(reorder::primitive_desc(here, md, elsewhere, md, primitive_attr(), true).get(true));
}

void errors_carry_status() {
    application app;
    const engine eng = make_engine(app.driver, app.device, app.context);
    check_throws(dnnl_invalid_arguments, [&] { make_engine(app.driver, nullptr, app.context); });
    check_throws(dnnl_invalid_arguments, [&] { make_stream(eng, nullptr); });
    check_throws(dnnl_invalid_arguments,
            [&] { make_memory(memory::desc({4}, dt::f32, tag::any), eng); });
    stream strm(eng);
    memory mem(md, eng);
    check_throws(dnnl_invalid_arguments,
            [&] { execute(new_linear(eng, 1.f, 0.f), strm, {{DNNL_ARG_SRC, mem}}); });
    check_throws(dnnl_invalid_arguments, [&] {
        execute(new_linear(eng, 1.f, 0.f), strm, {{DNNL_ARG_SRC, mem}, {DNNL_ARG_DST, mem}},
                {static_cast<ze_event_handle_t>(nullptr)});
    });
}

void engines_come_from_blobs() {
    application app;
    const std::vector<uint8_t> id = get_engine_cache_blob_id(app.driver, app.device);
    assert_false(id.empty());
    assert_true(id == get_engine_cache_blob_id(app.driver, app.device));
    std::vector<uint8_t> blob =
            get_engine_cache_blob(make_engine(app.driver, app.device, app.context));
    assert_false(blob.empty());

    const engine eng = make_engine(app.driver, app.device, app.context, blob);
    assert_ptr_equal(get_context(eng), app.context);
    stream strm(eng);
    const std::vector<float> x = numbers(100);
    memory src = make(eng, md, x), dst(md, eng);
    new_linear(eng, 1.f, 0.f).execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    strm.wait();
    check_equal(read<float>(dst), x);

    blob.pop_back();
    check_throws(dnnl_invalid_arguments,
            [&] { make_engine(app.driver, app.device, app.context, blob); });
    check_throws(
            dnnl_invalid_arguments, [&] { make_engine(app.driver, app.device, app.context, {}); });
}

} // namespace

int main() {
    const CMUnitTest interop[] = {
            TEST(objects_have_the_given_handles),
            TEST(sparse_memory_has_a_buffer_for_each_array),
            TEST(events_order_streams),
            TEST(reorders_stay_in_a_context),
            TEST(errors_carry_status),
            TEST(engines_come_from_blobs),
    };
    return RUN_ON_DEVICE(interop);
}
