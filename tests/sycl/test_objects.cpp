/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: what the getters return, what is refused, who lives how long, and threads. */
#include <atomic>

#include "program.hpp"

namespace {

const size_t n = 1000;
const dnnl::memory::desc row({static_cast<dnnl_dim_t>(n)}, dt::f32, tag::a);

using args = std::unordered_map<int, dnnl::memory>;

args relu_args(const dnnl::engine &engine, float *from, float *to) {
    return {{DNNL_ARG_SRC, usm(row, engine, from)}, {DNNL_ARG_DST, usm(row, engine, to)}};
}

void getters(const application &app) {
    sycl::queue q = app.queue(true);
    const dnnl::stream stream = interop::make_stream(app.engine, q);
    expect(interop::get_device(app.engine) == app.device, "another device");
    expect(interop::get_context(app.engine) == app.context, "another context");
    expect(interop::get_queue(stream) == q, "another queue");
    float *p = app.floats(q, n);
    dnnl::memory memory = usm(row, app.engine, p);
    expect(interop::get_memory_kind(memory) == interop::memory_kind::usm, "another kind");
    expect(memory.get_data_handle() == p, "another pointer");
    expect(interop::get_memory_kind(dnnl::memory(row, app.engine)) == interop::memory_kind::usm,
            "the usual kind is not USM");
    expect(dnnl::memory(row, app.engine, p).get_data_handle() == p, "pointers are not usual");
    expect_throws(dnnl_invalid_arguments, [&] { interop::get_buffer<float>(memory); });
    sycl::free(p, q);
    dnnl::memory empty =
            interop::make_memory(row, app.engine, interop::memory_kind::buffer, DNNL_MEMORY_NONE);
    expect(!empty.get_data_handle(), "an empty memory object has a buffer");
    expect(interop::get_buffer<float>(empty).size() == 1, "the buffer has another size");
    sycl::buffer<float, 2> two{sycl::range<2>(10, 100)};
    dnnl::memory wide = interop::make_memory(row, app.engine, two);
    expect(interop::get_buffer<double>(wide).size() == n / 2, "the buffer has another size");
}

void refusals(const application &app) {
    const sycl::context other(app.device);
    sycl::queue q(other, app.device);
    expect_throws(dnnl_invalid_arguments, [&] { interop::make_stream(app.engine, q); });
    sycl::buffer<float, 1> small{sycl::range<1>(n - 1)};
    expect_throws(dnnl_invalid_arguments, [&] { interop::make_memory(row, app.engine, small); });
    std::vector<float> not_usm(n);
    dnnl_memory_t memory = nullptr;
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    expect(dnnl_sycl_interop_engine_create(&engine, nullptr, &other) == dnnl_invalid_arguments,
            "a NULL device is accepted");
    expect(dnnl_sycl_interop_engine_create(nullptr, &app.device, &other) == dnnl_invalid_arguments,
            "a NULL place is accepted");
    expect(dnnl_sycl_interop_stream_create(&stream, app.engine.get(), nullptr) ==
                    dnnl_invalid_arguments,
            "a NULL queue is accepted");
    expect(dnnl_sycl_interop_stream_create(&stream, nullptr, &q) == dnnl_invalid_arguments,
            "a NULL engine is accepted");
    expect(dnnl_sycl_interop_memory_create(&memory, row.get(), app.engine.get(),
                   static_cast<dnnl_sycl_interop_memory_kind_t>(7),
                   nullptr) == dnnl_invalid_arguments,
            "another kind is accepted");
    expect(dnnl_sycl_interop_memory_create_v2(&memory, row.get(), app.engine.get(),
                   dnnl_sycl_interop_buffer, 1, nullptr) == dnnl_invalid_arguments,
            "NULL handles are accepted");
    expect(dnnl_sycl_interop_stream_get_queue(nullptr, nullptr) == dnnl_invalid_arguments,
            "a NULL stream is accepted");
    expect(!memory && !engine && !stream, "a failed call wrote something");
    sycl::queue mine = app.queue(true);
    const dnnl::stream good = interop::make_stream(app.engine, mine);
    const dnnl::primitive relu = new_relu(app.engine, row);
    expect_throws(dnnl_invalid_arguments, [&] { relu.execute(good, {}); });
    expect_throws(dnnl_invalid_arguments, [&] { interop::execute(relu, good, {}); });
    dnnl::memory empty =
            interop::make_memory(row, app.engine, interop::memory_kind::buffer, DNNL_MEMORY_NONE);
    expect_throws(dnnl_invalid_arguments,
            [&] { relu.execute(good, {{DNNL_ARG_SRC, empty}, {DNNL_ARG_DST, empty}}); });
    expect(dnnl_sycl_interop_primitive_execute(nullptr, good.get(), 0, nullptr, nullptr, nullptr) ==
                    dnnl_invalid_arguments,
            "a NULL primitive is accepted");
    // The stream works after all that.
    float *p = app.floats(mine, n);
    app.fill(mine, p, n, 0);
    relu.execute(good, relu_args(app.engine, p, p));
    mine.wait();
    std::vector<float> expected(n);
    for (size_t i = 0; i < n; i++) expected[i] = std::max(filled(i, 0), 0.f);
    check("after refusals", p, expected);
    sycl::free(p, mine);
}

void recording(const application &app) {
    sycl::queue q = app.queue(true);
    const dnnl::stream stream = interop::make_stream(app.engine, q);
    float *p = app.floats(q, n);
    const dnnl::primitive relu = new_relu(app.engine, row);
    try {
        syclexp::command_graph<syclexp::graph_state::modifiable> graph(app.context, app.device);
        graph.begin_recording(q);
        expect_throws(dnnl_unimplemented,
                [&] { interop::execute(relu, stream, relu_args(app.engine, p, p)); });
        graph.end_recording(q);
    } catch (const sycl::exception &e) {
        std::fprintf(stderr, "no graphs of SYCL here: %s\n", e.what());
    }
    sycl::free(p, q);
}

// Objects of the library get SYCL objects when these are asked for.
void objects_of_library(const application &app) {
    if (app.device.get_backend() != sycl::backend::ext_oneapi_level_zero) return;
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0);
    const sycl::context context = interop::get_context(engine);
    expect(context == interop::get_context(engine), "two contexts");
    expect(interop::get_device(engine) == context.get_devices()[0], "another device");
    dnnl::stream stream(engine);
    float *p = sycl::malloc_shared<float>(n, interop::get_device(engine), context),
          *copy = sycl::malloc_shared<float>(n, interop::get_device(engine), context);
    const dnnl::primitive relu = new_relu(engine, row);
    for (size_t i = 0; i < n; i++) p[i] = filled(i, 0);
    relu.execute(stream, relu_args(engine, p, p)); // before the queue is asked for
    sycl::queue q = interop::get_queue(stream);
    expect(q == interop::get_queue(stream), "two queues");
    q.memcpy(copy, p, n * sizeof(float));
    relu.execute(stream, relu_args(engine, copy, copy));
    q.memcpy(p, copy, n * sizeof(float));
    stream.wait();
    std::vector<float> expected(n);
    for (size_t i = 0; i < n; i++) expected[i] = std::max(filled(i, 0), 0.f);
    check("queue of the library", p, expected);
    sycl::free(p, context);
    sycl::free(copy, context);
}

// Events, queues and memory objects live as long as their own copies.
void lifetimes(const application &app) {
    sycl::queue q = app.queue(false);
    float *p = app.floats(q, n), *r = app.floats(q, n);
    sycl::event done;
    std::vector<float> expected(n);
    for (int round = 0; round < 3; round++) {
        dnnl::engine engine = interop::make_engine(app.device, app.context);
        dnnl::stream stream = interop::make_stream(engine, q);
        const sycl::event before = app.fill(q, p, n, round, {done});
        done = interop::execute(new_relu(engine, row), stream, relu_args(engine, p, r), {before});
    }
    done.wait();
    expect(!computes() || done.get_info<sycl::info::event::command_execution_status>() ==
                                  sycl::info::event_command_status::complete,
            "the event is not complete");
    for (size_t i = 0; i < n; i++) expected[i] = std::max(filled(i, 2), 0.f);
    check("after the stream", r, expected);
    sycl::event late;
    {
        sycl::queue temporary = app.queue(true);
        const dnnl::stream stream = interop::make_stream(app.engine, temporary);
        sycl::buffer<float, 1> buffer{sycl::range<1>(n)};
        dnnl::memory memory = interop::make_memory(row, app.engine, buffer);
        late = interop::execute(new_relu(app.engine, row), stream,
                {{DNNL_ARG_SRC, usm(row, app.engine, p)}, {DNNL_ARG_DST, memory}});
    }
    late.wait();
    sycl::free(p, q);
    sycl::free(r, q);
}

size_t resident_kilobytes() {
    size_t kilobytes = 0;
    std::FILE *file = std::fopen("/proc/self/status", "r");
    char line[256];
    while (file && std::fgets(line, sizeof line, file))
        if (std::sscanf(line, "VmRSS: %zu", &kilobytes) == 1) break;
    if (file) std::fclose(file);
    return kilobytes;
}

// Native events are used again: memory does not grow with the number of executions.
void many_executions(const application &app) {
    const int rounds = computes() ? 4000 : 50;
    sycl::queue q = app.queue(true);
    float *p = app.floats(q, n);
    const dnnl::stream stream = interop::make_stream(app.engine, q);
    const dnnl::primitive relu = new_relu(app.engine, row);
    const args list = relu_args(app.engine, p, p);
    size_t before = 0;
    app.fill(q, p, n, 0);
    for (int i = 0; i < 2 * rounds; i++) {
        if (i == rounds) before = resident_kilobytes();
        interop::execute(relu, stream, list);
        if (i % 100 == 99) q.wait();
    }
    q.wait();
    const size_t after = resident_kilobytes();
    std::fprintf(
            stderr, "%d executions: %zu KiB more\n", rounds, after > before ? after - before : 0);
    // 1 MiB: noise. An event each would be 4000 times some hundred bytes at least.
    expect(!computes() || after <= before + 1024, "memory grows with executions");
    sycl::free(p, q);
}

// Threads with a stream of their own and on one stream.
void threads(const application &app) {
    sycl::queue shared = app.queue(false);
    const dnnl::stream shared_stream = interop::make_stream(app.engine, shared);
    const dnnl::primitive relu = new_relu(app.engine, row);
    std::atomic<int> wrong{0};
    std::vector<std::thread> list;
    for (int t = 0; t < 4; t++)
        list.emplace_back([&, t] {
            sycl::queue own = app.queue(true);
            dnnl::stream own_stream = interop::make_stream(app.engine, own);
            float *p = app.floats(own, n), *r = app.floats(own, n);
            sycl::buffer<float, 1> buffer{sycl::range<1>(n)};
            dnnl::memory in_buffer = interop::make_memory(row, app.engine, buffer);
            for (int round = 0; round < 20; round++) {
                const sycl::event filled_p = app.fill(own, p, n, round + t);
                interop::execute(relu, shared_stream, relu_args(app.engine, p, r), {filled_p})
                        .wait();
                relu.execute(own_stream,
                        {{DNNL_ARG_SRC, usm(row, app.engine, r)}, {DNNL_ARG_DST, in_buffer}});
                sycl::host_accessor a(buffer, sycl::read_only);
                for (size_t i = 0; i < n && computes(); i++)
                    if (a[i] != std::max(filled(i, round + t), 0.f)) wrong++;
            }
            own.wait();
            sycl::free(p, own);
            sycl::free(r, own);
        });
    for (std::thread &thread : list) thread.join();
    expect(!wrong, "a thread has wrong numbers");
}

// Threads that ask for the SYCL objects of one engine get the same ones.
void first_getter(const application &app) {
    if (app.device.get_backend() != sycl::backend::ext_oneapi_level_zero) return;
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0);
    std::vector<void *> found(8);
    std::vector<std::thread> list;
    for (void *&each : found)
        list.emplace_back([&] { dnnl_sycl_interop_engine_get_context(engine.get(), &each); });
    for (std::thread &thread : list) thread.join();
    for (void *each : found) expect(each && each == found[0], "threads got different contexts");
}

} // namespace

int main(int argc, char **argv) {
    return run_all(argc, argv,
            {{"getters", getters}, {"refusals", refusals}, {"recording", recording},
                    {"objects_of_library", objects_of_library}, {"lifetimes", lifetimes},
                    {"many_executions", many_executions}, {"threads", threads},
                    {"first_getter", first_getter}});
}
