/* SPDX-License-Identifier: Apache-2.0 */
/* The application's kernels, copies and host tasks between primitives: on in-order and
 * out-of-order queues, on two queues, with pointers and with buffers. */
#include "program.hpp"

namespace {

const size_t n = 5000;
const dnnl::memory::desc row({static_cast<dnnl_dim_t>(n)}, dt::f32, tag::a);

float relu(float x) {
    return x > 0 ? x : 0;
}

struct floats {
    floats(const application &app, const sycl::queue &q, size_t count = n)
        : context(q.get_context()), p(app.floats(q, count)) {}
    floats(const floats &) = delete;
    ~floats() { sycl::free(p, context); }
    operator float *() const { return p; }
    sycl::context context;
    float *p;
};

// Kernel, primitive, kernel, primitive, copy: nothing but the queue's order holds them together.
void in_order(const application &app, bool with_events) {
    sycl::queue q = app.queue(true);
    floats x(app, q), y(app, q), z(app, q), sum(app, q);
    const dnnl::stream stream = interop::make_stream(app.engine, q);
    const dnnl::primitive relu_of = new_relu(app.engine, row);
    const dnnl::binary add(
            dnnl::binary::primitive_desc(app.engine, dnnl::algorithm::binary_add, row, row, row));
    const dnnl::memory mx = usm(row, app.engine, x), my = usm(row, app.engine, y),
                       mz = usm(row, app.engine, z), msum = usm(row, app.engine, sum);
    std::vector<float> expected(n);
    q.memset(sum, 0, n * sizeof(float));
    for (int round = 0; round < 20; round++) {
        app.fill(q, x.p, n, round);
        if (with_events)
            interop::execute(relu_of, stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}});
        else relu_of.execute(stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}});
        app.scale(q, z, y, n);
        add.execute(stream, {{DNNL_ARG_SRC_0, msum}, {DNNL_ARG_SRC_1, mz}, {DNNL_ARG_DST, msum}});
        q.memcpy(y, sum, n * sizeof(float));
        for (size_t i = 0; i < n; i++) expected[i] += 2 * relu(filled(i, round)) + 1;
    }
    q.wait();
    check("sum", sum, expected);
    check("copy", y, expected);
}

void in_order_plain(const application &app) {
    in_order(app, false);
}

void in_order_events(const application &app) {
    in_order(app, true);
}

void out_of_order(const application &app) {
    sycl::queue q = app.queue(false);
    floats x(app, q), left(app, q), right(app, q), sum(app, q), out(app, q);
    dnnl::stream stream = interop::make_stream(app.engine, q);
    const dnnl::primitive relu_of = new_relu(app.engine, row);
    const dnnl::binary add(
            dnnl::binary::primitive_desc(app.engine, dnnl::algorithm::binary_add, row, row, row));
    const dnnl::memory mx = usm(row, app.engine, x), ml = usm(row, app.engine, left),
                       mr = usm(row, app.engine, right), msum = usm(row, app.engine, sum);
    sycl::event last;
    std::vector<float> expected(n);
    for (int round = 0; round < 20; round++) {
        const sycl::event filled_x = app.fill(q, x.p, n, round, {last});
        const sycl::event slow = app.scale(q, right, x, n, {filled_x});
        const sycl::event relued = interop::execute(
                relu_of, stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, ml}}, {filled_x});
        const sycl::event added = interop::execute(add, stream,
                {{DNNL_ARG_SRC_0, ml}, {DNNL_ARG_SRC_1, mr}, {DNNL_ARG_DST, msum}}, {relued, slow});
        last = app.scale(q, out, sum, n, {added});
    }
    last.wait();
    for (size_t i = 0; i < n; i++)
        expected[i] = 2 * (relu(filled(i, 19)) + 2 * filled(i, 19) + 1) + 1;
    check("diamond", out, expected);
    // Without events, queue and stream wait for all.
    relu_of.execute(stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, ml}});
    q.wait();
    relu_of.execute(stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, mr}});
    stream.wait();
    for (size_t i = 0; i < n; i++) expected[i] = relu(filled(i, 19));
    check("after queue::wait", left, expected);
    check("after stream::wait", right, expected);
}

void two_queues(const application &app) {
    sycl::queue first = app.queue(true), second = app.queue(true), third = app.queue(false);
    floats x(app, first), y(app, first), z(app, first);
    const dnnl::stream s1 = interop::make_stream(app.engine, first),
                       s2 = interop::make_stream(app.engine, second),
                       s3 = interop::make_stream(app.engine, third);
    const dnnl::primitive relu_of = new_relu(app.engine, row);
    const dnnl::memory mx = usm(row, app.engine, x), my = usm(row, app.engine, y),
                       mz = usm(row, app.engine, z);
    sycl::event end;
    std::vector<float> expected(n);
    for (int round = 0; round < 10; round++) {
        const sycl::event a = app.fill(first, x.p, n, round, {end});
        const sycl::event b =
                interop::execute(relu_of, s2, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}}, {a});
        const sycl::event c = app.scale(third, z, y, n, {b});
        end = interop::execute(relu_of, s3, {{DNNL_ARG_SRC, mz}, {DNNL_ARG_DST, mx}}, {c});
        end = interop::execute(relu_of, s1, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}}, {end});
    }
    end.wait();
    for (size_t i = 0; i < n; i++) expected[i] = 2 * relu(filled(i, 9)) + 1;
    check("last queue", y, expected);
}

void sleep_a_little() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// The primitive waits for the host task before it, and the host task after it for the primitive.
void host_tasks(const application &app, bool is_in_order) {
    sycl::queue q = app.queue(is_in_order);
    floats x(app, q), y(app, q);
    const dnnl::primitive relu_of = new_relu(app.engine, row);
    std::vector<float> found(n), expected(n);
    {
        const dnnl::stream stream = interop::make_stream(app.engine, q);
        float *const from = x, *const to = y;
        const sycl::event before = q.submit([&](sycl::handler &h) {
            h.host_task([=] {
                sleep_a_little();
                for (size_t i = 0; i < n; i++) from[i] = filled(i, 3);
            });
        });
        std::vector<sycl::event> deps;
        if (!is_in_order) deps.push_back(before);
        const sycl::event done = interop::execute(relu_of, stream,
                {{DNNL_ARG_SRC, usm(row, app.engine, x)}, {DNNL_ARG_DST, usm(row, app.engine, y)}},
                deps);
        q.submit([&](sycl::handler &h) {
            if (!is_in_order) h.depends_on(done);
            h.host_task([&found, to] { std::copy(to, to + n, found.begin()); });
        });
        q.wait_and_throw();
    }
    for (size_t i = 0; i < n; i++) expected[i] = relu(filled(i, 3));
    check("host task", found.data(), expected);
}

void host_tasks_in_order(const application &app) {
    host_tasks(app, true);
}

void host_tasks_out_of_order(const application &app) {
    host_tasks(app, false);
}

// Buffers order by themselves: kernel, primitive, kernel, primitive of one buffer and one pointer.
void buffers(const application &app, bool is_in_order) {
    sycl::queue q = app.queue(is_in_order);
    sycl::buffer<float, 1> x{sycl::range<1>(n)}, y{sycl::range<1>(n)};
    floats z(app, q);
    dnnl::stream stream = interop::make_stream(app.engine, q);
    const dnnl::primitive relu_of = new_relu(app.engine, row);
    const dnnl::memory mx = interop::make_memory(row, app.engine, x),
                       my = interop::make_memory(row, app.engine, y), mz = usm(row, app.engine, z);
    std::vector<float> expected(n);
    for (int round = 0; round < 5; round++) {
        {
            sycl::host_accessor a(x, sycl::write_only);
            for (size_t i = 0; i < n; i++) a[i] = filled(i, round);
        }
        relu_of.execute(stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}});
        q.submit([&](sycl::handler &h) { // x = y, by the application
            sycl::accessor from(y, h, sycl::read_only);
            sycl::accessor to(x, h, sycl::write_only);
            h.copy(from, to);
        });
        relu_of.execute(stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, mx}});
    }
    const sycl::event done =
            interop::execute(relu_of, stream, {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, mz}});
    for (size_t i = 0; i < n; i++) expected[i] = relu(filled(i, 4));
    sycl::event(done).wait();
    check("pointer", z, expected);
    sycl::host_accessor a(x, sycl::read_only);
    check("buffer", &a[0], expected);
    const auto of_library = interop::get_buffer<float>(my);
    expect(of_library.size() == n, "the buffer has another size");
    sycl::host_accessor b(y, sycl::read_only);
    check("second buffer", &b[0], expected);
}

void buffers_in_order(const application &app) {
    buffers(app, true);
}

void buffers_out_of_order(const application &app) {
    buffers(app, false);
}

// A buffer of the library: kernels of the application see it.
void library_buffer(const application &app) {
    sycl::queue q = app.queue(true);
    dnnl::stream stream = interop::make_stream(app.engine, q);
    dnnl::memory x = interop::make_memory(row, app.engine, interop::memory_kind::buffer);
    expect(interop::get_memory_kind(x) == interop::memory_kind::buffer, "not a buffer");
    sycl::buffer<float, 1> buffer = interop::get_buffer<float>(x);
    const std::vector<float> negative(n, -3.f);
    q.submit([&](sycl::handler &h) {
        sycl::accessor to(buffer, h, sycl::write_only);
        h.copy(negative.data(), to);
    });
    q.wait();
    {
        sycl::host_accessor a(buffer, sycl::read_write);
        for (size_t i = 0; i < n; i += 2) a[i] = static_cast<float>(i % 31);
    }
    new_relu(app.engine, row).execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
    stream.wait();
    std::vector<float> expected(n);
    for (size_t i = 0; i < n; i += 2) expected[i] = static_cast<float>(i % 31);
    float *mapped = x.map_data<float>();
    check("mapped", mapped, expected);
    x.unmap_data(mapped);
    sycl::buffer<float, 1> other{sycl::range<1>(n)};
    {
        sycl::host_accessor a(other, sycl::write_only);
        for (size_t i = 0; i < n; i++) a[i] = filled(i, 1);
    }
    interop::set_buffer(x, other);
    new_relu(app.engine, row).execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
    for (size_t i = 0; i < n; i++) expected[i] = relu(filled(i, 1));
    sycl::host_accessor a(other, sycl::read_only);
    check("other", &a[0], expected);
}

// Several steps with a scratchpad, and weights that the application changes between them.
void products(const application &app) {
    const dnnl_dim_t M = 48, K = 64, N = 80;
    sycl::queue q = app.queue(true);
    floats a(app, q, M * K), b(app, q, K * N), c(app, q, M * N);
    const dnnl::memory::desc ad({M, K}, dt::f32, tag::ab), bd({K, N}, dt::f32, tag::ba),
            cd({M, N}, dt::f32, tag::ab);
    dnnl::post_ops ops;
    dnnl::primitive_attr attr;
    ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(ops);
    const dnnl::matmul product(dnnl::matmul::primitive_desc(app.engine, ad, bd, cd, attr));
    const dnnl::stream stream = interop::make_stream(app.engine, q);
    for (int round = 0; round < 5; round++) {
        app.fill(q, a.p, M * K, round);
        app.fill(q, b.p, K * N, -round);
        product.execute(stream,
                {{DNNL_ARG_SRC, usm(ad, app.engine, a)}, {DNNL_ARG_WEIGHTS, usm(bd, app.engine, b)},
                        {DNNL_ARG_DST, usm(cd, app.engine, c)}});
    }
    q.wait();
    std::vector<float> expected(M * N);
    for (size_t m = 0; m < M; m++)
        for (size_t j = 0; j < N; j++) {
            float sum = 0;
            for (size_t k = 0; k < K; k++) sum += filled(m * K + k, 4) * filled(j * K + k, -4);
            expected[m * N + j] = relu(sum);
        }
    check("product", c, expected);
}

} // namespace

int main(int argc, char **argv) {
    return run_all(argc, argv,
            {{"in_order_plain", in_order_plain}, {"in_order_events", in_order_events},
                    {"out_of_order", out_of_order}, {"two_queues", two_queues},
                    {"host_tasks_in_order", host_tasks_in_order},
                    {"host_tasks_out_of_order", host_tasks_out_of_order},
                    {"buffers_in_order", buffers_in_order},
                    {"buffers_out_of_order", buffers_out_of_order},
                    {"library_buffer", library_buffer}, {"products", products}});
}
