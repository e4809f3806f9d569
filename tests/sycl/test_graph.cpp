/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of graphs on SYCL queues: between kernels of the application, with its allocator. */
#include <atomic>

#include "program.hpp"

using namespace dnnl::graph;
namespace graph_interop = dnnl::graph::sycl_interop;
using layout = logical_tensor::layout_type;
using type = logical_tensor::data_type;

namespace {

const dnnl_dim_t M = 32, K = 48, N = 64;

std::atomic<int> allocated, freed, with_event;

void *allocate(size_t size, size_t alignment, const void *device, const void *context) {
    allocated++;
    return sycl::aligned_alloc_device(alignment, size, *static_cast<const sycl::device *>(device),
            *static_cast<const sycl::context *>(context));
}

void deallocate(void *ptr, const void *, const void *context, void *event) {
    freed++;
    if (event) {
        with_event++;
        static_cast<sycl::event *>(event)->wait();
    }
    sycl::free(ptr, *static_cast<const sycl::context *>(context));
}

// relu(a b), as one partition.
struct net {
    logical_tensor a{0, type::f32, {M, K}, layout::strided};
    logical_tensor b{1, type::f32, {K, N}, layout::strided};
    logical_tensor c{2, type::f32, {M, N}, layout::strided};
    logical_tensor d{3, type::f32, {M, N}, layout::strided};
    compiled_partition compiled;

    explicit net(const dnnl::engine &engine) {
        graph g(engine.get_kind());
        op product(0, op::kind::MatMul, {a, b}, {c}, "product");
        op relu(1, op::kind::ReLU, {c}, {d}, "relu");
        g.add_op(product);
        g.add_op(relu);
        g.finalize();
        const std::vector<partition> parts = g.get_partitions();
        expect(parts.size() == 1, "not one partition");
        expect(parts[0].is_supported(), "the partition is not supported");
        compiled = parts[0].compile({a, b}, {d}, engine);
    }
};

std::vector<float> expected_of(int round) {
    std::vector<float> expected(static_cast<size_t>(M * N));
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            float sum = 0;
            for (size_t k = 0; k < K; k++) sum += filled(m * K + k, round) * filled(k * N + n, 1);
            expected[m * N + n] = 2 * (sum > 0 ? sum : 0) + 1;
        }
    return expected;
}

void run(const application &app, const dnnl::engine &engine, bool in_order, bool plain) {
    sycl::queue q = app.queue(in_order);
    dnnl::stream stream = interop::make_stream(engine, q);
    net of(engine);
    float *a = app.floats(q, M * K), *b = app.floats(q, K * N), *d = app.floats(q, M * N),
          *e = app.floats(q, M * N);
    const std::vector<tensor> inputs{{of.a, engine, a}, {of.b, engine, b}};
    std::vector<tensor> outputs{{of.d, engine, d}};
    std::vector<sycl::event> last;
    for (int round = 0; round < 8; round++) {
        std::vector<sycl::event> deps{app.fill(q, a, M * K, round, last)};
        deps.push_back(app.fill(q, b, K * N, 1, last));
        if (in_order) deps.clear();
        if (plain) {
            if (!in_order) q.wait();
            of.compiled.execute(stream, inputs, outputs);
            if (!in_order) stream.wait();
            last.clear();
        } else {
            last = {graph_interop::execute(of.compiled, stream, inputs, outputs, deps)};
        }
        last = {app.scale(q, e, d, M * N, in_order ? std::vector<sycl::event>() : last)};
    }
    q.wait();
    check("partition", e, expected_of(7));
    for (float *each : {a, b, d, e}) sycl::free(each, q);
}

void in_order(const application &app) {
    run(app, app.engine, true, false);
}

void in_order_plain(const application &app) {
    run(app, app.engine, true, true);
}

void out_of_order(const application &app) {
    run(app, app.engine, false, false);
}

void out_of_order_plain(const application &app) {
    run(app, app.engine, false, true);
}

void with_allocator(const application &app) {
    {
        const allocator alloc = graph_interop::make_allocator(allocate, deallocate);
        const dnnl::engine engine =
                graph_interop::make_engine_with_allocator(app.device, app.context, alloc);
        run(app, engine, true, false);
        run(app, engine, false, false);
        const logical_tensor lt{9, type::f32, logical_tensor::dims{100}, layout::strided};
        const int before = allocated;
        {
            const tensor own(lt, engine);
            expect(own.get_data_handle() != nullptr, "no memory for a tensor");
            expect(allocated == before + 1, "the allocator was not called");
        }
        set_compiled_partition_cache_capacity(0);
    }
    expect(allocated == freed, "memory of the allocator is left");
}

} // namespace

int main(int argc, char **argv) {
    return run_all(argc, argv,
            {{"in_order", in_order}, {"in_order_plain", in_order_plain},
                    {"out_of_order", out_of_order}, {"out_of_order_plain", out_of_order_plain},
                    {"with_allocator", with_allocator}});
}
